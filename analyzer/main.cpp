// The command line: what was asked for, for which files, written how, and the exit status.
#include "analyzer/cache/folder.h"
#include "analyzer/command-line.h"
#include "analyzer/lsp/server.h"
#include "analyzer/registry.h"
#include "analyzer/replay.h"
#include "analyzer/report/format.h"
#include "analyzer/report/output.h"
#include "analyzer/report/suppress.h"
#include "analyzer/run/session.h"
#include "analyzer/show-command.h"
#include "runtime/ops-page.h"

#include "clang/Basic/Version.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>

namespace lint {
namespace {

std::string unknownCheck(const std::string& name) {
  std::vector<std::string> names;
  for (const CheckEntry& entry : registry()) names.emplace_back(entry.name);
  std::string near = nearest(name, names);
  return "no check is called '" + name + "'" + (near.empty() ? "; --list-checks names them" : "; did you mean '" + near + "'?");
}

// The checks that the globs leave; a glob that names nothing is an error.
std::vector<CheckEntry> enabledChecks(const std::string& globs, std::string& error) {
  llvm::SmallVector<llvm::StringRef, 8> parts;
  llvm::StringRef(globs).split(parts, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef part : parts) {
    std::string glob = part.trim().ltrim('-').trim().str();
    bool any = false;
    for (const CheckEntry& entry : registry()) any |= matchesGlobs(glob, entry.name);
    if (any || glob.empty()) continue;
    error = unknownCheck(glob);
  }
  // A list that begins by taking away starts from all.
  std::string list = llvm::StringRef(globs).trim().starts_with("-") ? "*," + globs : globs;
  std::vector<CheckEntry> enabled;
  for (const CheckEntry& entry : registry())
    if (matchesGlobs(list, entry.name)) enabled.push_back(entry);
  if (enabled.empty() && error.empty()) error = "--checks=" + globs + " leaves no check; --list-checks names them";
  return enabled;
}

int listChecks(const std::vector<CheckEntry>& checks) {
  for (const CheckEntry& entry : checks) {
    CheckFace shown = face(*entry.check);
    llvm::outs() << llvm::formatv("{0,-20} {1,-8} {2,-14} {3}\n", entry.name, name(shown.severity), shown.category, shown.summary);
  }
  return exitClean;
}

int checksPage() {
  llvm::outs() << "# Checks\n\nPrinted by `torch-tidy --checks-page`.\n\n| check | severity | category | since | what it finds |\n|---|---|---|---|---|\n";
  for (const CheckEntry& entry : registry()) {
    CheckFace shown = face(*entry.check);
    llvm::outs() << llvm::formatv("| [{0}](checks/{0}.md) | {1} | {2} | {3} | {4} |\n", entry.name, name(shown.severity), shown.category, shown.since, shown.summary);
  }
  return exitClean;
}

int explain(const std::string& check) {
  for (const CheckEntry& entry : registry())
    if (entry.name == check || "torch-" + std::string(entry.name) == check) {
      llvm::outs() << entry.page;
      return exitClean;
    }
  return complain(unknownCheck(check));
}

std::string size(uint64_t bytes) { return llvm::formatv("{0:F1} MB", static_cast<double>(bytes) / (1 << 20)).str(); }

int showCache(const CommandLine& line) {
  CacheFolder folder(line.cacheDir);
  CacheFolder::Contents contents = folder.contents();
  llvm::outs() << "folder     " << folder.path() << "\nsize       " << size(contents.bytes()) << " of at most " << size(line.cacheSize << 20) << "\nresults    "
               << contents.results << ", " << size(contents.resultBytes) << "\npreambles  " << contents.preambles << ", " << size(contents.preambleBytes) << '\n';
  return folder.trouble().empty() ? exitClean : complain(folder.trouble());
}

int cacheCommand(const CommandLine& line) {
  if (line.cacheDir.empty()) return complain("there is no cache folder: neither HOME nor XDG_CACHE_HOME says where; name one with --cache-dir");
  std::string what = line.files.empty() ? "show" : line.files.front();
  if (line.files.size() > 1) return complain("'cache' takes one word: path, size or clear");
  if (what == "show") return showCache(line);
  if (what == "path") llvm::outs() << line.cacheDir << '\n';
  else if (what == "size") llvm::outs() << CacheFolder(line.cacheDir).contents().bytes() << '\n';
  else if (what == "clear") {
    std::string error = CacheFolder(line.cacheDir).clear();
    if (!error.empty()) return complain(error);
  } else return complain("'cache " + what + "' is none of path, size and clear");
  return exitClean;
}

int run(const std::vector<std::string>& arguments) {
  CommandLine line = parseCommandLine(arguments);
  if (!line.error.empty()) return complain(line.error);
  std::string error;
  std::vector<CheckEntry> checks = enabledChecks(line.checks, error);
  if (!error.empty()) return complain(error);
  switch (line.mode) {
    case Mode::help: llvm::outs() << helpText(); return exitClean;
    case Mode::version: llvm::outs() << "torch-tidy " << TORCH_TIDY_VERSION << "\n" << clang::getClangFullVersion() << "\n"; return exitClean;
    case Mode::listChecks: return listChecks(checks);
    case Mode::checksPage: return checksPage();
    case Mode::opsPage: llvm::outs() << rt::opsPage(); return exitClean;
    case Mode::explain: return explain(line.explained);
    case Mode::languageServer: {
      ServerOptions server{{}, line.preamble ? line.cacheDir : "", line.database};
      for (const CheckEntry& entry : checks) server.checks.push_back(entry.check);
      return runLanguageServer(server);
    }
    case Mode::cache: return cacheCommand(line);
    case Mode::showCommand: {
      std::string wrong = showCommand(line, llvm::outs());
      return wrong.empty() ? exitClean : complain(wrong);
    }
    case Mode::replay: {
      if (line.files.size() != 1) return complain("replay takes one file, which --verify-report has written");
      bool same = true;
      std::string wrong = replay(line.files[0], line.cpp, llvm::outs(), same);
      return !wrong.empty() ? complain(wrong) : same ? exitClean : exitFound;
    }
    case Mode::lint: break;
  }
  if (line.cpp) return complain("--cpp goes with replay: torch-tidy replay --cpp FILE");
  if (line.files.empty()) return complain("no files were given; --help says how to call torch-tidy");
  return lintFiles(line, std::move(checks));
}

}  // namespace
}  // namespace lint

int main(int count, char** arguments) {
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is a full disk
  int status = lint::run({arguments + 1, arguments + count});
  std::string error = lint::closeStandardOutput();
  if (!error.empty()) status = lint::complain("the output cannot be written: " + error);
  llvm::errs().clear_error();  // there is nowhere left to complain
  return status;
}
