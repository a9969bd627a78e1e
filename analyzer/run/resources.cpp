#include "analyzer/run/workers.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <sched.h>
#include <thread>

namespace lint {
namespace {

constexpr uint64_t budget = uint64_t(1) << 30;  // of a worker: a file on a preamble takes a quarter, one without most of it

std::string contentsOf(const char* path) {
  auto buffer = llvm::MemoryBuffer::getFileAsStream(path);  // what the kernel shows has no size
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

// The number after a word; 0: there is none.
uint64_t numberAfter(llvm::StringRef text, llvm::StringRef word) {
  size_t at = text.find(word);
  uint64_t number = 0;
  if (at == llvm::StringRef::npos || text.drop_front(at + word.size()).ltrim().consumeInteger(10, number)) return 0;
  return number;
}

int cores() {
  int count = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  cpu_set_t set;
  if (!sched_getaffinity(0, sizeof set, &set)) count = CPU_COUNT(&set);
  auto [quota, period] = llvm::StringRef(contentsOf("/sys/fs/cgroup/cpu.max")).trim().split(' ');
  uint64_t used = 0, whole = 0;
  if (!quota.getAsInteger(10, used) && !period.getAsInteger(10, whole) && whole) count = std::min(count, static_cast<int>((used + whole - 1) / whole));
  return std::max(count, 1);
}

// What this process and its children may still take; 0: not known.
uint64_t freeMemory() {
  uint64_t bytes = numberAfter(contentsOf("/proc/meminfo"), "MemAvailable:") << 10;
  uint64_t most = numberAfter(contentsOf("/sys/fs/cgroup/memory.max"), ""), used = numberAfter(contentsOf("/sys/fs/cgroup/memory.current"), "");
  uint64_t files = numberAfter(contentsOf("/sys/fs/cgroup/memory.stat"), "\nfile ");  // given back when it is wanted
  if (most) bytes = std::min(bytes, most - std::min(most, used - std::min(used, files)));
  return bytes;
}

}  // namespace

int defaultJobs() {
  uint64_t memory = freeMemory();
  return memory ? static_cast<int>(std::clamp<uint64_t>(memory / budget, 1, static_cast<uint64_t>(cores()))) : cores();
}

uint64_t memoryShare(int jobs) { return std::max(2 * budget, freeMemory() / static_cast<uint64_t>(std::max(jobs, 1))); }

}  // namespace lint
