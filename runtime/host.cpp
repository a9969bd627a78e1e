// Every host operation once, as a template over the C++ type it computes in.

#include "runtime/host.h"

#include <cmath>
#include <limits>
#include <type_traits>

namespace rt {

namespace {

struct HostOpRow { const char* name; int arity; enum { same, boolean, real } result; };

// In the order of enum HostOp.
constexpr HostOpRow hostOps[] = {
    {"add", 2, HostOpRow::same},          {"sub", 2, HostOpRow::same},      {"mul", 2, HostOpRow::same},
    {"div", 2, HostOpRow::same},          {"mod", 2, HostOpRow::same},      {"neg", 1, HostOpRow::same},
    {"lt", 2, HostOpRow::boolean},        {"le", 2, HostOpRow::boolean},    {"gt", 2, HostOpRow::boolean},
    {"ge", 2, HostOpRow::boolean},        {"eq", 2, HostOpRow::boolean},    {"ne", 2, HostOpRow::boolean},
    {"logicalNot", 1, HostOpRow::boolean}, {"cast", 1, HostOpRow::same},    {"abs", 1, HostOpRow::same},
    {"min", 2, HostOpRow::same},          {"max", 2, HostOpRow::same},      {"sqrt", 1, HostOpRow::real},
    {"exp", 1, HostOpRow::real},          {"log", 1, HostOpRow::real},      {"pow", 2, HostOpRow::real},
    {"floor", 1, HostOpRow::real},        {"ceil", 1, HostOpRow::real},     {"isnan", 1, HostOpRow::boolean},
    {"isinf", 1, HostOpRow::boolean},     {"isfinite", 1, HostOpRow::boolean},
};
static_assert(std::size(hostOps) == size_t(HostOp::isfinite) + 1);

struct HostTypeRow { const char* name; Scalar::Kind kind; DType dtype; };

// In the order of enum HostType.
constexpr HostTypeRow hostTypes[] = {
    {"bool", Scalar::Kind::boolean, DType::boolean},   {"int", Scalar::Kind::integer, DType::int32},
    {"int64_t", Scalar::Kind::integer, DType::int64},  {"float", Scalar::Kind::floating, DType::float32},
    {"double", Scalar::Kind::floating, DType::float64},
};

template <typename T>
T truncate(double v) {
  const bool fits = v > -std::ldexp(1.0, std::numeric_limits<T>::digits) - 1 && v < std::ldexp(1.0, std::numeric_limits<T>::digits);
  return fits ? static_cast<T>(v) : std::numeric_limits<T>::lowest();
}

template <typename T>
T as(const Scalar& v) {
  if constexpr (std::is_same_v<T, bool>) return v.kind == Scalar::Kind::integer ? v.i != 0 : v.toDouble() != 0;
  else if (v.kind == Scalar::Kind::boolean) return static_cast<T>(v.b);
  else if (v.kind == Scalar::Kind::integer) return static_cast<T>(v.i);
  else if constexpr (std::is_integral_v<T>) return truncate<T>(v.d);
  else return static_cast<T>(v.d);
}

template <typename T>
Scalar pack(T v) {
  if constexpr (std::is_same_v<T, bool>) return Scalar(v);
  else if constexpr (std::is_integral_v<T>) return Scalar(static_cast<int64_t>(v));
  else return Scalar(static_cast<double>(v));
}

// c10::overflows: infinities and NaN pass into a floating type, NaN never into an integer.
template <typename T>
bool overflows(const Scalar& v) {
  using Limits = std::numeric_limits<T>;
  if (v.kind == Scalar::Kind::boolean) return false;
  if (v.kind == Scalar::Kind::floating) {
    if (Limits::has_infinity && std::isinf(v.d)) return false;
    return std::isnan(v.d) ? !Limits::has_quiet_NaN : v.d < double(Limits::lowest()) || v.d > double(Limits::max());
  }
  if constexpr (std::is_integral_v<T>) return v.i < Limits::lowest() || v.i > Limits::max();
  return false;
}

template <typename T>
Scalar divide(HostOp op, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == 0 || (b == -1 && a == std::numeric_limits<T>::lowest())) throw Error("integer division by zero or out of range");
    return pack<T>(op == HostOp::div ? a / b : a % b);
  } else {
    return pack<T>(op == HostOp::div ? a / b : std::fmod(a, b));
  }
}

