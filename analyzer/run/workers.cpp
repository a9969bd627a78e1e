#include "analyzer/run/workers.h"

#include "analyzer/cache/folder.h"
#include "analyzer/run/interrupt.h"

#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lint {
namespace {

using Clock = std::chrono::steady_clock;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool limitsMemory = false;  // the sanitizer's shadow is larger than any limit
#elif defined(__has_feature)
constexpr bool limitsMemory = !__has_feature(address_sanitizer);
#else
constexpr bool limitsMemory = true;
#endif

constexpr int outOfMemory = 112, fatalError = 113;  // exit codes of a worker

struct Worker {
  size_t index = 0;
  pid_t process = -1;
  int output = -1, complaints = -1;  // a pipe, and a file in memory
  Clock::time_point start;
  std::string bytes;
};

[[noreturn]] void endForMemory() { _exit(outOfMemory); }
[[noreturn]] void onBadAlloc(void*, const char*, bool) { _exit(outOfMemory); }
[[noreturn]] void onFatalError(void*, const char* reason, bool) {
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, reason, std::strlen(reason));
  _exit(fatalError);
}

void limit(decltype(RLIMIT_DATA) resource, rlim_t value) {
  rlimit now{};
  if (getrlimit(resource, &now)) return;
  now.rlim_cur = std::min(value, now.rlim_max);
  setrlimit(resource, &now);
}

// Only the parent is asked to stop; a worker that loses its parent ends.
void settle(const Worker& worker, const Limits& limits, pid_t parent) {
  for (int signal : {SIGINT, SIGHUP}) std::signal(signal, SIG_IGN);
  std::signal(SIGTERM, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);
  int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  dup2(worker.complaints >= 0 ? worker.complaints : nothing, STDERR_FILENO);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_STACK, rlim_t(64) << 20);  // deeply nested code
  if (limits.memory && limitsMemory) limit(RLIMIT_DATA, limits.memory);
  std::set_new_handler(endForMemory);
  llvm::install_bad_alloc_error_handler(onBadAlloc);
  llvm::install_fatal_error_handler(onFatalError);
}

std::string firstLine(int file) {
  char text[400];
  ssize_t length = file < 0 ? 0 : pread(file, text, sizeof text, 0);
  std::string line(text, text + std::max<ssize_t>(length, 0));
  return line.substr(0, line.find('\n'));
}

class Pool {
 public:
  Pool(const Limits& limits, llvm::function_ref<std::string(size_t)> work, llvm::function_ref<void(size_t, Outcome)> done)
      : limits_(limits), work_(work), done_(done) {}

  void run(const std::vector<size_t>& order) {
    auto next = order.begin();
    while ((next != order.end() || !running_.empty()) && !interrupted()) {
      while (next != order.end() && running_.size() < static_cast<size_t>(std::max(limits_.jobs, 1))) start(*next++);
      wait();
    }
    if (!running_.empty()) stopAll();
  }

 private:
  void start(size_t index) {
    Worker worker;
    worker.index = index;
    worker.start = Clock::now();
    int ends[2];
    if (pipe2(ends, O_CLOEXEC)) return done_(index, failure(Outcome::Kind::crashed, std::string("no process could be started: ") + std::strerror(errno)));
    worker.output = ends[0];
    worker.complaints = memfd_create("complaints", MFD_CLOEXEC);
    pid_t parent = getpid();
    worker.process = fork();
    if (worker.process == 0) {
      settle(worker, limits_, parent);
      _exit(writeAll(ends[1], work_(index)) ? 0 : fatalError);
    }
    int error = errno;
    close(ends[1]);
    if (worker.process > 0) {
      running_.push_back(std::move(worker));
      return;
    }
    closeFiles(worker);
    done_(index, failure(Outcome::Kind::crashed, std::string("no process could be started: ") + std::strerror(error)));
  }

  static Outcome failure(Outcome::Kind kind, std::string reason) {
    Outcome outcome;
    outcome.kind = kind;
    outcome.reason = std::move(reason);
    return outcome;
  }

  static void closeFiles(const Worker& worker) {
    close(worker.output);
    if (worker.complaints >= 0) close(worker.complaints);
  }

