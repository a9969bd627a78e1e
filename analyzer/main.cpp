// The command line: what was asked for, for which files, written how, and the exit status.
#include "analyzer/check.h"
#include "analyzer/command-line.h"
#include "analyzer/engine.h"
#include "analyzer/lsp/server.h"
#include "analyzer/registry.h"
#include "analyzer/report/format.h"
#include "analyzer/report/output.h"
#include "analyzer/report/sound.h"
#include "analyzer/report/suppress.h"
#include "analyzer/replay.h"
#include "analyzer/rewrite/edits.h"
#include "analyzer/rewrite/proof-file.h"
#include "analyzer/show-command.h"
#include "analyzer/source/input.h"
#include "analyzer/source/remarks.h"
#include "runtime/ops-page.h"

#include "clang/Basic/Version.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <set>

namespace lint {
namespace {

constexpr int clean = 0, found = 1, broken = 2;

int complain(const std::string& message) {
  llvm::errs() << "error: " << message << '\n';
  return broken;
}

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

class Session {
 public:
  Session(const CommandLine& line, std::vector<CheckEntry> checks) : line_(line), database_(line.database) {
    for (const CheckEntry& entry : checks) options_.checks.push_back(entry.check);
    options_.cacheDir = line.cacheDir;
    options_.verify = line.verify;
    options_.keepProofs = !line.proofs.empty();
    run_.version = TORCH_TIDY_VERSION;
    llvm::SmallString<256> current;
    llvm::sys::fs::current_path(current);
    run_.root = current.str().str();
    run_.checks = std::move(checks);
    run_.quiet = line.quiet;
  }

  int lint() {
    for (const std::string& file : line_.files) add(file);
    if (!line_.quiet) remarks_.write(llvm::errs());
    for (const CompileCommand& command : commands_) analyzeOne(command);
    std::stable_sort(run_.findings.begin(), run_.findings.end(), standsBefore);
    if (!write() || !writeProofs()) return broken;
    for (const std::string& failure : run_.failures) llvm::errs() << "error: " << failure << '\n';
    bool failed = !run_.failures.empty() || !run_.errors.empty();
    if (line_.fix) failed |= !applyAll();
    if (failed) return broken;
    return reachesLimit() ? found : clean;
  }

 private:
  void add(const std::string& given) {
    std::string file = absolutePath(given);
    if (!llvm::sys::fs::is_directory(file)) return addFile(given, file);
    Database::Files below = database_.filesBelow(file);
    if (!below.error.empty()) return fail(given + ": " + below.error);
    for (const std::string& one : below.files) addFile(displayPath(run_, one), one);
  }

  void addFile(const std::string& shown, const std::string& file) {
    std::string real;
    if (std::string why = whyUnreadable(file, real); !why.empty()) return fail(shown + ": " + why);
    if (!seen_.insert(real).second) return;
    Database::Answer answer = database_.commandFor(file);
    if (!answer.error.empty()) return fail(shown + ": " + answer.error);
    for (const Database::Remark& remark : answer.remarks) remarks_.keep(shown, remark);
    commands_.push_back(std::move(answer.command));
  }

  void fail(std::string message) { run_.failures.push_back(std::move(message)); }

  void analyzeOne(const CompileCommand& command) {
    UnitReport report = analyze(command, options_);
    run_.files.push_back(command.file);
    if (!report.failure.empty()) fail(report.failure);
    run_.suppressed += report.suppressed;
    proofs_.insert(proofs_.end(), report.proofs.begin(), report.proofs.end());
    keepSoundFindings(report);
    for (Diagnostic& finding : report.findings) {
      auto [place, added] = merged_.try_emplace({finding.check, finding.at.file, finding.at.begin}, run_.findings.size());
      if (added) run_.findings.push_back(std::move(finding));
      else if (promisesLess(finding, run_.findings[place->second])) run_.findings[place->second] = std::move(finding);
    }
    bool sound = report.errors.empty();
    for (Diagnostic& error : report.errors) {
      broken_.insert(error.at.file);
      run_.errors.push_back(std::move(error));
    }
    if (!sound) broken_.insert(command.file);
    if (!line_.stats) return;
    llvm::errs() << displayPath(run_, command.file) << ": preamble " << report.preamble;
    double total = 0;
    for (const auto& [phase, seconds] : report.seconds) {
      llvm::errs() << llvm::format(", %s %.3f s", phase.c_str(), seconds);
      total += seconds;
    }
    llvm::errs() << llvm::format(", total %.3f s\n", total);
  }

  bool write() {
    auto format = llvm::find_if(formats, [&](const Format& f) { return f.name == line_.format; });
    if (line_.output.empty()) {
      bool text = format->name == "text";
      run_.colour = text && (line_.colour == "always" || (line_.colour == "auto" && llvm::outs().has_colors() && !llvm::sys::Process::GetEnv("NO_COLOR")));
      format->write(run_, llvm::outs());
      std::string error = closeStandardOutput();
      if (!error.empty()) complain("the report cannot be written: " + error);
      return error.empty();
    }
    std::string error = writeFile(line_.output, [&](llvm::raw_ostream& os) { format->write(run_, os); });
    if (!error.empty()) complain(line_.output + ": cannot be written: " + error);
    return error.empty();
  }