// Signed integers wrap: the sum is taken in the unsigned type.
template <typename T>
Scalar arithmetic(HostOp op, T x, T y) {
  using U = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;
  const U a = static_cast<U>(x), b = static_cast<U>(y);
  switch (op) {
    case HostOp::add: return pack(static_cast<T>(a + b));
    case HostOp::sub: return pack(static_cast<T>(a - b));
    case HostOp::mul: return pack(static_cast<T>(a * b));
    case HostOp::neg: return pack(static_cast<T>(std::is_integral_v<T> ? U(0) - a : -a));
    case HostOp::abs: return pack(static_cast<T>(std::is_integral_v<T> ? (x < 0 ? U(0) - a : a) : U(std::abs(x))));
    case HostOp::min: return pack(y < x ? y : x);
    case HostOp::max: return pack(x < y ? y : x);
    case HostOp::cast: return pack(x);
    default: return divide(op, x, y);
  }
}

template <typename T>
Scalar predicate(HostOp op, T a, T b) {
  switch (op) {
    case HostOp::lt: return a < b;
    case HostOp::le: return a <= b;
    case HostOp::gt: return a > b;
    case HostOp::ge: return a >= b;
    case HostOp::eq: return a == b;
    case HostOp::ne: return a != b;
    case HostOp::isnan: return std::isnan(double(a));
    case HostOp::isinf: return std::isinf(double(a));
    case HostOp::isfinite: return std::isfinite(double(a));
    default: return !a;
  }
}

// <cmath> of an integer computes in double.
template <typename T>
Scalar real(HostOp op, T x, T y) {
  using R = std::conditional_t<std::is_same_v<T, float>, float, double>;
  const R a = static_cast<R>(x), b = static_cast<R>(y);
  switch (op) {
    case HostOp::sqrt: return pack(std::sqrt(a));
    case HostOp::exp: return pack(std::exp(a));
    case HostOp::log: return pack(std::log(a));
    case HostOp::pow: return pack(std::pow(a, b));
    case HostOp::floor: return pack(std::floor(a));
    default: return pack(std::ceil(a));
  }
}

template <typename T>
Scalar applyAs(HostOp op, const Scalar& x, const Scalar& y) {
  const T a = as<T>(x), b = as<T>(y);
  switch (hostOps[size_t(op)].result) {
    case HostOpRow::boolean: return predicate(op, a, b);
    case HostOpRow::real: return real(op, a, b);
    default: return arithmetic(op, a, b);
  }
}

template <typename T>
Scalar checked(HostType type, const Scalar& v) {
  if (overflows<T>(v)) throw Error(std::string("value cannot be converted to type ") + cppName(type) + " without overflow");
  return pack(as<T>(v));
}

}  // namespace

const char* cppName(HostType type) { return hostTypes[size_t(type)].name; }
Scalar::Kind kindOf(HostType type) { return hostTypes[size_t(type)].kind; }
DType dtypeOf(HostType type) { return hostTypes[size_t(type)].dtype; }
bool isFloating(HostType type) { return kindOf(type) == Scalar::Kind::floating; }
const char* name(HostOp op) { return hostOps[size_t(op)].name; }
int arity(HostOp op) { return hostOps[size_t(op)].arity; }

Scalar castTo(HostType type, const Scalar& v) {
  switch (type) {
    case HostType::boolean: return pack(as<bool>(v));
    case HostType::int32: return pack(as<int32_t>(v));
    case HostType::int64: return pack(as<int64_t>(v));
    case HostType::float32: return pack(as<float>(v));
    default: return pack(as<double>(v));
  }
}

Scalar itemTo(HostType type, const Scalar& v) {
  switch (type) {
    case HostType::boolean: return pack(as<bool>(v));
    case HostType::int32: return checked<int32_t>(type, v);
    case HostType::int64: return checked<int64_t>(type, v);
    case HostType::float32: return checked<float>(type, v);
    default: return checked<double>(type, v);
  }
}

HostType resultType(HostOp op, HostType type) {
  const auto result = hostOps[size_t(op)].result;
  if (result == HostOpRow::boolean) return HostType::boolean;
  return result == HostOpRow::real && !isFloating(type) ? HostType::float64 : type;
}

Scalar apply(HostOp op, HostType type, const Scalar& a, const Scalar& b) {
  switch (type) {
    case HostType::boolean: return castTo(resultType(op, type), applyAs<int32_t>(op, castTo(type, a), castTo(type, b)));
    case HostType::int32: return applyAs<int32_t>(op, a, b);
    case HostType::int64: return applyAs<int64_t>(op, a, b);
    case HostType::float32: return applyAs<float>(op, a, b);
    default: return applyAs<double>(op, a, b);
  }
}

}  // namespace rt
