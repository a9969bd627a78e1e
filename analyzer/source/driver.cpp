#include "analyzer/source/driver.h"

#include "clang/Basic/TargetInfo.h"
#include "clang/Driver/CreateInvocationFromArgs.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <mutex>

namespace lint {
namespace {

/// An error of the driver: its text and the words it speaks of.
struct Refusal {
  std::string text;
  std::vector<std::string> words;
};

class RefusalCollector : public clang::DiagnosticConsumer {
 public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) override {
    clang::DiagnosticConsumer::HandleDiagnostic(level, info);
    if (level < clang::DiagnosticsEngine::Error) return;
    llvm::SmallString<128> text;
    info.FormatDiagnostic(text);
    Refusal refusal{text.str().str(), {}};
    for (unsigned i = 0; i < info.getNumArgs(); ++i) {
      if (info.getArgKind(i) == clang::DiagnosticsEngine::ak_std_string) refusal.words.push_back(info.getArgStdStr(i));
      else if (info.getArgKind(i) == clang::DiagnosticsEngine::ak_c_string) refusal.words.emplace_back(info.getArgCStr(i));
    }
    refusals.push_back(std::move(refusal));
  }

  std::vector<Refusal> refusals;
};

std::vector<Refusal> ask(const CompileCommand& command) {
  std::vector<const char*> args;
  for (const std::string& flag : command.command) args.push_back(flag.c_str());
  args.insert(args.end(), {"-w", "-fsyntax-only", command.file.c_str()});
  RefusalCollector collector;
  auto files = llvm::vfs::createPhysicalFileSystem();
  files->setCurrentWorkingDirectory(command.directory);
  clang::DiagnosticOptions diagnosticOptions;
  clang::CreateInvocationOptions options;
  options.Diags = clang::CompilerInstance::createDiagnostics(*files, diagnosticOptions, &collector, /*ShouldOwnClient=*/false);
  options.VFS = std::move(files);
  options.RecoverOnError = true;
  auto invocation = clang::createInvocation(args, options);
  if (invocation && collector.refusals.empty())  // a processor that this Clang does not know shows only here
    llvm::IntrusiveRefCntPtr<clang::TargetInfo>(clang::TargetInfo::CreateTargetInfo(*options.Diags, invocation->getTargetOpts()));
  return collector.refusals;
}

bool decidesTheReading(llvm::StringRef flag) {
  for (llvm::StringRef start : {"-std=", "-x", "-I", "-isystem", "-include", "-D", "-U", "--target=", "--sysroot"})
    if (flag.starts_with(start)) return true;
  return false;
}

bool speaksOf(const Refusal& refusal, llvm::StringRef flag) {
  return llvm::any_of(refusal.words, [&](llvm::StringRef word) { return word.size() > 1 && (flag == word || flag.ends_with(("=" + word).str())); });
}

}  // namespace

void dropRefused(CompileCommand& command, const std::vector<std::string>& kept, std::vector<Change>& changes) {
  // A project has one set of flags for many files: what was found for the first holds for all.
  static std::mutex mutex;
  static std::map<std::vector<std::string>, std::map<std::string, std::string>> known;  // flags -> refused one -> why
  std::lock_guard lock(mutex);
  std::vector<std::string> key = command.command;
  key.push_back(llvm::sys::path::extension(command.file).str());
  auto [it, isNew] = known.try_emplace(std::move(key));
  std::map<std::string, std::string>& refused = it->second;
  auto drop = [&] { std::erase_if(command.command, [&](const std::string& flag) { return refused.count(flag); }); };
  drop();
  for (bool more = isNew; more; drop()) {
    more = false;
    for (const Refusal& refusal : ask(command))
      for (const std::string& flag : llvm::drop_begin(command.command))
        if (speaksOf(refusal, flag) && !decidesTheReading(flag) && !llvm::is_contained(kept, flag))
          more |= refused.emplace(flag, refusal.text).second;
  }
  for (const auto& [flag, why] : refused) changes.push_back({flag, "", "Clang refuses it: " + why});
}

}  // namespace lint
