#include "analyzer/cache/results.h"

#include "analyzer/cache/report-archive.h"
#include "analyzer/registry.h"
#include "analyzer/source/cuda.h"
#include "analyzer/source/flags.h"

namespace lint {

Results::Results(CacheFolder& folder, Preambles& preambles, const Options& options) : folder_(folder), preambles_(preambles) {
  shared_ = hex(programIdentity()) + frontendEnvironment() + cudaHeader + (options.verify ? "verify\n" : "\n") + (options.keepProofs ? "proofs\n" : "");
  for (const Check* check : options.checks) shared_ += std::string(lint::nameOf(*check)) + '\n';
}

std::string Results::nameOf(const CompileCommand& command) const {
  std::string key = shared_ + command.directory + '\n';
  for (const std::string& flag : frontendFlags(command)) key += flag + '\n';
  return "result-" + hex(digestOf(key));
}

bool Results::holds(Reading& reading, Looker::Remarks& remarks) {
  if (!reading.preamble.empty() && !preambles_.stillSays(reading.preamble, reading.preambleDigest)) return false;
  return preambles_.looker().allHold(reading.witnesses, remarks);
}

Results::Found Results::find(const CompileCommand& command) {
  Found found;
  std::string name = nameOf(command);
  auto bytes = folder_.read(name);
  auto report = bytes ? fromBytes<UnitReport>(*bytes) : std::nullopt;
  if (!report) return found;
  for (const auto& [phase, seconds] : report->seconds) found.seconds += phase == "preamble" ? 0 : seconds;
  Looker::Remarks remarks;
  if (!holds(report->reading, remarks)) return found;
  if (remarks.renewed) folder_.write(name, toBytes(*report));
  else folder_.touch(name);
  found.report = std::move(report);
  return found;
}

void Results::keep(const CompileCommand& command, const UnitReport& report) {
  if (report.reading.repeatable && report.failure.empty()) folder_.write(nameOf(command), toBytes(report));
}

}  // namespace lint
