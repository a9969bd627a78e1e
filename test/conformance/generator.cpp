// The conformance generator: random cases and programs, here and in LibTorch, in one process.
//
//   conformance-generator --cases=N --programs=N --seed=S --row=NAME --case=N --from=N --threads=N --show=N --device=cuda --torch=1.13
//
// --torch=1.13 runs the generator that is built against that release (the target conformance-generator-1.13).
// --case repeats one case by its number, --from starts there; --show is how many findings of a kind are printed. Exit 1 on a difference. Without flags: what ./test.sh runs.
#include "test/conformance/generate.h"
#include "test/conformance/known.h"

#include <ATen/Parallel.h>
#include <c10/util/Exception.h>
#include <c10/util/Logging.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <thread>
#include <unistd.h>

namespace samples {
namespace {

struct Options {
  int64_t cases = 20000, programs = 1000, only = -1, from = 0;
  uint64_t seed = 1;
  int threads = 2, shown = 3;
  std::string row;
};
Options options;

thread_local int64_t current = -1;  // the case that a crash is blamed on, and its row
thread_local const char* currentRow = "";

struct Silence : c10::WarningHandler {
#if TORCH_VERSION_MAJOR >= 2
  void process(const c10::Warning&) override {}
#else
  void process(const c10::SourceLocation&, const std::string&, bool) override {}
#endif
};

void blame(int signal) {
  char text[120];
  int n = std::snprintf(text, sizeof text, "signal %d in case %lld of seed %llu %s\n", signal, static_cast<long long>(current), static_cast<unsigned long long>(options.seed), currentRow);
  if (write(2, text, size_t(n)) < 0) _exit(3);
  _exit(2);
}

struct Count { int64_t run = 0, differ = 0; };

// Counts per row, and the first few findings of each.
class Tally {
 public:
  void add(const std::string& name, int64_t number, const Finding& finding) {
    std::lock_guard lock(mutex_);
    Count& count = counts_[name];
    ++count.run;
    for (const auto& [reason, elements] : finding.open) open_[reason] += elements;
    if (!finding.difference) return;
    if (const char* reason = knownIn(finding.program, finding.difference)) {
      ++known_[reason];
      return;
    }
    ++count.differ;
    if (shown_[name + ": " + finding.difference.way]++ < options.shown) ADD_FAILURE() << name << ", number " << number << " of seed " << options.seed << "\n" << snippetOf(shrunk(finding));
  }
  void print() const {
    int64_t run = 0, differ = 0;
    for (const auto& [name, count] : counts_) {
      std::printf("%-24s %8lld cases %6lld differ\n", name.c_str(), static_cast<long long>(count.run), static_cast<long long>(count.differ));
      run += count.run, differ += count.differ;
    }
    for (const auto& [reason, count] : open_) std::printf("left open by LibTorch, %lld elements: %s\n", static_cast<long long>(count), reason.c_str());
    for (const auto& [reason, count] : known_) std::printf("known to differ, %lld cases: %s\n", static_cast<long long>(count), reason.c_str());
    std::printf("%lld cases against LibTorch, %lld differ\n", static_cast<long long>(run), static_cast<long long>(differ));
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Count> counts_;
  std::map<std::string, int64_t> open_, known_, shown_;
};

// Case number i is the same whatever the number of threads.
template <typename Body> void eachNumber(int64_t count, Body body) {
  std::atomic<int64_t> next = options.only >= 0 ? options.only : options.from;
  const int64_t end = options.only >= 0 ? options.only + 1 : count;
  Silence silence;
  auto work = [&] {
    const WarningGuard quiet(&silence);
    const rt::SemanticsScope semantics(release);
    for (current = next++; current < end; current = next++) {
      try {
        body(current);
      } catch (const std::exception& error) {
        ADD_FAILURE() << currentRow << ", number " << current << ": the generator itself fails: " << error.what();
      }
    }
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < options.threads; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
}

uint64_t seedOf(int64_t number) { return Draw(options.seed * 0x9e3779b97f4a7c15 + uint64_t(number)).next(); }

TEST(Generator, HasEveryRow) {
  for (const std::string& name : missingRows()) ADD_FAILURE() << name << " has no description in test/conformance/rows/, and aten has no elementwise operator of the name";
}

TEST(Generator, Cases) {
  std::vector<const Row*> chosen;
  for (const Row& row : rows())
    if (options.row.empty() || options.row == rt::info(row.op).name) chosen.push_back(&row);
  ASSERT_FALSE(chosen.empty()) << "no row is named " << options.row;
  Tally tally;
  eachNumber(options.cases, [&](int64_t number) {
    const Row& row = *chosen[size_t(number) % chosen.size()];
    currentRow = rt::info(row.op).name;
    tally.add(currentRow, number, runCase(seedOf(number), row));
  });
  tally.print();
}

TEST(Generator, Programs) {
  Tally tally;
  eachNumber(options.programs, [&](int64_t number) {
    currentRow = "programs";
    tally.add(currentRow, number, runProgram(seedOf(~number)));
  });
  tally.print();
}

bool take(const char* argument, const char* name, std::string& value) {
  const size_t n = std::strlen(name);
  if (std::strncmp(argument, name, n) != 0) return false;
  value = argument + n;
  return true;
}

bool isRelease(const std::string& wanted) { return wanted == std::to_string(release.major) + "." + std::to_string(release.minor); }

// Becomes the generator of another release, which lies beside this one.
bool runOther(const std::string& wanted, int count, char** arguments) {
  const std::string program = std::filesystem::path(arguments[0]).parent_path() / ("conformance-generator-" + wanted);
  std::vector<char*> all(arguments, arguments + count);
  all.push_back(nullptr);
  execv(program.c_str(), all.data());
  return std::fprintf(stderr, "error: no generator for LibTorch %s at %s; build the target conformance-generator-%s (there is one where libtorch-dev 1.13 is installed)\n", wanted.c_str(), program.c_str(), wanted.c_str()), false;
}

bool parse(int count, char** arguments) {
  std::string value;
  for (int i = 1; i < count; ++i) {
    if (take(arguments[i], "--cases=", value)) options.cases = std::stoll(value);
    else if (take(arguments[i], "--programs=", value)) options.programs = std::stoll(value);
    else if (take(arguments[i], "--seed=", value)) options.seed = std::stoull(value);
    else if (take(arguments[i], "--case=", value)) options.only = std::stoll(value);
    else if (take(arguments[i], "--from=", value)) options.from = std::stoll(value);
    else if (take(arguments[i], "--threads=", value)) options.threads = std::stoi(value);
    else if (take(arguments[i], "--show=", value)) options.shown = std::stoi(value);
    else if (take(arguments[i], "--row=", value)) options.row = value;
    else if (take(arguments[i], "--torch=", value)) { if (!isRelease(value)) return runOther(value, count, arguments); }
    else if (take(arguments[i], "--device=", value) && (value == "cpu" || value == "cuda")) device = value == "cpu" ? rt::Device::cpu : rt::Device::cuda;
    else return std::fprintf(stderr, "unknown argument: %s\n", arguments[i]), false;
  }
  return true;
}

}  // namespace
}  // namespace samples

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  if (!samples::parse(count, arguments)) return 2;
  c10::SetStackTraceFetcher([] { return std::string(); });  // a backtrace takes longer than a case
  at::set_num_threads(1);
  setenv("DNNL_MAX_CPU_ISA", "AVX512_CORE_BF16", 0);  // oneDNN's kernels for the units beyond leave terms out, and crash
  for (int signal : {SIGSEGV, SIGABRT, SIGFPE}) std::signal(signal, samples::blame);
  return RUN_ALL_TESTS();
}
