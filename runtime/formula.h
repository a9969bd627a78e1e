// Each elementwise row's scalar formula, for host and device. Row<op, S>::apply takes values of T, the type that the stored
// type S computes in (LibTorch's opmath), and returns the result before it is rounded to what is stored.
//
// The namespace lies outside rt so that no tensor function hides a scalar one.
#pragma once

#include "runtime/special.h"
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

// The quotient rounded down as Python defines it: exact where a / b rounds up to a whole number. Source: c10's div_floor_floating.
// Half types round after each step, as LibTorch's do.
template <typename S> RT_HD Math<S> flooredQuotient(Math<S> a, Math<S> b) {
  using T = Math<S>;
  if constexpr (std::is_floating_point_v<T>) {
    auto rounded = [](T v) { return T(S(v)); };
    if (b == 0) return a / b;
    T rest = rounded(std::fmod(a, b)), quotient = rounded(rounded(a - rest) / b);
    if (rest != 0 && (b < 0) != (rest < 0)) quotient = rounded(quotient - T(1));
    if (quotient == 0) return std::copysign(T(0), a / b);
    T whole = std::floor(quotient);
    return rounded(quotient - whole) > T(0.5) ? whole + T(1) : whole;
  } else {
    T quotient = T(a / b);
    return a % b != 0 && (a < 0) != (b < 0) ? T(quotient - 1) : quotient;
  }
}
template <typename S> RT_HD Math<S> truncatedQuotient(Math<S> a, Math<S> b) {
  if constexpr (std::is_floating_point_v<Math<S>>) return std::trunc(Math<S>(S(a / b)));
  else return Math<S>(a / b);
}
template <typename T> RT_HD T commonDivisor(T a, T b) {
  a = magnitude(a), b = magnitude(b);
  while (b != 0) { T rest = std::is_signed_v<T> && b == T(-1) ? T(0) : T(a % b); a = b; b = rest; }  // the least value stays negative: no trap
  return a;
}
template <typename T> RT_HD T commonMultiple(T a, T b) {
  T divisor = commonDivisor(a, b);
  if (divisor == 0) return T(0);
  auto product = (std::is_signed_v<T> && divisor == T(-1) ? T(-a) : T(a / divisor)) * b;  // an int for the narrow types, as in LibTorch
  return T(product < 0 ? -product : product);
}
// Shifts by a negative count or by more than the width: nothing is left, or the sign.
template <typename S> RT_HD Math<S> leftShift(Math<S> a, Math<S> b) {
  if constexpr (integer<S>) return b < 0 || b >= Math<S>(sizeof(S) * 8) ? Math<S>(0) : Math<S>(S(std::make_unsigned_t<Math<S>>(a) << b));
  else return a;
}
template <typename S> RT_HD Math<S> rightShift(Math<S> a, Math<S> b) {
  constexpr int most = int(sizeof(S) * 8) - (std::is_signed_v<S> ? 1 : 0);
  if constexpr (!integer<S>) return a;
  else if constexpr (std::is_signed_v<S>) return b < 0 || b >= Math<S>(most) ? Math<S>(a >> most) : Math<S>(a >> b);
  else return b >= Math<S>(most) ? Math<S>(0) : Math<S>(a >> b);
}
template <typename T> RT_HD T scaled(T a, T by) { return by == T(1) ? a : T(a * by); }
template <typename T> RT_HD bool isNegative(T a) {
  if constexpr (std::is_floating_point_v<T>) return std::signbit(a);
  else return a < 0;
}

/// Which stored types a result rule computes on.
template <rt::ResultRule rule, typename S> constexpr bool computes() {
  constexpr bool truth = std::is_same_v<S, bool>, whole = std::is_integral_v<S>;
  switch (rule) {
    case rt::ResultRule::numeric: return !truth;
    case rt::ResultRule::floating: case rt::ResultRule::real: return !whole;
    case rt::ResultRule::whole: return whole && !truth;
    case rt::ResultRule::integral: return whole;
    default: return true;
  }
}

template <rt::Op op, typename S> struct Row;

#define ELEMENTWISE(name, count, result, forward)                                          \
  template <typename S> struct Row<rt::Op::name, S> {                                      \
    using T = Math<S>;                                                                     \
    static constexpr int arity = count;                                                    \
    static constexpr rt::ResultRule rule = rt::ResultRule::result;                         \
    RT_HD static auto apply([[maybe_unused]] T a, [[maybe_unused]] T b, [[maybe_unused]] T c, [[maybe_unused]] T p, [[maybe_unused]] T q, [[maybe_unused]] T r) { return forward; } \
  };
#define UNARY(name, result, ulps, domain, safe, forward, ga) ELEMENTWISE(name, 1, result, (forward))
#define BINARY(name, result, ulps, domain, safe, forward, ga, gb) ELEMENTWISE(name, 2, result, (forward))
#define TERNARY(name, result, ulps, domain, safe, forward, ga, gb, gc) ELEMENTWISE(name, 3, result, (forward))
#include "runtime/ops.def"
#undef ELEMENTWISE

}  // namespace formula
