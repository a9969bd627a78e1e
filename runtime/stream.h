// A device's order of work, and how long it takes.
//
// Work on a GPU is queued: kernels of one stream run in order, those of two at any time, unless one waits for an event of the
// other. A tensor belongs to the streams that its makers and users name; its memory is given back to the stream that is current
// where its last handle ends.
#pragma once

#include "runtime/tensor.h"

#include <functional>
#include <memory>

namespace rt {

struct Queues;
class Event;

class Stream {
 public:
  explicit Stream(Device = Device::cuda);
  /// Returns when everything queued so far is done.
  void synchronize() const;
  void* handle() const { return handle_.get(); }

 private:
  const Queues* queues_;
  std::unique_ptr<void, void (*)(void*)> handle_;
};

/// This thread's work on the GPU goes to the stream, in a scope.
class StreamScope {
 public:
  explicit StreamScope(const Stream&);
  ~StreamScope();
  StreamScope(const StreamScope&) = delete;

 private:
  void* before_;
};

/// A point in a stream; on the CPU, in time.
class Event {
 public:
  explicit Event(Device = Device::cuda);
  /// Marks where the current stream, or the one that is given, is now.
  void record();
  void record(const Stream&);
  /// What is queued on the stream from now on waits for the event.
  void block(const Stream&) const;
  /// Returns when what was queued before the event is done.
  void synchronize() const;
  /// Both must have been recorded and reached.
  double secondsUntil(const Event& later) const;

 private:
  const Queues* queues_;
  std::unique_ptr<void, void (*)(void*)> handle_;
};

/// Seconds that a call took, over the repeats.
struct Timing { double median = 0, fastest = 0, slowest = 0; };
/// Calls once unmeasured, then `repeats` times between two events of the device: what is queued counts, not the queueing.
Timing benchmark(Device, const std::function<void()>&, int repeats = 11);

}  // namespace rt
