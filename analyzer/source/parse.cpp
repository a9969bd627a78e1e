#include "analyzer/source/parse.h"

#include "analyzer/source/cuda.h"
#include "analyzer/source/errors.h"
#include "analyzer/source/flags.h"
#include "analyzer/source/range.h"
#include "analyzer/source/recorder.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/Driver/CreateInvocationFromArgs.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace lint {
namespace {

// Bodies of kernels and of __device__ functions hold no tensors, and call what only nvcc knows.
bool isDeviceCode(const clang::Decl* decl) {
  const clang::FunctionDecl* function = decl->getAsFunction();
  return function && (function->hasAttr<clang::CUDAGlobalAttr>() || function->hasAttr<clang::CUDADeviceAttr>());
}

bool isCuda(const CompileCommand& command) { return llvm::is_contained(command.command, "-include" + std::string(cudaHeaderPath)); }

// Where device code stands that is parsed all the same: lambdas, and functions whose result type shows only in the body.
class DeviceCode : public clang::DynamicRecursiveASTVisitor {
 public:
  explicit DeviceCode(const clang::ASTContext& context) : context_(context) {}
  bool VisitFunctionDecl(clang::FunctionDecl* function) override {
    if (isDeviceCode(function)) note(function->getSourceRange());
    return true;
  }
  bool VisitLambdaExpr(clang::LambdaExpr* lambda) override {
    if (isDeviceCode(lambda->getCallOperator())) note(lambda->getSourceRange());
    return true;
  }
  std::vector<Range> ranges;

 private:
  void note(clang::SourceRange range) { ranges.push_back(rangeOf(context_.getSourceManager(), context_.getLangOpts(), range)); }
  const clang::ASTContext& context_;
};

class CollectingConsumer : public clang::ASTConsumer {
 public:
  CollectingConsumer(clang::CompilerInstance& compiler, const Consumer& consumer, ErrorCollector& errors, ParseResult& result)
      : compiler_(compiler), consumer_(consumer), errors_(errors), result_(result) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    const clang::SourceManager& sources = compiler_.getSourceManager();
    for (clang::Decl* decl : group)
      if (!sources.isInSystemHeader(sources.getExpansionLoc(decl->getLocation())) && !decl->isFromASTFile()) own_.push_back(decl);
    return true;
  }
  bool shouldSkipFunctionBody(clang::Decl* decl) override { return isDeviceCode(decl); }
  void HandleTranslationUnit(clang::ASTContext& context) override {
    result_.parsed = true;
    if (context.getLangOpts().CUDA && !result_.errors.empty()) {
      DeviceCode device(context);
      for (clang::Decl* decl : own_) device.TraverseDecl(decl);
      errors_.forget(device.ranges);
    }
    consumer_(compiler_, own_);
  }

 private:
  clang::CompilerInstance& compiler_;
  const Consumer& consumer_;
  ErrorCollector& errors_;
  ParseResult& result_;
  std::vector<clang::Decl*> own_;
};

class ParseAction : public clang::ASTFrontendAction {
 public:
  ParseAction(const Consumer& consumer, ErrorCollector& errors, ParseResult& result) : consumer_(consumer), errors_(errors), result_(result) {}
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler, llvm::StringRef) override {
    return std::make_unique<CollectingConsumer>(compiler, consumer_, errors_, result_);
  }

 private:
  const Consumer& consumer_;
  ErrorCollector& errors_;
  ParseResult& result_;
};

using FileSystem = llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>;
using RecorderRef = llvm::IntrusiveRefCntPtr<Recorder>;

RecorderRef recorder(const CompileCommand& command, const std::string& precompiled) {
  FileSystem real = llvm::vfs::createPhysicalFileSystem();
  real->setCurrentWorkingDirectory(command.directory);
  return llvm::makeIntrusiveRefCnt<Recorder>(std::move(real), llvm::sys::path::parent_path(precompiled).str());
}

// What is not on the disk lies over it.
FileSystem overlaid(FileSystem real, const CompileCommand& command, const std::map<std::string, std::string>& unsaved) {
  bool cuda = isCuda(command);
  if (unsaved.empty() && !cuda) return real;
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  if (cuda) memory->addFile(cudaHeaderPath, 0, llvm::MemoryBuffer::getMemBuffer(cudaHeader, cudaHeaderPath));
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
  invocation->getDiagnosticOpts().ErrorLimit = 0;  // what comes after the errors is looked at as well
  invocation->getDiagnosticOpts().ShowCarets = false;  // no "1 warning generated" on standard error
  invocation->getLangOpts().SpellChecking = false;
  adjust(*invocation);

  clang::CompilerInstance compiler(invocation);
  compiler.setVirtualFileSystem(files);
  compiler.createDiagnostics(&collector, /*ShouldOwnClient=*/false);
  compiler.getDiagnostics().setFatalsAsError(true);  // a missing header does not end the parse
  compiler.createFileManager();
  compiler.createSourceManager();
  compiler.ExecuteAction(action);
}

void keepRecord(const Recorder& recorder, ParseResult& result) {
  result.witnesses = recorder.witnesses();
  result.repeatable = recorder.repeatable();
}

}  // namespace

ParseResult parse(const CompileCommand& command, const std::string& preamble, const std::map<std::string, std::string>& unsaved,
                  const Consumer& consumer) {
  ParseResult result;
  ErrorCollector collector(result);
  ParseAction action(consumer, collector, result);
  RecorderRef files = recorder(command, preamble);
  execute(command, overlaid(files, command, unsaved), collector, action,
          [&](clang::CompilerInvocation& invocation) {
            invocation.getPreprocessorOpts().ImplicitPCHInclude = preamble;
            invocation.getFrontendOpts().SkipFunctionBodies = invocation.getLangOpts().CUDA;  // those that the consumer names
          });
  collector.shorten();
  keepRecord(*files, result);
  return result;
}

ParseResult precompile(const CompileCommand& command, const std::string& output) {
  ParseResult result;
  ErrorCollector collector(result);
  clang::GeneratePCHAction action;
  RecorderRef files = recorder(command, output);
  execute(command, overlaid(files, command, {}), collector, action, [&](clang::CompilerInvocation& invocation) {
    clang::FrontendOptions& frontend = invocation.getFrontendOpts();
    frontend.ProgramAction = clang::frontend::GeneratePCH;
    frontend.OutputFile = output;
    frontend.SkipFunctionBodies = true;
    frontend.Inputs = {clang::FrontendInputFile(command.file, clang::InputKind(clang::Language::CXX, clang::InputKind::Source, false,
                                                                               clang::InputKind::HeaderUnit_None, true))};
    invocation.getLangOpts().PCHInstantiateTemplates = true;
  });
  keepRecord(*files, result);
  return result;
}

}  // namespace lint
