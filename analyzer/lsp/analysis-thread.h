// Analyses documents one after another beside the thread that talks to the client. A document that changes again within
// the pause starts over; the newest version wins.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace lint {

class AnalysisThread {
 public:
  explicit AnalysisThread(std::function<void(const std::string& uri)> analyse);
  ~AnalysisThread();  // waits for the document at hand
  void request(const std::string& uri, std::chrono::milliseconds pause);

 private:
  void run();

  std::function<void(const std::string&)> analyse_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::chrono::steady_clock::time_point> due_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace lint