  bool writeProofs() {
    if (line_.proofs.empty()) return true;
    std::string error = writeFile(line_.proofs, [&](llvm::raw_ostream& os) { os << proofFile(proofs_, TORCH_TIDY_VERSION); });
    if (!error.empty()) complain(line_.proofs + ": cannot be written: " + error);
    return error.empty();
  }

  // A file that did not compile is left alone: what was found there rests on a broken tree.
  bool applyAll() {
    std::vector<const Fix*> fixes;
    for (const Diagnostic& finding : run_.findings)
      if (finding.fix && (finding.fixable() || line_.unsafeFixes) && !broken_.count(finding.at.file)) fixes.push_back(&*finding.fix);
    Applied applied = applyFixes(fixes, [&](const std::string& file) { return compileAgain(file); });
    for (const std::string& message : applied.messages) llvm::errs() << message << '\n';
    if (!line_.quiet) llvm::errs() << "applied " << applied.fixes << (applied.fixes == 1 ? " fix\n" : " fixes\n");
    return !applied.failed;
  }

  // A header is compiled with each file that was analysed.
  std::string compileAgain(const std::string& file) {
    Options onlyParse = options_;
    onlyParse.checks.clear();
    bool isUnit = llvm::any_of(commands_, [&](const CompileCommand& command) { return command.file == file; });
    for (const CompileCommand& command : commands_) {
      if (isUnit && command.file != file) continue;
      UnitReport report = analyze(command, onlyParse);
      if (!report.errors.empty()) return report.errors.front().message;
    }
    return {};
  }

  bool reachesLimit() const {
    if (line_.failOn == FailOn::none) return false;
    Severity limit = line_.failOn == FailOn::error ? Severity::error : Severity::warning;
    return llvm::any_of(run_.findings, [&](const Diagnostic& finding) { return finding.severity >= limit; });
  }

  const CommandLine& line_;
  Database database_;
  Options options_;
  Run run_;
  std::vector<CompileCommand> commands_;
  std::vector<std::string> proofs_;
  Remarks remarks_;
  std::set<std::string> seen_, broken_;
  std::map<std::tuple<std::string, std::string, unsigned>, size_t> merged_;  // check, file, offset -> finding
};

int listChecks(const std::vector<CheckEntry>& checks) {
  for (const CheckEntry& entry : checks) {
    CheckFace shown = face(*entry.check);
    llvm::outs() << llvm::formatv("{0,-20} {1,-8} {2,-14} {3}\n", entry.name, name(shown.severity), shown.category, shown.summary);
  }
  return clean;
}

int checksPage() {
  llvm::outs() << "# Checks\n\nPrinted by `torch-tidy --checks-page`.\n\n| check | severity | category | since | what it finds |\n|---|---|---|---|---|\n";
  for (const CheckEntry& entry : registry()) {
    CheckFace shown = face(*entry.check);
    llvm::outs() << llvm::formatv("| [{0}](checks/{0}.md) | {1} | {2} | {3} | {4} |\n", entry.name, name(shown.severity), shown.category, shown.since, shown.summary);
  }
  return clean;
}

int explain(const std::string& check) {
  for (const CheckEntry& entry : registry())
    if (entry.name == check || "torch-" + std::string(entry.name) == check) {
      llvm::outs() << entry.page;
      return clean;
    }
  return complain(unknownCheck(check));
}

int run(const std::vector<std::string>& arguments) {
  CommandLine line = parseCommandLine(arguments);
  if (!line.error.empty()) return complain(line.error);
  std::string error;
  std::vector<CheckEntry> checks = enabledChecks(line.checks, error);
  if (!error.empty()) return complain(error);
  switch (line.mode) {
    case Mode::help: llvm::outs() << helpText(); return clean;
    case Mode::version: llvm::outs() << "torch-tidy " << TORCH_TIDY_VERSION << "\n" << clang::getClangFullVersion() << "\n"; return clean;
    case Mode::listChecks: return listChecks(checks);
    case Mode::checksPage: return checksPage();
    case Mode::opsPage: llvm::outs() << rt::opsPage(); return clean;
    case Mode::explain: return explain(line.explained);
    case Mode::languageServer: {
      ServerOptions server{{}, line.cacheDir, line.database};
      for (const CheckEntry& entry : checks) server.checks.push_back(entry.check);
      return runLanguageServer(server);
    }
    case Mode::showCommand: {
      std::string wrong = showCommand(line, llvm::outs());
      return wrong.empty() ? clean : complain(wrong);
    }
    case Mode::replay: {
      if (line.files.size() != 1) return complain("replay takes one file, which --verify-report has written");
      bool same = true;
      std::string wrong = replay(line.files[0], line.cpp, llvm::outs(), same);
      return !wrong.empty() ? complain(wrong) : same ? clean : found;
    }
    case Mode::lint: break;
  }
  if (line.cpp) return complain("--cpp goes with replay: torch-tidy replay --cpp FILE");
  if (line.files.empty()) return complain("no files were given; --help says how to call torch-tidy");
  return Session(line, std::move(checks)).lint();
}

}  // namespace
}  // namespace lint

int main(int count, char** arguments) {
  std::signal(SIGPIPE, SIG_DFL);
  int status = lint::run({arguments + 1, arguments + count});
  std::string error = lint::closeStandardOutput();
  if (!error.empty()) status = lint::complain("the output cannot be written: " + error);
  llvm::errs().clear_error();  // there is nowhere left to complain
  return status;
}
