// The language server: LLVM's transport and message handler below, a table of methods here. Every request is answered once:
// by its handler, or by the message handler when there is none.
#include "analyzer/lsp/server.h"

#include "analyzer/engine.h"
#include "analyzer/lsp/analysis-thread.h"
#include "analyzer/lsp/documents.h"
#include "analyzer/registry.h"
#include "analyzer/source/database.h"
#include "analyzer/source/preamble.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/LSP/Logging.h"
#include "llvm/Support/LSP/Protocol.h"
#include "llvm/Support/LSP/Transport.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

namespace lint {
namespace {

namespace json = llvm::json;
using llvm::lsp::Callback;

constexpr std::chrono::milliseconds pauseAfterEdit(150);

/// What a message carries, as it came: the handlers take from it what they need.
struct Params {
  json::Value value = nullptr;
};
bool fromJSON(const json::Value& value, Params& params, json::Path) {
  params.value = value;
  return true;
}

std::string textAt(const json::Value& value, std::initializer_list<llvm::StringRef> path) {
  const json::Value* current = &value;
  for (llvm::StringRef key : path) {
    const json::Object* object = current->getAsObject();
    current = object ? object->get(key) : nullptr;
    if (!current) return {};
  }
  auto text = current->getAsString();
  return text ? text->str() : std::string();
}

int64_t versionIn(const json::Value& params) {
  const json::Object* root = params.getAsObject();
  const json::Object* document = root ? root->getObject("textDocument") : nullptr;
  return document ? document->getInteger("version").value_or(0) : 0;
}

class Server {
 public:
  Server(const ServerOptions& options, llvm::lsp::JSONTransport& transport)
      : options_(options), database_(options.database), handler_(transport), publish_(handler_.outgoingNotification<json::Value>("textDocument/publishDiagnostics")),
        show_(handler_.outgoingNotification<json::Value>("window/showMessage")), thread_([this](const std::string& uri) { analyse(uri); }) {
    registerMethods();
  }

  llvm::lsp::MessageHandler& handler() { return handler_; }
  bool wasShutDown() const { return shutDown_; }

 private:
  void registerMethods() {
    handler_.method("initialize", this, &Server::initialize);
    handler_.method("textDocument/codeAction", this, &Server::codeAction);
    handler_.method("shutdown", this, &Server::shutdown);
    handler_.notification("initialized", this, &Server::ignore);
    handler_.notification("$/cancelRequest", this, &Server::ignore);
    handler_.notification("$/setTrace", this, &Server::ignore);
    handler_.notification("textDocument/didOpen", this, &Server::didOpen);
    handler_.notification("textDocument/didChange", this, &Server::didChange);
    handler_.notification("textDocument/didSave", this, &Server::didSave);
    handler_.notification("textDocument/didClose", this, &Server::didClose);
  }

  void ignore(const Params&) {}

  void initialize(const Params& params, Callback<json::Value> reply) {
    initialized_ = true;
    const json::Object* root = params.value.getAsObject();
    const json::Object* capabilities = root ? root->getObject("capabilities") : nullptr;
    const json::Object* general = capabilities ? capabilities->getObject("general") : nullptr;
    if (const json::Array* encodings = general ? general->getArray("positionEncodings") : nullptr)
      for (const json::Value& encoding : *encodings)
        if (encoding.getAsString() == llvm::StringRef("utf-8")) encoding_ = PositionEncoding::utf8;
    std::string folder = textAt(params.value, {"initializationOptions", "compilationDatabasePath"});
    if (!folder.empty()) database_.folder = folder;
    reply(json::Object{
        {"serverInfo", json::Object{{"name", "torch-tidy"}, {"version", TORCH_TIDY_VERSION}}},
        {"capabilities",
         json::Object{{"positionEncoding", encoding_ == PositionEncoding::utf8 ? "utf-8" : "utf-16"},
                      {"textDocumentSync", json::Object{{"openClose", true}, {"change", 1}, {"save", true}}},
                      {"codeActionProvider", json::Object{{"codeActionKinds", json::Array{"quickfix"}}}}}}});
  }

