#include "runtime/parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

namespace rt {
namespace {

int coresOfProcess() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
#endif
  return std::max(1, int(std::thread::hardware_concurrency()));
}

std::atomic<int> wanted{0};
thread_local bool inside = false;

// Workers wait for a job; a job's parts are handed out by a counter. One job at a time: others run on their own thread.
class Pool {
 public:
  ~Pool() {
    { std::lock_guard lock(mutex_); stopping_ = true; }
    wake_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }

  bool run(int64_t n, int64_t part, parallel::Body body, const void* context, int threads) {
    std::unique_lock busy(job_, std::try_to_lock);
    if (!busy) return false;
    while (int(workers_.size()) < threads - 1) workers_.emplace_back([this] { work(); });
    {
      std::lock_guard lock(mutex_);
      body_ = body, context_ = context, n_ = n, part_ = part;
      next_ = 0;
      running_ = int(workers_.size());
      ++generation_;
    }
    wake_.notify_all();
    takeParts();
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return running_ == 0; });
    return true;
  }

 private:
  void takeParts() {
    inside = true;
    for (int64_t begin; (begin = next_.fetch_add(part_)) < n_;) body_(context_, begin, std::min(n_, begin + part_));
    inside = false;
  }
  void work() {
    uint64_t seen = 0;
    for (;;) {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stopping_ || generation_ != seen; });
      if (stopping_) return;
      seen = generation_;
      lock.unlock();
      takeParts();
      lock.lock();
      if (--running_ == 0) done_.notify_one();
    }
  }

  std::mutex job_, mutex_;
  std::condition_variable wake_, done_;
  std::vector<std::thread> workers_;
  parallel::Body body_ = nullptr;
  const void* context_ = nullptr;
  int64_t n_ = 0, part_ = 1;
  std::atomic<int64_t> next_{0};
  int running_ = 0;
  uint64_t generation_ = 0;
  bool stopping_ = false;
};

}  // namespace

int threadCount() {
  if (wanted == 0) wanted = coresOfProcess();
  return wanted;
}
void setThreadCount(int threads) { wanted = std::max(1, threads); }

namespace parallel {

void run(int64_t n, int64_t grain, Body body, const void* context) {
  static Pool pool;
  int threads = int(std::min<int64_t>(threadCount(), n / std::max<int64_t>(grain, 1)));
  // A few parts a thread, so that a thread that was held up does not hold up the others.
  int64_t part = std::max(grain, (n + threads * 4 - 1) / std::max(threads * 4, 1));
  if (threads < 2 || inside || !pool.run(n, part, body, context, threads)) body(context, 0, n);
}

}  // namespace parallel
}  // namespace rt
