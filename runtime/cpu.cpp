// The CPU's table: the rows of ops.def over the stored types on which they compute.
#include "runtime/body.h"
#include "runtime/loops.h"
#include "runtime/parallel.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace rt {
namespace {

constexpr int64_t worthAThread = 1 << 15;

// The last dimension runs inside, the others count like an odometer; long loops are shared among threads.
template <int operands, typename Body> void run(const Loop& loop, Body body) {
  int64_t n = numelOf(loop.shape);
  size_t rank = loop.shape.size();
  int64_t inner = rank ? loop.shape.back() : 1, step[4] = {};
  if (n == 0) return;
  if (rank) {
    step[0] = loop.outStrides.back();
    for (int k = 0; k < operands; ++k) step[k + 1] = loop.inStrides[k].back();
  }
  parallelFor(n / inner, std::max<int64_t>(1, worthAThread / inner), [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line) {
      int64_t offsets[4] = {};
      if (line) offsetsOf<operands>(loop, line * inner, offsets);
      for (int64_t i = 0; i < inner; ++i) {
        body(offsets);
        for (int k = 0; k <= operands; ++k) offsets[k] += step[k];
      }
    }
  });
}

// One dimension, everything dense, but for operands that are a single number (bits of `single`): the compiler's vectors.
template <Op op, typename S, unsigned single> void denseLoop(const Loop& loop) {
  constexpr int arity = formula::Row<op, S>::arity;
  parallelFor(numelOf(loop.shape), worthAThread, [&loop](int64_t begin, int64_t end) {
    const Loop local = loop;
    for (int64_t i = begin; i < end; ++i) {
      int64_t offsets[4] = {i, single & 1 ? 0 : i, arity < 2 || single & 2 ? 0 : i, arity < 3 || single & 4 ? 0 : i};
      Element<op, S>::at(local, offsets);
    }
  });
}

// Which operands of a dense loop are single numbers; nothing where the loop is not dense.
template <int operands> int denseSingles(const Loop& loop) {
  if (loop.shape.size() > 1 || (loop.shape.size() == 1 && loop.outStrides[0] != 1)) return -1;
  int single = 0;
  for (int k = 0; k < operands && loop.shape.size(); ++k) {
    if (loop.inStrides[k][0] == 0) single |= 1 << k;
    else if (loop.inStrides[k][0] != 1) return -1;
  }
  return single;
}

template <Op op, typename S> bool elementwiseLoop(const Loop& loop) {
  using Row = formula::Row<op, S>;
  if constexpr (!formula::computes<Row::rule, S>()) {
    return false;
  } else {
    constexpr bool common = std::is_same_v<S, float> || std::is_same_v<S, double> || std::is_same_v<S, int64_t>;
    int single = common ? denseSingles<Row::arity>(loop) : -1;
    if constexpr (common) {
      if (single == 0) return denseLoop<op, S, 0>(loop), true;
      if constexpr (Row::arity > 1)
        if (single == 2) return denseLoop<op, S, 2>(loop), true;
      if constexpr (op == Op::where)
        if (single == 4) return denseLoop<op, S, 4>(loop), true;
    }
    run<Row::arity>(loop, [&](const int64_t* offsets) { Element<op, S>::at(loop, offsets); });
    return true;
  }
}

using LoopFunction = bool (*)(const Loop&);

#define BY_DTYPE(op) {elementwiseLoop<Op::op, bool>, elementwiseLoop<Op::op, uint8_t>, elementwiseLoop<Op::op, int8_t>, elementwiseLoop<Op::op, int16_t>, \
                      elementwiseLoop<Op::op, int32_t>, elementwiseLoop<Op::op, int64_t>, elementwiseLoop<Op::op, Half>, elementwiseLoop<Op::op, BFloat16>, \
                      elementwiseLoop<Op::op, float>, elementwiseLoop<Op::op, double>},
constexpr LoopFunction loops[][10] = {
#define UNARY(name, ...) BY_DTYPE(name)
#define BINARY(name, ...) BY_DTYPE(name)
#define TERNARY(name, ...) BY_DTYPE(name)
#include "runtime/ops.def"
};

bool elementwiseOnCpu(Op op, DType dtype, const Loop& loop) { return loops[static_cast<size_t>(op)][static_cast<size_t>(dtype)](loop); }

void convertOnCpu(DType to, DType from, const Loop& loop) {
  withType(to, [&]<typename To>() {
    withType(from, [&]<typename From>() {
      run<1>(loop, [&](const int64_t* offsets) {
        static_cast<To*>(loop.out)[offsets[0]] = convertTo<To>(static_cast<const From*>(loop.in[0])[offsets[1]]);
      });
    });
  });
}

void* allocateOnCpu(size_t bytes) {
  void* memory = std::malloc(bytes);
  if (!memory) throw Error("out of memory: " + std::to_string(bytes) + " bytes were asked for");
  return memory;
}
void copyOnCpu(void* to, const void* from, size_t bytes) { std::memcpy(to, from, bytes); }

}  // namespace

const Backend& cpuBackend() {
  static constexpr Backend table = {allocateOnCpu, std::free, copyOnCpu, copyOnCpu, elementwiseOnCpu, convertOnCpu};
  return table;
}

}  // namespace rt
