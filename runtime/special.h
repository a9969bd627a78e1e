// Special functions that C++ has no name for, and the constants of the formulas, for host and device.
#pragma once

#include "runtime/half.h"

#include <cmath>
#include <type_traits>

namespace formula {

inline constexpr double pi = 3.14159265358979323846, sqrtHalf = 0.70710678118654752440, twoOverSqrtPi = 1.12837916709551257390;

/// The inverse of erf. Source: the rational approximations of central and outer range with two Newton steps that LibTorch's
/// calc_erfinv documents.
template <typename T> RT_HD T inverseErf(T y) {
  if constexpr (std::is_floating_point_v<T>) {
    T size = std::fabs(y);
    if (!(size <= T(1))) return T(NAN);
    if (size == T(1)) return std::copysign(T(INFINITY), y);
    T x;
    if (size <= T(0.7)) {
      T z = y * y;
      T top = ((T(-0.140543331) * z + T(0.914624893)) * z + T(-1.645349621)) * z + T(0.886226899);
      T bottom = (((T(0.012229801) * z + T(-0.329097515)) * z + T(1.442710462)) * z + T(-2.118377725)) * z + T(1);
      x = y * top / bottom;
    } else {
      T z = std::sqrt(-std::log((T(1) - size) / T(2)));
      T top = ((T(1.641345311) * z + T(3.429567803)) * z + T(-1.624906493)) * z + T(-1.970840454);
      T bottom = (T(1.637067800) * z + T(3.543889200)) * z + T(1);
      x = std::copysign(top / bottom, y);
    }
    for (int step = 0; step < 2; ++step) x = x - (std::erf(x) - y) / (T(twoOverSqrtPi) * std::exp(-x * x));
    return x;
  } else {
    return y;
  }
}

/// digamma: reflection for negative arguments, recurrence up to 10, then the asymptotic series. Poles: a negative whole number
/// gives NaN, 0 an infinity of the opposite sign. In T, but for the reflection, as in LibTorch.
template <typename T> RT_HD T logGammaSlope(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    if (x == 0) return std::copysign(T(INFINITY), -x);
    T result = 0;
    if (x < 0) {
      if (x == std::trunc(x)) return T(NAN);
      double rest = double(x) - std::trunc(double(x));
      result = -T(pi / std::tan(pi * rest));
      x = 1 - x;
    }
    T sum = 0;
    for (; x < 10; x += 1) sum -= 1 / x;
    if (x == 10) return sum + T(2.25175258906672110764) + result;
    T y = 0;
    if (x < T(1e17)) {
      T z = 1 / (x * x);
      y = z * ((((((T(8.33333333333333333333E-2) * z - T(2.10927960927960927961E-2)) * z + T(7.57575757575757575758E-3)) * z - T(4.16666666666666666667E-3)) * z +
                 T(3.96825396825396825397E-3)) * z - T(8.33333333333333333333E-3)) * z + T(8.33333333333333333333E-2));
    }
    return sum + std::log(x) - T(0.5) / x - y + result;
  } else {
    return x;
  }
}

/// The Hurwitz zeta function by Euler-Maclaurin summation, x > 1. Source: Cephes' zeta.
RT_HD inline double zeta(double x, double q) {
  constexpr double terms[] = {12.0, -720.0, 30240.0, -1209600.0, 47900160.0, -1.8924375803183791606e9, 7.47242496e10, -2.950130727918164224e12,
                              1.1646782814350067249e14, -4.5979787224074726105e15, 1.8152105401943546773e17, -7.1661652561756670113e18};
  if (x == 1) return INFINITY;
  if (x < 1) return NAN;
  if (q <= 0) {
    if (q == std::floor(q)) return INFINITY;
    if (x != std::floor(x)) return NAN;
  }
  double sum = std::pow(q, -x), a = q, b = 0;
  for (int i = 0; i < 9 || a <= 9;) {
    ++i, a += 1;
    b = std::pow(a, -x);
    sum += b;
    if (std::fabs(b) < 1.1e-16 * std::fabs(sum)) return sum;
  }
  sum += b * a / (x - 1) - 0.5 * b;
  double factor = 1;
  for (int k = 0; k < 12; ++k) {
    factor *= x + 2 * k, b /= a;
    double term = factor * b / terms[k];
    sum += term;
    if (std::fabs(term / sum) < 1.1e-16) break;
    factor *= x + 2 * k + 1, b /= a;
  }
  return sum;
}

/// polygamma: derivative number n of digamma. n = 1 by reflection and series, as LibTorch does; the others by zeta.
template <typename T> RT_HD T logGammaDerivative(T a, T n) {
  if constexpr (std::is_floating_point_v<T>) {
    if (n == 0) return logGammaSlope(a);
    if (n != 1) return T((std::fmod(double(n), 2) == 0 ? -1 : 1) * std::exp(std::lgamma(double(n) + 1)) * zeta(double(n) + 1, double(a)));
    T x = a, sign = 1, result = 0;
    if (x < T(0.5)) {
      sign = -1;
      T sine = std::sin(T(pi) * x);
      result -= T(pi * pi) / (sine * sine);
      x = 1 - x;
    }
    for (int i = 0; i < 6; ++i, x += 1) result += 1 / (x * x);
    T z = 1 / (x * x);
    result += (1 + 1 / (2 * x) + z * (T(1.0 / 6) - z * (T(1.0 / 30) - z * T(1.0 / 42)))) / x;
    return T(sign * result);
  } else {
    return a;
  }
}

template <typename T> RT_HD T sinc(T a) {
  if constexpr (std::is_floating_point_v<T>) {
    T x = a * T(pi);
    return a == 0 ? T(1) : std::sin(x) / x;
  } else {
    return a;
  }
}

/// log(e^a + e^b); equal infinities are their own sum.
template <typename T> RT_HD T logOfSum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a == b && a - a != a - a) return a;
    T top = a > b ? a : b;
    return (a != a || b != b) ? a + b : top + std::log1p(std::exp(-std::fabs(a - b)));
  } else {
    return a;
  }
}
template <typename T> RT_HD T log2OfSum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a == b && a - a != a - a) return a;
    T top = a > b ? a : b;
    return (a != a || b != b) ? a + b : top + std::log1p(std::exp2(-std::fabs(a - b))) * T(1.44269504088896340736);
  } else {
    return a;
  }
}

template <typename T> RT_HD T geluInner(T a) { return T(0.79788456080286535588) * (a + T(0.044715) * a * a * a); }

}  // namespace formula
