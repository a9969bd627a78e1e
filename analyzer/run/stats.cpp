#include "analyzer/run/stats.h"

#include "llvm/Support/FormatVariadic.h"

#include <map>

namespace lint {

std::string statsLine(const Unit& unit) {
  if (unit.state == Unit::State::replayed) return "replayed";
  if (unit.state == Unit::State::failed) return llvm::formatv("failed, {0} MB", unit.memory >> 20);
  std::string text = "preamble " + unit.report.preamble;
  double total = 0;
  for (const auto& [phase, seconds] : unit.report.seconds) {
    text += llvm::formatv(", {0} {1:F3} s", phase, seconds);
    total += seconds;
  }
  return text + llvm::formatv(", total {0:F3} s, {1} MB", total, unit.memory >> 20).str();
}

std::string statsSummary(const std::vector<Unit>& units, size_t preamblesBuilt) {
  std::map<Unit::State, size_t> states;
  std::map<std::string, size_t> reasons;
  for (const Unit& unit : units) {
    ++states[unit.state];
    if (unit.state == Unit::State::analysed && unit.report.reading.preamble.empty()) ++reasons[unit.report.preamble];
  }
  using State = Unit::State;
  std::string text = llvm::formatv("{0} replayed, {1} analysed, {2} failed\n", states[State::replayed], states[State::analysed], states[State::failed]);
  if (preamblesBuilt) text += llvm::formatv("{0} {1} built\n", preamblesBuilt, preamblesBuilt == 1 ? "preamble" : "preambles");
  for (const auto& [reason, count] : reasons) text += llvm::formatv("{0} without a preamble: {1}\n", count, reason);
  return text;
}

}  // namespace lint
