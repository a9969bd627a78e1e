// The body of every elementwise loop, for host and device: element number i of a Loop.
#pragma once

#include "runtime/backend.h"
#include "runtime/formula.h"

namespace rt {

/// A value of one stored type as another. Casts of NaN and of values out of range are undefined in C++: they give what
/// x86 does for LibTorch (the lowest value for 32 and 64 bits, then truncation).
template <typename To, typename From> RT_HD To convertTo(From value) {
  if constexpr (std::is_same_v<To, bool>) {
    return formula::Math<From>(value) != 0;
  } else if constexpr (std::is_integral_v<To> && !std::is_integral_v<From>) {
    auto v = formula::Math<From>(value);
    if constexpr (sizeof(To) == 8) return v >= -9223372036854775808.0 && v < 9223372036854775808.0 ? To(v) : To(INT64_MIN);
    else if constexpr (std::is_same_v<To, uint8_t>) return To(v >= -9223372036854775808.0 && v < 9223372036854775808.0 ? int64_t(v) : INT64_MIN);  // by way of int64
    else return v >= -2147483648.0 && v < 2147483648.0 ? To(int32_t(v)) : To(INT32_MIN);
  } else if constexpr (std::is_integral_v<To>) {
    return To(value);
  } else if constexpr (sizeof(To) == 2) {
    return To(float(formula::Math<From>(value)));
  } else {
    return To(formula::Math<From>(value));
  }
}

template <Op op, typename S> struct Element {
  using Row = formula::Row<op, S>;
  using T = typename Row::T;
  using Out = std::conditional_t<Row::rule == ResultRule::boolean, bool, S>;

  /// `offsets` in elements: of the output, then of each input. `where` reads its condition as bool.
  RT_HD static void at(const Loop& loop, const int64_t* offsets) {
    const void* const* in = loop.in;
    T a{}, b{}, c{}, p = convertTo<T>(loop.numbers[0]), q = convertTo<T>(loop.numbers[1]), r = convertTo<T>(loop.numbers[2]);
    if constexpr (op == Op::where) a = T(static_cast<const bool*>(in[0])[offsets[1]]);
    else a = T(static_cast<const S*>(in[0])[offsets[1]]);
    if constexpr (Row::arity > 1) b = T(static_cast<const S*>(in[1])[offsets[2]]);
    if constexpr (Row::arity > 2) c = T(static_cast<const S*>(in[2])[offsets[3]]);
    static_cast<Out*>(loop.out)[offsets[0]] = Out(Row::apply(a, b, c, p, q, r));
  }
};

/// Row-major offsets of element `i`: the output's, then each input's. The first dimension, often the only one, needs no division.
template <int operands> RT_HD void offsetsOf(const Loop& loop, int64_t i, int64_t* offsets) {
  for (int k = 0; k <= operands; ++k) offsets[k] = 0;
  for (size_t d = loop.shape.size(); d-- > 0;) {
    int64_t index = d ? i % loop.shape[d] : i;
    if (d) i /= loop.shape[d];
    offsets[0] += index * loop.outStrides[d];
    for (int k = 0; k < operands; ++k) offsets[k + 1] += index * loop.inStrides[k][d];
  }
}

}  // namespace rt
