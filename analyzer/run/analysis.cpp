#include "analyzer/run/analysis.h"

#include "analyzer/cache/report-archive.h"
#include "analyzer/run/interrupt.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>

namespace lint {
namespace {

// A preamble costs as much as a file without one; a longer one than usual saves each of its files a part of that.
constexpr size_t enough = 4;

// Until it was measured: LibTorch's declarations cost a fifth of a second, and the file by its length.
double guess(const CompileCommand& command) {
  uint64_t bytes = 0;
  llvm::sys::fs::file_size(command.file, bytes);
  return 0.2 + static_cast<double>(bytes) * 5e-6;
}

std::vector<size_t> allOf(size_t count) {
  std::vector<size_t> indices(count);
  for (size_t i = 0; i < count; ++i) indices[i] = i;
  return indices;
}

Limits limitsOf(const CommandLine& line) {
  Limits limits;
  limits.jobs = line.jobs > 0 ? line.jobs : defaultJobs();
  limits.seconds = line.timeout;
  limits.memory = line.maxMemory > 0 ? uint64_t(line.maxMemory) << 20 : memoryShare(limits.jobs);
  return limits;
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  llvm::SmallString<128> path;
  if (!llvm::sys::fs::createUniqueDirectory("torch-tidy", path)) path_ = path.str().str();
}

TemporaryFolder::~TemporaryFolder() {
  if (!path_.empty()) llvm::sys::fs::remove_directories(path_);
}

Analysis::Analysis(const CommandLine& line, std::vector<const Check*> checks, Naming naming)
    : line_(line), naming_(std::move(naming)), limits_(limitsOf(line)), folder_(line.cache || line.preamble ? line.cacheDir : std::string()),
      temporary_(line.preamble && !folder_.writable() ? std::make_unique<TemporaryFolder>() : nullptr),
      preambles_(temporary_ ? CacheFolder(temporary_->path()) : folder_),
      options_{std::move(checks), line.preamble ? &preambles_ : nullptr, /*build=*/false, line.verify, !line.proofs.empty()}, results_(folder_, preambles_, options_) {}

std::vector<Unit> Analysis::run(const std::vector<CompileCommand>& commands) {
  std::vector<Unit> units(commands.size());
  replay(commands, units);
  std::vector<size_t> order = waiting(units);
  if (order.empty()) return units;
  double expected = 0;
  for (size_t i : order) expected += units[i].expected;
  Progress progress(line_.quiet ? "never" : line_.progress, order.size(), expected, limits_.jobs);
  if (options_.preambles) buildPreambles(commands, order, progress);
  analyseAll(commands, units, order, &progress, options_);
  Options plain = options_;
  plain.preambles = nullptr;
  analyseAll(commands, units, waiting(units), nullptr, plain);
  return units;
}

void Analysis::replay(const std::vector<CompileCommand>& commands, std::vector<Unit>& units) {
  for (size_t i = 0; i < commands.size(); ++i) {
    Results::Found found;
    if (keepsResults()) found = results_.find(commands[i]);
    units[i].expected = found.seconds > 0 ? found.seconds : guess(commands[i]);
    if (!found.report) continue;
    units[i].report = std::move(*found.report);
    units[i].state = Unit::State::replayed;
  }
}

// Long ones first: none of them is left running alone at the end.
std::vector<size_t> Analysis::waiting(const std::vector<Unit>& units) const {
  std::vector<size_t> order = allOf(units.size());
  std::erase_if(order, [&](size_t i) { return units[i].state != Unit::State::waiting; });
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return units[a].expected > units[b].expected; });
  return order;
}

