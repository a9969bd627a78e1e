// Work in processes of its own: what crashes, hangs or wants too much memory takes nobody along.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lint {

struct Limits {
  int jobs = 1;
  double seconds = 0;    // of one piece of work; 0: no limit
  uint64_t memory = 0;   // bytes of one process; 0: no limit
};

struct Outcome {
  enum class Kind : uint8_t { done, crashed, tooLong, tooBig };
  Kind kind = Kind::done;
  std::string bytes;     // what the work returned
  std::string reason;    // why there is nothing: "it took longer than 120 s"
  double seconds = 0;
  uint64_t memory = 0;   // the process's peak, in bytes
};

/// Does each piece of work in a process that begins as a copy of this one, `limits.jobs` at a time, in the given order; `done`
/// is called here, as they end. Where no process can be made the work fails. Returns early when the run is interrupted: what
/// was in hand is ended, and `done` is not called for it.
void runWorkers(const std::vector<size_t>& order, const Limits& limits, llvm::function_ref<std::string(size_t)> work,
                llvm::function_ref<void(size_t, Outcome)> done);

/// As many as this process may use cores, fewer where memory is short.
int defaultJobs();
/// What each of so many may take before it costs the others their share.
uint64_t memoryShare(int jobs);

}  // namespace lint
