// Each elementwise row's scalar formula, for host and device. Row<op, S>::apply takes values of T, the type that the stored
// type S computes in (LibTorch's opmath), and returns the result before it is rounded to what is stored.
//
// The namespace lies outside rt so that no tensor function hides a scalar one.
#pragma once

#include "runtime/half.h"
#include "runtime/op.h"

#include <cmath>
#include <type_traits>

namespace formula {

template <typename S> struct Compute { using type = S; };
template <> struct Compute<bool> { using type = int; };
template <> struct Compute<rt::Half> { using type = float; };
template <> struct Compute<rt::BFloat16> { using type = float; };
template <typename S> using Math = typename Compute<S>::type;

template <typename T> inline constexpr bool integer = std::is_integral_v<T>;

template <typename T> RT_HD T magnitude(T a) {
  if constexpr (std::is_floating_point_v<T>) return std::fabs(a);
  else return a < 0 ? T(-a) : a;
}
template <typename T> RT_HD bool isInfinite(T a) {
  if constexpr (std::is_floating_point_v<T>) return a == a && a - a != a - a;
  else return false;
}
template <typename S> RT_HD Math<S> flipBits(Math<S> a) {
  if constexpr (std::is_same_v<S, bool>) return !a;
  else if constexpr (integer<Math<S>>) return Math<S>(~a);
  else return a;
}
// NaN wins, as in LibTorch's maximum, minimum and clamp.
template <typename T> RT_HD T larger(T a, T b) { return a != a ? a : b != b ? b : a < b ? b : a; }
template <typename T> RT_HD T smaller(T a, T b) { return a != a ? a : b != b ? b : b < a ? b : a; }

template <typename T> RT_HD T power(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::pow(a, b);
  } else {
    if (b < 0) return a == 1 ? T(1) : a == T(-1) ? (b % 2 ? T(-1) : T(1)) : T(0);
    T result = 1;
    for (; b; b = T(b / 2), a = T(a * a))
      if (b % 2) result = T(result * a);
    return result;
  }
}
// The sign of the divisor.
template <typename T> RT_HD T modulo(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    T rest = std::fmod(a, b);
    return rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest;
  } else {
    T rest = T(a % b);
    return rest != 0 && (b < 0) != (rest < 0) ? T(rest + b) : rest;
  }
}
template <typename T> RT_HD T truncatedModulo(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return std::fmod(a, b);
  else return T(a % b);
}

/// Which stored types a result rule computes on.
template <rt::ResultRule rule, typename S> constexpr bool computes() {
  constexpr bool truth = std::is_same_v<S, bool>, whole = std::is_integral_v<S>;
  switch (rule) {
    case rt::ResultRule::numeric: return !truth;
    case rt::ResultRule::floating: return !whole;
    case rt::ResultRule::integral: return whole;
    default: return true;
  }
}

template <rt::Op op, typename S> struct Row;

#define UNARY(name, result, domain, safe, forward, ga)                                     \
  template <typename S> struct Row<rt::Op::name, S> {                                      \
    using T = Math<S>;                                                                     \
    static constexpr int arity = 1;                                                        \
    static constexpr rt::ResultRule rule = rt::ResultRule::result;                         \
    RT_HD static auto apply([[maybe_unused]] T a, T, T) { return forward; }                \
  };
#define BINARY(name, result, domain, safe, forward, ga, gb)                                \
  template <typename S> struct Row<rt::Op::name, S> {                                      \
    using T = Math<S>;                                                                     \
    static constexpr int arity = 2;                                                        \
    static constexpr rt::ResultRule rule = rt::ResultRule::result;                         \
    RT_HD static auto apply(T a, T b, T) { return forward; }                               \
  };
#define TERNARY(name, result, domain, safe, forward, ga, gb, gc)                           \
  template <typename S> struct Row<rt::Op::name, S> {                                      \
    using T = Math<S>;                                                                     \
    static constexpr int arity = 3;                                                        \
    static constexpr rt::ResultRule rule = rt::ResultRule::result;                         \
    RT_HD static auto apply(T a, T b, T c) { return forward; }                             \
  };
#include "runtime/ops.def"

}  // namespace formula
