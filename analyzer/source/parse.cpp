#include "analyzer/source/parse.h"

#include "analyzer/source/flags.h"
#include "analyzer/source/range.h"

#include "clang/Basic/DiagnosticFrontend.h"
#include "clang/Basic/DiagnosticSerialization.h"
#include "clang/Driver/CreateInvocationFromArgs.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace lint {
namespace {

// Keeps errors as plain data. A preamble that does not load shows itself by errors without a place in the file.
class ErrorCollector : public clang::DiagnosticConsumer {
 public:
  explicit ErrorCollector(ParseResult& result) : result_(result) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) override {
    clang::DiagnosticConsumer::HandleDiagnostic(level, info);
    if (level < clang::DiagnosticsEngine::Error) return;
    llvm::SmallString<128> text;
    info.FormatDiagnostic(text);
    bool placed = info.hasSourceManager() && info.getLocation().isValid();
    unsigned id = info.getID();
    if (!placed && id >= clang::diag::DIAG_START_SERIALIZATION && id < clang::diag::DIAG_START_LEX) result_.preambleFailed = true;
    Diagnostic error;
    error.check = "clang";
    error.severity = Severity::error;
    error.message = text.str().str();
    if (placed) error.at = rangeOf(info.getSourceManager(), info.getLocation());
    result_.errors.push_back(std::move(error));
  }

 private:
  ParseResult& result_;
};

class CollectingConsumer : public clang::ASTConsumer {
 public:
  CollectingConsumer(clang::CompilerInstance& compiler, const Consumer& consumer, ParseResult& result)
      : compiler_(compiler), consumer_(consumer), result_(result) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    const clang::SourceManager& sources = compiler_.getSourceManager();
    for (clang::Decl* decl : group)
      if (!sources.isInSystemHeader(sources.getExpansionLoc(decl->getLocation())) && !decl->isFromASTFile()) own_.push_back(decl);
    return true;
  }
  void HandleTranslationUnit(clang::ASTContext&) override {
    result_.parsed = true;
    consumer_(compiler_, own_);
  }

 private:
  clang::CompilerInstance& compiler_;
  const Consumer& consumer_;
  ParseResult& result_;
  std::vector<clang::Decl*> own_;
};

class ParseAction : public clang::ASTFrontendAction {
 public:
  ParseAction(const Consumer& consumer, ParseResult& result) : consumer_(consumer), result_(result) {}
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler, llvm::StringRef) override {
    return std::make_unique<CollectingConsumer>(compiler, consumer_, result_);
  }

 private:
  const Consumer& consumer_;
  ParseResult& result_;
};

using FileSystem = llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>;

FileSystem fileSystem(const CompileCommand& command, const std::map<std::string, std::string>& unsaved) {
  FileSystem real = llvm::vfs::createPhysicalFileSystem();
  real->setCurrentWorkingDirectory(command.directory);
  if (unsaved.empty()) return real;
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (const auto& [path, text] : unsaved) memory->addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(text, path));
  auto overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(real);
  overlay->pushOverlay(memory);
  return overlay;
}

// Everything that both a parse and a precompilation need; `adjust` makes the difference.
void execute(const CompileCommand& command, FileSystem files, clang::DiagnosticConsumer& collector, clang::FrontendAction& action,
             const std::function<void(clang::CompilerInvocation&)>& adjust) {
  std::vector<std::string> flags = frontendFlags(command);
  std::vector<const char*> args;
  for (const std::string& flag : flags) args.push_back(flag.c_str());

  clang::DiagnosticOptions diagnosticOptions;
  clang::CreateInvocationOptions options;
  options.Diags = clang::CompilerInstance::createDiagnostics(*files, diagnosticOptions, &collector, /*ShouldOwnClient=*/false);
  options.VFS = files;
  options.RecoverOnError = true;
  std::shared_ptr<clang::CompilerInvocation> invocation = clang::createInvocation(args, options);
  if (!invocation) return;
  invocation->getFrontendOpts().DisableFree = false;
  invocation->getFileSystemOpts().WorkingDir = command.directory;
  invocation->getDiagnosticOpts().ErrorLimit = 20;
  invocation->getDiagnosticOpts().ShowCarets = false;  // no "1 warning generated" on standard error
  invocation->getLangOpts().SpellChecking = false;
  adjust(*invocation);

  clang::CompilerInstance compiler(invocation);
  compiler.setVirtualFileSystem(files);
  compiler.createDiagnostics(&collector, /*ShouldOwnClient=*/false);
  compiler.createFileManager();
  compiler.createSourceManager();
  compiler.ExecuteAction(action);
}

}  // namespace

ParseResult parse(const CompileCommand& command, const std::string& preamble, const std::map<std::string, std::string>& unsaved,
                  const Consumer& consumer) {
  ParseResult result;
  ErrorCollector collector(result);
  ParseAction action(consumer, result);
  execute(command, fileSystem(command, unsaved), collector, action,
          [&](clang::CompilerInvocation& invocation) { invocation.getPreprocessorOpts().ImplicitPCHInclude = preamble; });
  return result;
}

std::string precompile(const CompileCommand& command, const std::string& output) {
  ParseResult result;
  ErrorCollector collector(result);
  clang::GeneratePCHAction action;
  execute(command, fileSystem(command, {}), collector, action, [&](clang::CompilerInvocation& invocation) {
    clang::FrontendOptions& frontend = invocation.getFrontendOpts();
    frontend.ProgramAction = clang::frontend::GeneratePCH;
    frontend.OutputFile = output;
    frontend.SkipFunctionBodies = true;
    frontend.Inputs = {clang::FrontendInputFile(command.file, clang::InputKind(clang::Language::CXX, clang::InputKind::Source, false,
                                                                               clang::InputKind::HeaderUnit_None, true))};
    invocation.getLangOpts().PCHInstantiateTemplates = true;
  });
  if (!result.errors.empty()) return "LibTorch's headers do not compile: " + result.errors.front().message;
  return {};
}

}  // namespace lint
