// Floating dtypes differ only in three numbers, so rounding, neighbours and extremes are computed from those.

#include "runtime/verify/values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>

namespace rt {

namespace {

struct Format {
  int digits;       // of the significand, the hidden one included
  int minExponent;  // of the smallest normal number
  int maxExponent;

  double epsilon() const { return std::ldexp(1.0, 1 - digits); }
  double largest() const { return std::ldexp(2.0 - epsilon(), maxExponent); }
  double smallestNormal() const { return std::ldexp(1.0, minExponent); }
  double smallest() const { return std::ldexp(1.0, minExponent + 1 - digits); }
  // The distance between neighbours around v.
  double step(double v) const { return std::ldexp(1.0, std::max(v == 0 ? minExponent : std::ilogb(v), minExponent) + 1 - digits); }
};

Format formatOf(DType dtype) {
  switch (dtype) {
    case DType::float16: return {11, -14, 15};
    case DType::bfloat16: return {8, -126, 127};
    case DType::float32: return {24, -126, 127};
    default: return {53, -1022, 1023};
  }
}

struct Range { int64_t lowest, highest; };

Range rangeOf(DType dtype) {
  const auto of = []<typename T>(T) { return Range{std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()}; };
  switch (dtype) {
    case DType::boolean: return {0, 1};
    case DType::uint8: return of(uint8_t());
    case DType::int8: return of(int8_t());
    case DType::int16: return of(int16_t());
    case DType::int32: return of(int32_t());
    default: return of(int64_t());
  }
}

double roundTo(double v, DType dtype) {
  if (dtype == DType::float64 || v == 0 || !std::isfinite(v)) return v;
  const Format format = formatOf(dtype);
  const double step = format.step(v);
  const double rounded = std::nearbyint(v / step) * step;
  return std::fabs(rounded) > format.largest() ? std::copysign(HUGE_VAL, v) : std::copysign(rounded, v);
}

int64_t toInteger(const Scalar& v, DType dtype) {
  const Range range = rangeOf(dtype);
  const int64_t i = castTo(HostType::int64, v).i;
  return std::clamp(i, range.lowest, range.highest);
}

class Pool {
 public:
  explicit Pool(DType dtype) : dtype_(dtype) {}
  void add(const Scalar& v) {
    const Scalar q = quantize(v, dtype_);
    if (std::ranges::none_of(values, [&](const Scalar& w) { return identical(w, q); })) values.push_back(q);
  }
  void addAll(std::initializer_list<double> list) { for (const double v : list) add(v); }
  std::vector<Scalar> values;

 private:
  DType dtype_;
};

// -v too: conditions are often written with the sign moved to the other side.
void addLiteral(Pool& pool, const Scalar& literal, DType dtype) {
  const Scalar v = quantize(literal, dtype);
  for (const Scalar& w : {v, neighbour(v, dtype, false), neighbour(v, dtype, true)}) pool.add(w);
  pool.add(quantize(Scalar(literal.toDouble() + 1), dtype));
  pool.add(quantize(Scalar(literal.toDouble() - 1), dtype));
  pool.add(quantize(Scalar(-literal.toDouble()), dtype));
}

void addFloatingSpecials(Pool& pool, const Format& f) {
  const double inf = HUGE_VAL, nan = std::numeric_limits<double>::quiet_NaN();
  pool.addAll({-0.0, 3, -0.5, 0.25, 10, -10, 100, -100, nan, inf, -inf});
  pool.addAll({f.epsilon(), 1 + f.epsilon(), 1 - f.epsilon() / 2, f.largest(), -f.largest(), f.smallest(), -f.smallest()});
  pool.addAll({f.smallestNormal(), std::sqrt(f.largest()), 3e9, -3e9, 1e20, 1e-20, 2049, 16777217, 0.1, std::numbers::pi});
}

void addIntegerSpecials(Pool& pool, const Range& range) {
  pool.addAll({3, -3, 10, -10, 100, 2049, 16777217, 2147483648.0, -2147483649.0});
  for (const int64_t v : {range.highest, range.lowest, int64_t(9007199254740993), range.highest - 1}) pool.add(v);
}

void collect(const Block& block, std::vector<Scalar>& literals) {
  for (const Step& step : block) {
    const bool known = std::ranges::any_of(literals, [&](const Scalar& v) { return v.toDouble() == step.value.toDouble(); });
    if (step.kind == Step::Kind::constant && !known && literals.size() < 8) literals.push_back(step.value);
    collect(step.then, literals);
    collect(step.otherwise, literals);
  }
}

template <typename T>
std::string shortest(T v) {
  char buffer[40];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, v).ptr};
}

}  // namespace

