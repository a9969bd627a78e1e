// The CPU's table: the rows of ops.def over the stored types on which they compute.
#include "runtime/body.h"
#include "runtime/loops.h"

#include <cstdlib>
#include <cstring>
#include <iterator>

namespace rt {
namespace {

template <typename S> using Step = void (*)(void*, const void* const*, const int64_t*);

// The last dimension runs inside, the others count like an odometer.
template <int operands, typename Body> void run(const Loop& loop, Body body) {
  int64_t n = numelOf(loop.shape);
  if (n == 0) return;
  size_t rank = loop.shape.size();
  int64_t inner = rank ? loop.shape.back() : 1, step[4] = {};
  if (rank) {
    step[0] = loop.outStrides.back();
    for (int k = 0; k < operands; ++k) step[k + 1] = loop.inStrides[k].back();
  }
  for (int64_t start = 0; start < n; start += inner) {
    int64_t offsets[4] = {};
    if (rank > 1 && start) offsetsOf<operands>(loop, start, offsets);
    for (int64_t i = 0; i < inner; ++i) {
      body(offsets);
      for (int k = 0; k <= operands; ++k) offsets[k] += step[k];
    }
  }
}

template <Op op, typename S> bool elementwiseLoop(const Loop& loop) {
  if constexpr (formula::computes<formula::Row<op, S>::rule, S>()) {
    run<formula::Row<op, S>::arity>(loop, [&](const int64_t* offsets) { Element<op, S>::at(loop.out, loop.in, offsets); });
    return true;
  } else {
    return false;
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
