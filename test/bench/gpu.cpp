// What a GPU does: elementwise rows against the device's own copy, a matrix product, and a rewrite checked on every float.
//
//   bench-gpu --elements=N --matrix=N --chunk=N --repeats=N
//
// Figures are medians, with the fastest and the slowest repeat. Where there is no GPU, it says so. Exit 1: the rewrite differs.
#include "runtime/backend.h"
#include "runtime/body.h"
#include "runtime/ops.h"
#include "runtime/parallel.h"
#include "runtime/program.h"
#include "runtime/stream.h"
#include "test/runtime/program-builder.h"

#ifdef RT_WITH_CUDA
#include "runtime/cuda-check.h"
#endif

#include <cstdio>
#include <cstring>

namespace rt {
namespace {

struct Options { int64_t elements = int64_t(1) << 28, matrix = 10000, chunk = int64_t(1) << 28, repeats = 11; };

bool parse(int count, char** arguments, Options& options) {
  const struct { const char* name; int64_t& value; } flags[] = {
      {"--elements=", options.elements}, {"--matrix=", options.matrix}, {"--chunk=", options.chunk}, {"--repeats=", options.repeats}};
  for (int i = 1; i < count; ++i) {
    bool known = false;
    for (const auto& [name, value] : flags)
      if (std::strncmp(arguments[i], name, std::strlen(name)) == 0) value = std::atoll(arguments[i] + std::strlen(name)), known = value > 0;
    if (!known) return std::fprintf(stderr, "unknown argument: %s\n", arguments[i]), false;
  }
  return true;
}

// Without a host copy: from small whole numbers that repeat along the last dimension.
Tensor made(int64_t elements, int start) {
  std::vector<Scalar> values;
  for (int i = 0; i < 64; ++i) values.emplace_back(double((i * 7 + start) % 13));
  const Tensor few = fromValues(values, {1, 64}, DType::float32, Device::cuda);
  return ops::reshape(ops::contiguous(ops::expand(few, {elements / 64, 64})), {elements / 64 * 64});
}

void show(const char* what, const Timing& timing, double amount, const char* unit) {
  std::printf("%-24s %9.3f ms (%.3f to %.3f)  %9.1f %s", what, timing.median * 1e3, timing.fastest * 1e3, timing.slowest * 1e3, amount / timing.median, unit);
}

void copyOnDevice([[maybe_unused]] const Tensor& to, [[maybe_unused]] const Tensor& from) {
#ifdef RT_WITH_CUDA
  checkCuda(cudaMemcpyAsync(dataOf(to), dataOf(from), to->storage->bytes, cudaMemcpyDeviceToDevice, static_cast<cudaStream_t>(currentStream())), "cudaMemcpyAsync");
#endif
}

void showElementwise(const Options& options) {
  const Tensor a = made(options.elements, 0), b = made(options.elements, 1), condition = ops::eq(a, b), to = emptyTensor(a->sizes, a.dtype(), Device::cuda);
  const double n = double(a.numel());
  const struct { const char* name; double bytes; std::function<void()> run; } lines[] = {
      {"copy of float32", 8 * n, [&] { copyOnDevice(to, a); }},
      {"eq of float32", 9 * n, [&] { ops::eq(a, b); }},
      {"where of float32", 13 * n, [&] { ops::where(condition, a, b); }},
  };
  double copied = 0;
  for (const auto& line : lines) {
    const Timing timing = benchmark(Device::cuda, line.run, int(options.repeats));
    const double bandwidth = line.bytes / timing.median;
    if (copied == 0) copied = bandwidth;
    show(line.name, timing, line.bytes / 1e9, "GB/s");
    std::printf("  %.2f of the copy\n", bandwidth / copied);
  }
}

void showProduct(const Options& options) {
  const int64_t n = options.matrix;
  const Tensor a = ops::reshape(ops::narrow(made(n * n + 64, 0), {0, 0, n * n}), {n, n});
  const Timing timing = benchmark(Device::cuda, [&] { ops::mm(a, a); }, int(options.repeats));
  show("mm of float32", timing, 2e-12 * double(n) * double(n) * double(n), "TFLOP/s\n");
}

// --- every float

// Three operations a number: x > 0 ? x : x * 0.1.
Program branches() {
  ProgramBuilder b;
  const Slot x = b.input("x"), scaled = b.op("mul", {x, b.number(0.1)});
  return b.returning({b.op("where", {b.op("gt", {x, b.number(0)}), x, scaled})});
}
Program rewritten() {
  ProgramBuilder b;
  const Slot x = b.input("x"), scaled = b.op("mul", {x, b.number(0.1)});
  return b.returning({b.op("maximum", {x, scaled})});
}

Tensor floatsFrom(uint64_t first, int64_t count) {
  const Tensor values = emptyTensor({count}, DType::float32);
  parallelFor(count, 1 << 16, [&, out = values->data<uint32_t>()](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i] = uint32_t(first + uint64_t(i));
  });
  return values.to(Device::cuda);
}

// Any NaN is any other; 0 is not -0.
bool sameBits(const Tensor& a, const Tensor& b) {
  const Tensor equal = ops::logical_and(ops::eq(a, b), ops::eq(ops::signbit(a), ops::signbit(b)));
  return ops::all(ops::logical_or(equal, ops::logical_and(ops::isnan(a), ops::isnan(b)))).item().b;
}

bool everyFloat(const Options& options) {
  const Program before = branches(), after = rewritten();
  const int64_t all = int64_t(1) << 32;
  int64_t differing = 0;
  double seconds = 0;
  for (int64_t first = 0; first < all; first += options.chunk) {
    const Binding input[] = {{floatsFrom(uint64_t(first), std::min(options.chunk, all - first)), {}}};
    Event begin, end;
    begin.record();
    const Outcome x = run(before, input), y = run(after, input);
    if (!sameBits(x.outputs[0], y.outputs[0]))
      ++differing, std::printf("they differ somewhere in the %lld floats from bits 0x%08llx on\n", static_cast<long long>(options.chunk), static_cast<unsigned long long>(first));
    end.record();
    end.synchronize();
    seconds += begin.secondsUntil(end);
  }
  std::printf("%-24s %9.3f ms for 2^32 inputs, %s\n", "where against maximum", seconds * 1e3, differing ? "they differ" : "bit for bit the same");
  return differing == 0;
}

}  // namespace
}  // namespace rt

int main(int count, char** arguments) {
  rt::Options options;
  if (!rt::parse(count, arguments, options)) return 2;
  if (!rt::cudaAvailable()) return std::puts("no device"), 0;
  try {
    rt::showElementwise(options);
    rt::showProduct(options);
    return rt::everyFloat(options) ? 0 : 1;
  } catch (const rt::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
