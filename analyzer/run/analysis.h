// Many files: results of earlier runs where they still hold, worker processes for the others.
#pragma once

#include "analyzer/cache/results.h"
#include "analyzer/command-line.h"
#include "analyzer/run/progress.h"
#include "analyzer/run/workers.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lint {

/// Where a run's preambles are when the user's cache cannot be written to: gone with the run.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// What became of one file.
struct Unit {
  UnitReport report;
  enum class State : uint8_t { waiting, replayed, analysed, failed } state = State::waiting;
  uint64_t memory = 0;   // the worker's peak
  double expected = 0;   // seconds
};

class Analysis {
 public:
  using Naming = std::function<std::string(const std::string& file)>;  // as messages call it
  Analysis(const CommandLine&, std::vector<const Check*> checks, Naming naming);

  /// In the order of the commands. Where the run was interrupted some units wait still.
  std::vector<Unit> run(const std::vector<CompileCommand>&);
  /// The first error of compiling these anew, in their order; empty: they compile.
  std::string firstError(const std::vector<CompileCommand>&);
  /// Why nothing could be kept; empty: it was, or nothing was to be kept.
  std::string trouble() const { return folder_.trouble(); }
  void trimCache();
  size_t preamblesBuilt() const { return built_; }

 private:
  bool keepsResults() const { return line_.cache && folder_.usable(); }
  void replay(const std::vector<CompileCommand>&, std::vector<Unit>&);
  std::vector<size_t> waiting(const std::vector<Unit>&) const;
  void buildPreambles(const std::vector<CompileCommand>&, const std::vector<size_t>& indices, Progress&);
  void analyseAll(const std::vector<CompileCommand>&, std::vector<Unit>&, const std::vector<size_t>& order, Progress*, const Options&);
  void take(const CompileCommand&, Unit&, Outcome, bool mayRetry);

  const CommandLine& line_;
  Naming naming_;
  Limits limits_;
  CacheFolder folder_;
  std::unique_ptr<TemporaryFolder> temporary_;
  Preambles preambles_;
  Options options_;
  Results results_;
  bool stored_ = false;
  size_t built_ = 0;
};

}  // namespace lint
