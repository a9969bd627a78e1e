#include "analyzer/run/session.h"

#include "analyzer/check.h"
#include "analyzer/report/format.h"
#include "analyzer/report/output.h"
#include "analyzer/report/sound.h"
#include "analyzer/rewrite/edits.h"
#include "analyzer/rewrite/proof-file.h"
#include "analyzer/run/analysis.h"
#include "analyzer/run/interrupt.h"
#include "analyzer/run/stats.h"
#include "analyzer/source/input.h"
#include "analyzer/source/remarks.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

namespace lint {

int complain(const std::string& message) {
  llvm::errs() << "error: " << message << '\n';
  return exitBroken;
}

namespace {

class Session {
 public:
  Session(const CommandLine& line, std::vector<CheckEntry> checks)
      : line_(line), database_(line.database), analysis_(line, pointers(checks), [this](const std::string& file) { return displayPath(run_, file); }) {
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
    std::vector<Unit> units = analysis_.run(commands_);
    if (interrupted()) return stop(units);
    for (size_t i = 0; i < units.size(); ++i) merge(commands_[i], units[i].report);
    if (line_.stats) writeStats(units);
    std::stable_sort(run_.findings.begin(), run_.findings.end(), standsBefore);
    if (!write() || !writeProofs()) return exitBroken;
    for (const std::string& failure : run_.failures) llvm::errs() << "error: " << failure << '\n';
    bool failed = !run_.failures.empty() || !run_.errors.empty();
    if (line_.fix) failed |= !applyAll();
    if (interrupted()) return exitInterrupted;
    analysis_.trimCache();
    if (std::string trouble = analysis_.trouble(); !trouble.empty()) llvm::errs() << "warning: " << trouble << '\n';
    if (failed) return exitBroken;
    return reachesLimit() ? exitFound : exitClean;
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

  int stop(const std::vector<Unit>& units) {
    auto done = llvm::count_if(units, [](const Unit& unit) { return unit.state != Unit::State::waiting; });
    llvm::errs() << "interrupted: " << done << " of " << units.size() << " files were done; no report is written\n";
    return exitInterrupted;
  }

  void merge(const CompileCommand& command, UnitReport& report) {
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
    if (!report.errors.empty() || !report.failure.empty()) broken_.insert(command.file);
    for (Diagnostic& error : report.errors) {
      broken_.insert(error.at.file);
      run_.errors.push_back(std::move(error));
    }
  }

  void writeStats(const std::vector<Unit>& units) const {
    for (size_t i = 0; i < units.size(); ++i) llvm::errs() << displayPath(run_, commands_[i].file) << ": " << statsLine(units[i]) << '\n';
    llvm::errs() << statsSummary(units, analysis_.preamblesBuilt());
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
    std::vector<CompileCommand> own;
    llvm::copy_if(commands_, std::back_inserter(own), [&](const CompileCommand& command) { return command.file == file; });
    return analysis_.firstError(own.empty() ? commands_ : own);
  }

  bool reachesLimit() const {
    if (line_.failOn == FailOn::none) return false;
    Severity limit = line_.failOn == FailOn::error ? Severity::error : Severity::warning;
    return llvm::any_of(run_.findings, [&](const Diagnostic& finding) { return finding.severity >= limit; });
  }

  static std::vector<const Check*> pointers(const std::vector<CheckEntry>& checks) {
    std::vector<const Check*> list;
    for (const CheckEntry& entry : checks) list.push_back(entry.check);
    return list;
  }

  const CommandLine& line_;
  Database database_;
  Run run_;
  Analysis analysis_;
  std::vector<CompileCommand> commands_;
  Remarks remarks_;
  std::vector<std::string> proofs_;
  std::set<std::string> seen_, broken_;
  std::map<std::tuple<std::string, std::string, unsigned>, size_t> merged_;  // check, file, offset -> finding
};

}  // namespace

int lintFiles(const CommandLine& line, std::vector<CheckEntry> checks) {
  catchInterrupts();
  return Session(line, std::move(checks)).lint();
}

}  // namespace lint