  // Until something was written, a time is over, or the run is interrupted.
  void wait() {
    std::vector<pollfd> files;
    for (const Worker& worker : running_) files.push_back({worker.output, POLLIN, 0});
    files.push_back({interruptPipe(), POLLIN, 0});
    if (poll(files.data(), files.size(), untilDeadline()) < 0 && errno != EINTR) return stopAll();
    for (size_t i = running_.size(); i-- > 0;) {
      if (files[i].revents && !receive(running_[i])) finish(i);
      else if (limits_.seconds > 0 && secondsOf(running_[i]) >= limits_.seconds) giveUp(i);
    }
  }

  double secondsOf(const Worker& worker) const { return std::chrono::duration<double>(Clock::now() - worker.start).count(); }

  int untilDeadline() const {
    double least = 3600;
    for (const Worker& worker : running_)
      if (limits_.seconds > 0) least = std::min(least, limits_.seconds - secondsOf(worker));
    return std::max(0, static_cast<int>(least * 1000) + 1);
  }

  // False: there is no more.
  static bool receive(Worker& worker) {
    char text[1 << 16];
    ssize_t length = read(worker.output, text, sizeof text);
    if (length > 0) worker.bytes.append(text, static_cast<size_t>(length));
    return length > 0 || (length < 0 && errno == EINTR);
  }

  void finish(size_t i) {
    Worker worker = std::move(running_[i]);
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
    int status = 0;
    rusage usage{};
    while (wait4(worker.process, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    Outcome outcome = judge(worker, status);
    outcome.seconds = secondsOf(worker);
    outcome.memory = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
    closeFiles(worker);
    done_(worker.index, std::move(outcome));
  }

  Outcome judge(Worker& worker, int status) const {
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      Outcome outcome;
      outcome.bytes = std::move(worker.bytes);
      return outcome;
    }
    std::string said = firstLine(worker.complaints);
    if (!said.empty()) said = ": " + said;
    if (WIFEXITED(status) && WEXITSTATUS(status) == outOfMemory)
      return failure(Outcome::Kind::tooBig, "it needs more than " + std::to_string(limits_.memory >> 20) + " MB of memory; --max-memory allows more");
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
      return failure(Outcome::Kind::tooBig, "the system ended it, most likely for want of memory; -j1 needs less");
    if (WIFSIGNALED(status)) return failure(Outcome::Kind::crashed, "the analysis crashed (" + std::string(strsignal(WTERMSIG(status))) + ")" + said);
    return failure(Outcome::Kind::crashed, "the analysis ended early" + said);
  }

  void giveUp(size_t i) {
    Worker worker = std::move(running_[i]);
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
    end({&worker});
    char limit[32];
    std::snprintf(limit, sizeof limit, "%g s", limits_.seconds);
    Outcome outcome = failure(Outcome::Kind::tooLong, std::string("it took longer than ") + limit + "; --timeout allows more");
    outcome.seconds = secondsOf(worker);
    done_(worker.index, std::move(outcome));
  }

  void stopAll() {
    std::vector<Worker*> all;
    for (Worker& worker : running_) all.push_back(&worker);
    end(all);
    running_.clear();
  }

  // Asked first: what they write aside is taken away then.
  static void end(const std::vector<Worker*>& workers) {
    for (Worker* worker : workers) kill(worker->process, SIGTERM);
    auto patience = Clock::now() + std::chrono::milliseconds(300);
    for (Worker* worker : workers) {
      while (waitpid(worker->process, nullptr, WNOHANG) == 0) {
        if (Clock::now() > patience) kill(worker->process, SIGKILL);
        usleep(2000);
      }
      closeFiles(*worker);
    }
  }

  const Limits& limits_;
  llvm::function_ref<std::string(size_t)> work_;
  llvm::function_ref<void(size_t, Outcome)> done_;
  std::vector<Worker> running_;
};

}  // namespace

void runWorkers(const std::vector<size_t>& order, const Limits& limits, llvm::function_ref<std::string(size_t)> work,
                llvm::function_ref<void(size_t, Outcome)> done) {
  Pool(limits, work, done).run(order);
}

}  // namespace lint