void Analysis::buildPreambles(const std::vector<CompileCommand>& commands, const std::vector<size_t>& indices, Progress& progress) {
  std::map<std::string, size_t> users;  // how many files can stand on one
  std::vector<PreambleNeeds> all;
  for (size_t i : indices) {
    all.push_back(preambleNeeds(commands[i]));
    for (const PreambleNeed& need : all.back().longestFirst) ++users[need.name];
  }
  std::map<std::string, std::pair<size_t, PreambleNeed>> missing;  // by name: a file that wants it
  for (size_t k = 0; k < all.size(); ++k) {
    const PreambleNeed* wanted = all[k].usual.name.empty() ? nullptr : &all[k].usual;
    for (const PreambleNeed& need : all[k].longestFirst) {
      if (users[need.name] < enough && !preambles_.isThere(need)) continue;
      wanted = &need;
      break;
    }
    if (wanted && !preambles_.isThere(*wanted)) missing.try_emplace(wanted->name, indices[k], *wanted);
  }
  if (missing.empty()) return;
  std::vector<std::pair<size_t, PreambleNeed>> jobs;
  for (auto& [name, job] : missing) jobs.push_back(std::move(job));
  Limits limits = limits_;
  if (limits.seconds > 0) limits.seconds = std::max(limits.seconds, 120.0);
  auto build = [&](size_t i) { return preambles_.build(commands[jobs[i].first], jobs[i].second).status; };
  runWorkers(allOf(jobs.size()), limits, build, [&](size_t i, Outcome outcome) {
    bool done = outcome.kind == Outcome::Kind::done;
    preambles_.settle(jobs[i].second.name, done ? outcome.bytes : outcome.reason);
    stored_ = true;
    built_ += outcome.bytes == "built";
    progress.say("headers are precompiled");
  });
  if (!interrupted()) return;
  for (const auto& [i, need] : jobs) preambles_.settle(need.name, "");
}

void Analysis::analyseAll(const std::vector<CompileCommand>& commands, std::vector<Unit>& units, const std::vector<size_t>& order, Progress* progress,
                          const Options& options) {
  auto work = [&](size_t i) { return toBytes(analyze(commands[i], options)); };
  runWorkers(order, limits_, work, [&](size_t i, Outcome outcome) {
    take(commands[i], units[i], std::move(outcome), options.preambles != nullptr);
    if (progress && units[i].state != Unit::State::waiting) progress->advance(naming_(commands[i].file), units[i].expected);
  });
}

// A crash is not blamed on the file before it crashed without a preamble.
void Analysis::take(const CompileCommand& command, Unit& unit, Outcome outcome, bool mayRetry) {
  unit.memory = outcome.memory;
  auto report = outcome.kind == Outcome::Kind::done ? fromBytes<UnitReport>(outcome.bytes) : std::nullopt;
  if (report) {
    unit.report = std::move(*report);
    unit.state = Unit::State::analysed;
    if (!keepsResults()) return;
    results_.keep(command, unit.report);
    stored_ = true;
    return;
  }
  if (outcome.kind == Outcome::Kind::crashed && mayRetry && !preambles_.find(preambleNeeds(command)).path.empty()) return;
  unit.report.failure = naming_(command.file) + ": " + (outcome.reason.empty() ? "its process gave no report" : outcome.reason);
  unit.state = Unit::State::failed;
}

std::string Analysis::firstError(const std::vector<CompileCommand>& commands) {
  Options onlyParse = options_;
  onlyParse.checks.clear();
  std::vector<std::string> errors(commands.size(), "it was not compiled again: the run was interrupted");
  auto work = [&](size_t i) {
    UnitReport report = analyze(commands[i], onlyParse);
    return report.errors.empty() ? report.failure : report.errors.front().message;
  };
  runWorkers(allOf(commands.size()), limits_, work,
             [&](size_t i, Outcome outcome) { errors[i] = outcome.kind == Outcome::Kind::done ? outcome.bytes : outcome.reason; });
  for (const std::string& error : errors)
    if (!error.empty()) return error;
  return {};
}

void Analysis::trimCache() {
  if (stored_ && folder_.usable()) folder_.trim(line_.cacheSize << 20);
}

}  // namespace lint
