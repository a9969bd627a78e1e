// SARIF 2.1.0, as GitHub code scanning takes it: relative URIs, columns in UTF-16 units, fixes, and fingerprints that do not
// change when a finding moves to another line.
#include "analyzer/report/format.h"

#include "analyzer/registry.h"
#include "analyzer/report/encode.h"

#include "llvm/Support/MD5.h"
#include "llvm/Support/raw_ostream.h"

#include <nlohmann/json.hpp>

namespace lint {
namespace {

using nlohmann::json;

class SarifWriter {
 public:
  explicit SarifWriter(const Run& run) : run_(run) {}

  json log() {
    json results = json::array();
    for (const Diagnostic& finding : run_.findings) results.push_back(result(finding));
    json run = {{"tool", {{"driver", driver()}}},
                {"columnKind", "utf16CodeUnits"},
                {"originalUriBaseIds", {{"SRCROOT", {{"uri", "file://" + percentEncoded(run_.root) + "/"}}}}},
                {"invocations", json::array({invocation()})},
                {"results", std::move(results)}};
    return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}, {"runs", json::array({std::move(run)})}};
  }

 private:
  json driver() {
    json rules = json::array();
    for (const CheckEntry& entry : run_.checks) {
      CheckFace shown = face(*entry.check);
      rules.push_back({{"id", entry.name},
                       {"shortDescription", {{"text", shown.summary}}},
                       {"help", {{"text", entry.page}, {"markdown", entry.page}}},
                       {"defaultConfiguration", {{"level", name(shown.severity)}}},
                       {"properties", {{"category", shown.category}, {"tags", json::array({"libtorch", shown.category})}}}});
    }
    return {{"name", "torch-tidy"}, {"semanticVersion", run_.version}, {"rules", std::move(rules)}};
  }

  json invocation() {
    json notifications = json::array();
    for (const Diagnostic& error : run_.errors) {
      json notification = {{"level", "error"}, {"message", {{"text", error.message}}}};
      if (!error.at.file.empty()) notification["locations"] = json::array({location(error.at)});
      notifications.push_back(std::move(notification));
    }
    for (const std::string& failure : run_.failures) notifications.push_back({{"level", "error"}, {"message", {{"text", failure}}}});
    json result = {{"executionSuccessful", notifications.empty()}};
    if (!notifications.empty()) result["toolExecutionNotifications"] = std::move(notifications);
    return result;
  }

  json artifact(const std::string& file) {
    std::string shown = displayPath(run_, file);
    if (shown == file) return {{"uri", "file://" + percentEncoded(file)}};
    return {{"uri", percentEncoded(shown)}, {"uriBaseId", "SRCROOT"}};
  }

  size_t utf16Column(const std::string& file, unsigned line, unsigned column) { return utf16Length(lines_.line(file, line).substr(0, column - 1)) + 1; }

  json region(const Range& at) {
    return {{"startLine", at.line}, {"startColumn", utf16Column(at.file, at.line, at.column)}, {"endLine", at.endLine},
            {"endColumn", utf16Column(at.file, at.endLine, at.endColumn)}, {"byteOffset", at.begin}, {"byteLength", at.end - at.begin}};
  }

  json location(const Range& at) { return {{"physicalLocation", {{"artifactLocation", artifact(at.file)}, {"region", region(at)}}}}; }

  // The check, the file, the line's text without blanks, and which of such lines it is.
  std::string fingerprint(const Diagnostic& finding) {
    std::string key = finding.check + "\n" + displayPath(run_, finding.at.file) + "\n";
    for (char c : lines_.line(finding.at.file, finding.at.line))
      if (!isspace(static_cast<unsigned char>(c))) key += c;
    int occurrence = occurrences_[key]++;
    llvm::MD5 hash;
    hash.update(key + "\n" + std::to_string(occurrence));
    llvm::MD5::MD5Result digest;
    hash.final(digest);
    return digest.digest().str().str();
  }

  json fixes(const Fix& fix) {
    std::map<std::string, json> byFile;
    for (const Edit& edit : fix.edits)
      byFile.try_emplace(edit.file, json::array()).first->second.push_back(
          {{"deletedRegion", {{"byteOffset", edit.offset}, {"byteLength", edit.length}}}, {"insertedContent", {{"text", edit.text}}}});
    json changes = json::array();
    for (auto& [file, replacements] : byFile) changes.push_back({{"artifactLocation", artifact(file)}, {"replacements", std::move(replacements)}});
    std::string text = fix.shown + (fix.condition.empty() ? "" : " (where " + fix.condition + ")");
    return json::array({{{"description", {{"text", text}}}, {"artifactChanges", std::move(changes)}}});
  }

  json result(const Diagnostic& finding) {
    json result = {{"ruleId", finding.check},
                   {"level", name(finding.severity)},
                   {"message", {{"text", finding.message}}},
                   {"locations", json::array({location(finding.at)})},
                   {"partialFingerprints", {{"torchTidy/v1", fingerprint(finding)}}}};
    for (size_t i = 0; i < run_.checks.size(); ++i)
      if (run_.checks[i].name == finding.check) result["ruleIndex"] = i;
    json properties = {{"proof", name(finding.proof)}};
    if (finding.inputs) properties["inputs"] = finding.inputs;
    if (!finding.counterexample.empty()) properties["counterexample"] = finding.counterexample;
    if (finding.fix && !finding.fix->condition.empty()) properties["condition"] = finding.fix->condition;
    result["properties"] = std::move(properties);
    json related = json::array();
    for (const Note& note : finding.notes) {
      json place = location(note.at);
      place["message"] = {{"text", note.message}};
      place["id"] = related.size() + 1;
      related.push_back(std::move(place));
    }
    if (!related.empty()) result["relatedLocations"] = std::move(related);
    if (finding.fix) result["fixes"] = fixes(*finding.fix);
    return result;
  }

  const Run& run_;
  SourceLines lines_;
  std::map<std::string, int> occurrences_;
};

}  // namespace

void writeSarif(const Run& run, llvm::raw_ostream& os) { os << SarifWriter(run).log().dump(2, ' ', false, json::error_handler_t::replace) << '\n'; }

}  // namespace lint
