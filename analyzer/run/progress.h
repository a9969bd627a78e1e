// How far a run is, on standard error: one line that is drawn over on a terminal, a line now and then elsewhere.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace lint {

class Progress {
 public:
  /// `when`: auto, always (a line for each file) or never. `expected` is how long all will take together on `jobs` workers.
  Progress(std::string_view when, size_t files, double expected, int jobs);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Something was done that was expected to take so long.
  void advance(const std::string& shown, double expected);
  /// What is done that is no file.
  void say(const std::string& what);
  /// Takes the line off the terminal.
  void clear();

 private:
  enum class Style : uint8_t { none, redrawn, lines, everyLine };
  static Style styleOf(std::string_view when);
  void show(const std::string& line);
  std::string timeLeft() const;

  using Clock = std::chrono::steady_clock;
  Style style_;
  size_t files_, done_ = 0;
  double left_, gone_ = 0;  // expected seconds
  int jobs_;
  Clock::time_point start_ = Clock::now(), shown_ = start_;
  bool drawn_ = false;
};

}  // namespace lint