  void shutdown(const Params&, Callback<json::Value> reply) {
    if (!ready(reply)) return;
    shutDown_ = true;
    reply(json::Value(nullptr));
  }

  bool ready(Callback<json::Value>& reply) {
    if (initialized_ && !shutDown_) return true;
    auto code = initialized_ ? llvm::lsp::ErrorCode::InvalidRequest : llvm::lsp::ErrorCode::ServerNotInitialized;
    reply(llvm::make_error<llvm::lsp::LSPError>(initialized_ ? "the server was shut down" : "the first request must be initialize", code));
    return false;
  }

  void didOpen(const Params& params) {
    Document document;
    document.uri = textAt(params.value, {"textDocument", "uri"});
    document.text = textAt(params.value, {"textDocument", "text"});
    document.version = versionIn(params.value);
    std::string uri = document.uri;
    if (pathOf(uri).empty()) return;
    documents_.open(std::move(document));
    thread_.request(uri, std::chrono::milliseconds(0));
  }

  // The whole text comes with each change.
  void didChange(const Params& params) {
    std::string uri = textAt(params.value, {"textDocument", "uri"});
    const json::Array* changes = params.value.getAsObject() ? params.value.getAsObject()->getArray("contentChanges") : nullptr;
    if (!changes || changes->empty()) return;
    documents_.change(uri, versionIn(params.value), textAt(changes->back(), {"text"}));
    thread_.request(uri, pauseAfterEdit);
  }

  // A saved header changes what the open files mean.
  void didSave(const Params&) {
    for (const std::string& uri : documents_.uris()) thread_.request(uri, std::chrono::milliseconds(0));
  }

  void didClose(const Params& params) {
    std::string uri = textAt(params.value, {"textDocument", "uri"});
    documents_.close(uri);
    publish_(json::Object{{"uri", uri}, {"diagnostics", json::Array{}}});
  }

  // On the analysis thread.
  void analyse(const std::string& uri) {
    auto document = documents_.find(uri);
    if (!document) return;
    std::string path = pathOf(uri);
    Database::Answer answer = Database(database_).commandFor(path);
    if (!answer.error.empty()) return complain(path, path + ": " + answer.error);
    Options options;
    options.checks = options_.checks;
    Preambles preambles{CacheFolder(options_.cacheDir)};
    options.preambles = &preambles;
    options.editor = true;
    UnitReport report = lint::analyze(answer.command, options, documents_.unsaved());
    if (!report.failure.empty()) return complain(path, report.failure);
    std::vector<Diagnostic> own;
    for (std::vector<Diagnostic>* list : {&report.errors, &report.findings})
      for (Diagnostic& diagnostic : *list)
        if (diagnostic.at.file == path) own.push_back(std::move(diagnostic));
    if (!documents_.publish(uri, document->version, own)) return;
    json::Array diagnostics;
    PositionMap positions(document->text, encoding_);
    for (const Diagnostic& diagnostic : own) diagnostics.push_back(toJson(diagnostic, uri, positions));
    publish_(json::Object{{"uri", uri}, {"version", document->version}, {"diagnostics", std::move(diagnostics)}});
  }

  // Once per file: it is analysed after every edit.
  void complain(const std::string& path, const std::string& message) {
    if (complained_.insert(path).second) show_(json::Object{{"type", 2}, {"message", "torch-tidy: " + message}});
  }

