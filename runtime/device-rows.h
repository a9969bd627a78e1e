// The elementwise rows and the conversions as functors over an index, and their dispatch, for a device's file: it defines
// launchElements(f, n), which calls a functor for every index.
#pragma once

#include "runtime/body.h"
#include "runtime/loops.h"

namespace rt {

template <Op op, typename S> struct RowElement {
  Loop loop;
  RT_HD void operator()(int64_t i) const {
    int64_t offsets[4];
    offsetsOf<formula::Row<op, S>::arity>(loop, i, offsets);
    Element<op, S>::at(loop, offsets);
  }
};

template <typename To, typename From> struct Conversion {
  Loop loop;
  RT_HD void operator()(int64_t i) const {
    int64_t offsets[4];
    offsetsOf<1>(loop, i, offsets);
    static_cast<To*>(loop.out)[offsets[0]] = convertTo<To>(static_cast<const From*>(loop.in[0])[offsets[1]]);
  }
};

template <Op op> bool rowOnDevice(DType dtype, const Loop& loop) {
  return withType(dtype, [&]<typename S>() {
    if constexpr (formula::computes<formula::Row<op, S>::rule, S>()) return launchElements(RowElement<op, S>{loop}, numelOf(loop.shape)), true;
    return false;
  });
}

inline bool elementwiseOnDevice(Op op, DType dtype, const Loop& loop) {
  static constexpr bool (*rows[])(DType, const Loop&) = {
#define UNARY(name, ...) rowOnDevice<Op::name>,
#define BINARY(name, ...) rowOnDevice<Op::name>,
#define TERNARY(name, ...) rowOnDevice<Op::name>,
#include "runtime/ops.def"
  };
  return rows[static_cast<size_t>(op)](dtype, loop);
}

inline void convertOnDevice(DType to, DType from, const Loop& loop) {
  withType(to, [&]<typename To>() {
    withType(from, [&]<typename From>() { launchElements(Conversion<To, From>{loop}, numelOf(loop.shape)); });
  });
}

}  // namespace rt
