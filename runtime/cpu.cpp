// The CPU's table: the rows of ops.def over the stored types on which they compute.
#include "runtime/body.h"
#include "runtime/loops.h"
#include "runtime/parallel.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace rt {
namespace {

constexpr int64_t worthAThread = 1 << 15;

// Part of the innermost dimension: `n` elements from these offsets on, `step` elements apart; of the output, then the inputs.
using Line = void (*)(const Loop&, const int64_t* offsets, const int64_t* step, int64_t n);

// Long loops are shared among threads; the outer dimensions count like an odometer.
template <int operands> void runLines(const Loop& loop, Line line) {
  const int64_t n = numelOf(loop.shape), inner = loop.shape.size() ? loop.shape.back() : 1;
  int64_t step[4] = {};
  if (n == 0) return;
  if (loop.shape.size()) {
    step[0] = loop.outStrides.back();
    for (int k = 0; k < operands; ++k) step[k + 1] = loop.inStrides[k].back();
  }
  if (inner == n)
    return parallelFor(n, worthAThread, [&](int64_t begin, int64_t end) {
      const int64_t offsets[4] = {begin * step[0], begin * step[1], begin * step[2], begin * step[3]};
      line(loop, offsets, step, end - begin);
    });
  parallelFor(n / inner, std::max<int64_t>(1, worthAThread / inner), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t offsets[4] = {};
      offsetsOf<operands>(loop, i * inner, offsets);
      line(loop, offsets, step, inner);
    }
  });
}

// Steps known to the compiler become its vectors.
template <Op op, typename S, int a, int b, int c> void denseLine(const Loop& given, const int64_t* at, int64_t n) {
  const Loop loop = given;
  const int64_t start[4] = {at[0], at[1], at[2], at[3]};
  for (int64_t i = 0; i < n; ++i) {
    const int64_t offsets[4] = {start[0] + i, start[1] + i * a, start[2] + i * b, start[3] + i * c};
    Element<op, S>::at(loop, offsets);
  }
}

template <Op op, typename S> void elementwiseLine(const Loop& loop, const int64_t* offsets, const int64_t* step, int64_t n) {
  constexpr int arity = formula::Row<op, S>::arity;
  if constexpr (std::is_same_v<S, float> || std::is_same_v<S, double>) {
    auto is = [&](int64_t a, int64_t b, int64_t c) { return step[0] == 1 && step[1] == a && (arity < 2 || step[2] == b) && (arity < 3 || step[3] == c); };
    if (is(1, 1, 1)) return denseLine<op, S, 1, 1, 1>(loop, offsets, n);
    if constexpr (arity > 1)
      if (is(1, 0, 1)) return denseLine<op, S, 1, 0, 1>(loop, offsets, n);
    if constexpr (arity == 2)
      if (is(0, 1, 1)) return denseLine<op, S, 0, 1, 1>(loop, offsets, n);
    if constexpr (op == Op::where)
      if (is(1, 1, 0)) return denseLine<op, S, 1, 1, 0>(loop, offsets, n);
  }
  int64_t at[4] = {offsets[0], offsets[1], offsets[2], offsets[3]};
  for (int64_t i = 0; i < n; ++i) {
    Element<op, S>::at(loop, at);
    for (int k = 0; k <= arity; ++k) at[k] += step[k];
  }
}

template <Op op, typename S> constexpr Line lineOf() {
  if constexpr (formula::computes<formula::Row<op, S>::rule, S>()) return elementwiseLine<op, S>;
  else return nullptr;
}

#define BY_DTYPE(op) {lineOf<Op::op, bool>(), lineOf<Op::op, uint8_t>(), lineOf<Op::op, int8_t>(), lineOf<Op::op, int16_t>(), lineOf<Op::op, int32_t>(), \
                      lineOf<Op::op, int64_t>(), lineOf<Op::op, Half>(), lineOf<Op::op, BFloat16>(), lineOf<Op::op, float>(), lineOf<Op::op, double>()},
constexpr Line lines[][10] = {
#define UNARY(name, ...) BY_DTYPE(name)
#define BINARY(name, ...) BY_DTYPE(name)
#define TERNARY(name, ...) BY_DTYPE(name)
#include "runtime/ops.def"
};

bool elementwiseOnCpu(Op op, DType dtype, const Loop& loop) {
  Line line = lines[static_cast<size_t>(op)][static_cast<size_t>(dtype)];
  if (!line) return false;
  switch (info(op).tensors) {
    case 1: runLines<1>(loop, line); break;
    case 2: runLines<2>(loop, line); break;
    default: runLines<3>(loop, line);
  }
  return true;
}

template <typename To, typename From> void convertLine(const Loop& loop, const int64_t* offsets, const int64_t* step, int64_t n) {
  To* out = static_cast<To*>(loop.out) + offsets[0];
  const From* in = static_cast<const From*>(loop.in[0]) + offsets[1];
  if (step[0] == 1 && step[1] == 1) {
    for (int64_t i = 0; i < n; ++i) out[i] = convertTo<To>(in[i]);
    return;
  }
  for (int64_t i = 0; i < n; ++i) out[i * step[0]] = convertTo<To>(in[i * step[1]]);
}

void convertOnCpu(DType to, DType from, const Loop& loop) {
  withType(to, [&]<typename To>() {
    withType(from, [&]<typename From>() { runLines<1>(loop, convertLine<To, From>); });
  });
}

void* allocateOnCpu(size_t bytes) {
  void* memory = std::malloc(bytes);
  if (!memory) throw Error("out of memory: " + std::to_string(bytes) + " bytes were asked for");
  return memory;
}
void copyOnCpu(void* to, const void* from, size_t bytes) { std::memcpy(to, from, bytes); }

using Clock = std::chrono::steady_clock;
Clock::time_point& timeOf(void* event) { return *static_cast<Clock::time_point*>(event); }
void nothing(void*) {}
void nothing(void*, void*) {}

constexpr Queues queues = {
    .makeStream = []() -> void* { return nullptr; },
    .endStream = nothing,
    .finishStream = nothing,
    .makeEvent = []() -> void* { return new Clock::time_point; },
    .endEvent = [](void* event) { delete &timeOf(event); },
    .finishEvent = nothing,
    .record = [](void* event, void*) { timeOf(event) = Clock::now(); },
    .block = nothing,
    .seconds = [](void* from, void* to) { return std::chrono::duration<double>(timeOf(to) - timeOf(from)).count(); },
};

}  // namespace

const Backend& cpuBackend() {
  static constexpr Backend table = {allocateOnCpu, std::free, copyOnCpu, copyOnCpu, elementwiseOnCpu, convertOnCpu, gemmOnCpu, queues};
  return table;
}

}  // namespace rt