  json::Object toJson(const Diagnostic& diagnostic, const std::string& uri, const PositionMap& positions) const {
    json::Object result{{"range", positions.range(diagnostic.at.begin, diagnostic.at.end)},
                        {"severity", diagnostic.severity == Severity::error ? 1 : diagnostic.severity == Severity::warning ? 2 : 3},
                        {"source", "torch-tidy"},
                        {"code", diagnostic.check},
                        {"message", diagnostic.message}};
    std::string page = std::string(TORCH_TIDY_DOCS) + "/checks/" + diagnostic.check + ".md";
    if (llvm::sys::fs::exists(page)) result["codeDescription"] = json::Object{{"href", uriOf(page)}};
    json::Array related;
    for (const Note& note : diagnostic.notes)
      if (note.at.file == diagnostic.at.file)
        related.push_back(json::Object{{"location", json::Object{{"uri", uri}, {"range", positions.range(note.at.begin, note.at.end)}}}, {"message", note.message}});
    if (!related.empty()) result["relatedInformation"] = std::move(related);
    return result;
  }

  // The fixes of the findings that the range touches, if they belong to the text that the client has now.
  void codeAction(const Params& params, Callback<json::Value> reply) {
    if (!ready(reply)) return;
    auto document = documents_.find(textAt(params.value, {"textDocument", "uri"}));
    json::Array actions;
    if (document && document->analysed == document->version) {
      PositionMap positions(document->text, encoding_);
      for (const Diagnostic& finding : document->findings)
        if (finding.fix && touches(params.value, positions, finding.at) && staysInside(*finding.fix, finding.at.file)) actions.push_back(action(finding, *document, positions));
    }
    reply(std::move(actions));
  }

  static bool staysInside(const Fix& fix, const std::string& file) {
    return llvm::all_of(fix.edits, [&](const Edit& edit) { return edit.file == file; });
  }

  static bool touches(const json::Value& params, const PositionMap& positions, const Range& at) {
    auto place = [](const json::Object* position) { return position ? std::pair(position->getInteger("line").value_or(0), position->getInteger("character").value_or(0)) : std::pair<int64_t, int64_t>(0, 0); };
    const json::Object* range = params.getAsObject() ? params.getAsObject()->getObject("range") : nullptr;
    if (!range) return true;
    json::Value begin = positions.position(at.begin), end = positions.position(at.end);
    return place(range->getObject("start")) <= place(end.getAsObject()) && place(begin.getAsObject()) <= place(range->getObject("end"));
  }

  json::Value action(const Diagnostic& finding, const Document& document, const PositionMap& positions) const {
    json::Array edits;
    for (const Edit& edit : finding.fix->edits)
      edits.push_back(json::Object{{"range", positions.range(edit.offset, edit.offset + edit.length)}, {"newText", edit.text}});
    std::string title = "replace with '" + finding.fix->shown + "'";
    if (!finding.fix->condition.empty()) title += " (holds where " + finding.fix->condition + ")";
    return json::Object{{"title", title},
                        {"kind", "quickfix"},
                        {"isPreferred", finding.fixable()},
                        {"diagnostics", json::Array{toJson(finding, document.uri, positions)}},
                        {"edit", json::Object{{"changes", json::Object{{document.uri, std::move(edits)}}}}}};
  }

  const ServerOptions& options_;
  Database::Settings database_;
  llvm::lsp::MessageHandler handler_;
  llvm::lsp::OutgoingNotification<json::Value> publish_, show_;
  Documents documents_;
  PositionEncoding encoding_ = PositionEncoding::utf16;
  std::set<std::string> complained_;
  bool initialized_ = false, shutDown_ = false;
  AnalysisThread thread_;  // last: it uses everything above
};

}  // namespace

int runLanguageServer(const ServerOptions& options) {
  llvm::lsp::Logger::setLogLevel(llvm::lsp::Logger::Level::Error);
  llvm::sys::ChangeStdinToBinary();
  llvm::lsp::JSONTransport transport(stdin, llvm::outs());
  Server server(options, transport);
  llvm::Error error = transport.run(server.handler());
  llvm::consumeError(std::move(error));
  return server.wasShutDown() ? 0 : 1;
}

}  // namespace lint
