#include "runtime/stream.h"

#include "runtime/backend.h"
#include "runtime/body.h"

#include <algorithm>
#include <utility>

namespace rt {
namespace {

thread_local void* current = nullptr;

}  // namespace

void* currentStream() { return current; }

Stream::Stream(Device device) : queues_(&backendOf(device).queues), handle_(queues_->makeStream(), queues_->endStream) {}
void Stream::synchronize() const { queues_->finishStream(handle_.get()); }

StreamScope::StreamScope(const Stream& stream) : before_(std::exchange(current, stream.handle())) {}
StreamScope::~StreamScope() { current = before_; }

Event::Event(Device device) : queues_(&backendOf(device).queues), handle_(queues_->makeEvent(), queues_->endEvent) {}
void Event::record() { queues_->record(handle_.get(), current); }
void Event::record(const Stream& stream) { queues_->record(handle_.get(), stream.handle()); }
void Event::block(const Stream& stream) const { queues_->block(handle_.get(), stream.handle()); }
void Event::synchronize() const { queues_->finishEvent(handle_.get()); }
double Event::secondsUntil(const Event& later) const { return queues_->seconds(handle_.get(), later.handle_.get()); }

Timing benchmark(Device device, const std::function<void()>& f, int repeats) {
  Event before(device), after(device);
  std::vector<double> seconds;
  for (int i = -1; i < repeats; ++i) {
    before.record();
    f();
    after.record();
    after.synchronize();
    if (i >= 0) seconds.push_back(before.secondsUntil(after));
  }
  if (seconds.empty()) return {};
  std::sort(seconds.begin(), seconds.end());
  return {seconds[seconds.size() / 2], seconds.front(), seconds.back()};
}

}  // namespace rt
