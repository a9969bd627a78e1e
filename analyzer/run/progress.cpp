#include "analyzer/run/progress.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

namespace lint {
namespace {

constexpr auto pause = std::chrono::seconds(5);  // between lines where nobody looks on

}  // namespace

Progress::Style Progress::styleOf(std::string_view when) {
  if (when == "never") return Style::none;
  if (when == "always") return Style::everyLine;
  return llvm::sys::Process::StandardErrIsDisplayed() ? Style::redrawn : Style::lines;
}

Progress::Progress(std::string_view when, size_t files, double expected, int jobs)
    : style_(styleOf(when)), files_(files), left_(expected), jobs_(std::max(jobs, 1)) {}

// What is left, at the pace so far.
std::string Progress::timeLeft() const {
  double passed = std::chrono::duration<double>(Clock::now() - start_).count();
  double seconds = gone_ > 0 ? left_ * passed / gone_ : left_ / jobs_;
  return std::to_string(static_cast<long>(std::ceil(std::max(seconds, 0.0)))) + " s";
}

void Progress::advance(const std::string& shown, double expected) {
  ++done_;
  left_ -= expected;
  gone_ += expected;
  std::string total = std::to_string(files_), number = std::to_string(done_);
  std::string blanks(total.size() - std::min(total.size(), number.size()), ' ');
  show("[" + blanks + number + "/" + total + "] " + shown + (done_ < files_ ? "  eta " + timeLeft() : ""));
}

void Progress::say(const std::string& what) {
  if (style_ != Style::lines) show(what);
  start_ = Clock::now();  // its time tells nothing of the files'
}

void Progress::show(const std::string& line) {
  auto now = Clock::now();
  if (style_ == Style::none || (style_ == Style::lines && (now < shown_ + pause || done_ == files_))) return;
  shown_ = now;
  if (style_ != Style::redrawn) {
    llvm::errs() << line << '\n';
    return;
  }
  size_t columns = std::max(llvm::sys::Process::StandardErrColumns(), 20u);
  llvm::errs() << "\r\x1b[K" << llvm::StringRef(line).take_front(columns - 1);
  drawn_ = true;
}

void Progress::clear() {
  if (drawn_) llvm::errs() << "\r\x1b[K";
  drawn_ = false;
}

}  // namespace lint
