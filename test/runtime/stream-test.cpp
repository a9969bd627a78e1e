// Streams, events and timings: on the CPU here and now, on a GPU where there is one.
#include "runtime/stream.h"

#include "runtime/backend.h"
#include "runtime/cuda-error.h"
#include "runtime/ops.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <type_traits>

namespace rt {
namespace {

template <typename T> constexpr bool isMovedOnly = std::is_nothrow_move_constructible_v<T> && !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T>;
static_assert(isMovedOnly<Stream> && isMovedOnly<Event>);
static_assert(!std::is_copy_constructible_v<StreamScope> && !std::is_move_constructible_v<StreamScope>);

using std::chrono::milliseconds;

TEST(Benchmark, CallsOnceMoreThanItMeasures) {
  int calls = 0;
  benchmark(Device::cpu, [&] { ++calls; }, 5);
  EXPECT_EQ(calls, 6);
}

TEST(Benchmark, GivesMedianAndSpread) {
  int calls = 0;
  const Timing timing = benchmark(Device::cpu, [&] { std::this_thread::sleep_for(milliseconds(++calls == 3 ? 60 : calls == 2 ? 1 : 20)); }, 5);
  EXPECT_GE(timing.fastest, 0.001);
  EXPECT_LT(timing.fastest, timing.median);
  EXPECT_GE(timing.median, 0.02);
  EXPECT_LT(timing.median, timing.slowest);
  EXPECT_GE(timing.slowest, 0.06);
}

TEST(Event, OnTheCpuIsAPointInTime) {
  Event before(Device::cpu), after(Device::cpu);
  before.record();
  std::this_thread::sleep_for(milliseconds(2));
  after.record();
  after.synchronize();
  EXPECT_GE(before.secondsUntil(after), 0.002);
  const Event moved = std::move(after);
  EXPECT_LE(moved.secondsUntil(before), -0.002);
}

TEST(Stream, OnTheCpuHasNothingToWaitFor) {
  const Stream stream(Device::cpu);
  const Event event(Device::cpu);
  event.block(stream);
  stream.synchronize();
  EXPECT_EQ(stream.handle(), nullptr);
}

class GpuStream : public testing::Test {
 protected:
  void SetUp() override {
    if (!cudaAvailable()) GTEST_SKIP() << "no CUDA device";
  }
};

TEST_F(GpuStream, IsCurrentInItsScope) {
  const Stream outer, inner;
  {
    const StreamScope scope(outer);
    EXPECT_EQ(currentStream(), outer.handle());
    {
      const StreamScope nested(inner);
      EXPECT_EQ(currentStream(), inner.handle());
    }
    EXPECT_EQ(currentStream(), outer.handle());
  }
  EXPECT_EQ(currentStream(), nullptr);
}

TEST_F(GpuStream, OrdersItsWorkAndWaitsForEvents) {
  const Stream first, second;
  Event done;
  Tensor product = Tensor(3.0).to(Device::cuda);
  {
    const StreamScope scope(first);
    for (int i = 0; i < 50; ++i) product = product * Tensor(i % 2 ? 0.5 : 2.0);
    done.record();
  }
  const StreamScope scope(second);
  done.block(second);
  EXPECT_EQ((product * product).item().toDouble(), 9);
}

TEST_F(GpuStream, EventsTellHowLongItTook) {
  const Tensor tensor = ops::expand(Tensor(1.0).to(Device::cuda), {1 << 20});
  const Timing timing = benchmark(Device::cuda, [&] { tensor * tensor; }, 5);
  EXPECT_GT(timing.fastest, 0);
  EXPECT_LE(timing.fastest, timing.median);
  EXPECT_LE(timing.median, timing.slowest);
}

TEST(GpuStreamWithoutAGpu, IsAnErrorThatSaysSo) {
  if (cudaAvailable()) GTEST_SKIP() << "there is a CUDA device";
  const auto textOf = [](auto make) -> std::string {
    try { make(); } catch (const Error& error) { return error.what(); }
    return "nothing was thrown";
  };
  const std::string stream = textOf([] { Stream made; }), event = textOf([] { Event made; });
  EXPECT_EQ(stream.find(cudaBackend() ? "cudaStreamCreateWithFlags: cudaError" : "this build has no CUDA"), 0u) << stream;
  EXPECT_EQ(event.find(cudaBackend() ? "cudaEventCreate: cudaError" : "this build has no CUDA"), 0u) << event;
}

}  // namespace
}  // namespace rt