uint64_t Random::bits() {
  uint64_t z = state_ += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

double Random::uniform() { return double(bits() >> 11) * 0x1p-53; }

// Sum of twelve uniforms: near enough to a normal distribution, and free of libm.
double Random::normal() {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += uniform();
  return sum;
}

bool isFloating(DType dtype) { return kindOf(dtype) == DTypeKind::floating; }

Scalar quantize(const Scalar& v, DType dtype) {
  if (isFloating(dtype)) return Scalar(roundTo(v.toDouble(), dtype));
  if (dtype == DType::boolean) return castTo(HostType::boolean, v);
  return Scalar(toInteger(v, dtype));
}

Scalar neighbour(const Scalar& v, DType dtype, bool up) {
  if (dtype == DType::boolean) return v;
  if (!isFloating(dtype)) {
    const Range range = rangeOf(dtype);
    const int64_t end = up ? range.highest : range.lowest;
    return v.i == end ? v : Scalar(v.i + (up ? 1 : -1));
  }
  if (!std::isfinite(v.d)) return v;
  if (dtype == DType::float64) return Scalar(std::nextafter(v.d, up ? HUGE_VAL : -HUGE_VAL));
  const Format format = formatOf(dtype);
  // Towards zero from a power of two the neighbour is half a step away; rounding keeps what is representable.
  const bool inwards = (v.d > 0) != up && v.d != 0;
  const double step = format.step(v.d) * (inwards ? 0.5 : 1), sign = up ? 1 : -1;
  const double half = roundTo(v.d + sign * step, dtype);
  return Scalar(half != v.d && std::fabs(half - v.d) <= 2 * step ? half : roundTo(v.d + sign * 2 * step, dtype));
}

std::vector<Scalar> literalsOf(const Program& before, const Program& after) {
  std::vector<Scalar> literals;
  collect(before.body, literals);
  collect(after.body, literals);
  return literals;
}

std::vector<Scalar> specialValues(DType dtype, std::span<const Scalar> literals) {
  Pool pool(dtype);
  if (dtype == DType::boolean) return {Scalar(true), Scalar(false)};
  pool.addAll({1, 0, -1, 2, -2, 0.5});
  for (const Scalar& v : literals) addLiteral(pool, v, dtype);
  if (isFloating(dtype)) addFloatingSpecials(pool, formatOf(dtype));
  else addIntegerSpecials(pool, rangeOf(dtype));
  return std::move(pool.values);
}

bool identical(const Scalar& a, const Scalar& b) {
  if (a.kind != b.kind) return false;
  if (a.kind == Scalar::Kind::boolean) return a.b == b.b;
  if (a.kind == Scalar::Kind::integer) return a.i == b.i;
  if (std::isnan(a.d) || std::isnan(b.d)) return std::isnan(a.d) && std::isnan(b.d);
  return a.d == b.d && std::signbit(a.d) == std::signbit(b.d);
}

std::string toText(const Scalar& v, DType dtype) {
  if (v.kind == Scalar::Kind::boolean) return v.b ? "true" : "false";
  if (v.kind == Scalar::Kind::integer) return std::to_string(v.i);
  if (std::isnan(v.d)) return "nan";
  return dtype == DType::float64 ? shortest(v.d) : shortest(float(v.d));
}

}  // namespace rt
