#include "analyzer/lsp/analysis-thread.h"

#include <algorithm>

namespace lint {

AnalysisThread::AnalysisThread(std::function<void(const std::string&)> analyse) : analyse_(std::move(analyse)), thread_([this] { run(); }) {}

AnalysisThread::~AnalysisThread() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void AnalysisThread::request(const std::string& uri, std::chrono::milliseconds pause) {
  {
    std::lock_guard lock(mutex_);
    due_[uri] = std::chrono::steady_clock::now() + pause;
  }
  changed_.notify_all();
}

void AnalysisThread::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (due_.empty()) {
      changed_.wait(lock);
      continue;
    }
    auto next = std::min_element(due_.begin(), due_.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    if (next->second > std::chrono::steady_clock::now()) {
      changed_.wait_until(lock, next->second);
      continue;
    }
    std::string uri = next->first;
    due_.erase(next);
    lock.unlock();
    analyse_(uri);
    lock.lock();
  }
}

}  // namespace lint
