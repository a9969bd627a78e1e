// Random shapes, layouts and values. What is wanted is not an even spread but what kernels get wrong: edges of dtypes, ties,
// dimensions of size 0 and 1, strides in every order.
#include "test/conformance/samples.h"

#include "runtime/half.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace samples {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

// Rounded to the dtype, so that both sides get the same bits whatever conversion they use.
double rounded(double v, DType dtype) {
  switch (dtype) {
    case DType::float16: return double(float(rt::Half(float(v))));
    case DType::bfloat16: return double(float(rt::BFloat16(float(v))));
    case DType::float32: return double(float(v));
    default: return v;
  }
}

struct Edges { double denormal, normal, largest, whole; };  // least denormal, least normal, largest, first whole number that is not exact

Edges edgesOf(DType dtype) {
  switch (dtype) {
    case DType::float16: return {0x1p-24, 0x1p-14, 65504, 2049};
    case DType::bfloat16: return {0x1p-133, 0x1p-126, 0x1.fep127, 257};
    case DType::float32: return {0x1p-149, 0x1p-126, 0x1.fffffep127, 16777217};
    default: return {0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp1023, 9007199254740993.0};
  }
}

struct Range { int64_t lowest, highest; };
Range rangeOf(DType dtype) {
  switch (dtype) {
    case DType::uint8: return {0, 255};
    case DType::int8: return {-128, 127};
    case DType::int16: return {-32768, 32767};
    case DType::int32: return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
    default: return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  }
}

enum Pool { quarters, ties, ordinary, wild, pools };

}  // namespace

uint64_t Draw::next() {  // splitmix64
  uint64_t z = state_ += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

int64_t Draw::between(int64_t lowest, int64_t highest) { return highest <= lowest ? lowest : lowest + int64_t(next() % uint64_t(highest - lowest + 1)); }

DType Draw::floating() {
  return oneOf({DType::float32, DType::float32, DType::float32, DType::float64, DType::float64, DType::float16, DType::bfloat16});
}
DType Draw::integer() {
  return oneOf({DType::int64, DType::int64, DType::int64, DType::int32, DType::int32, DType::uint8, DType::int8, DType::int16, DType::boolean, DType::boolean});
}
DType Draw::dtype() { return chance(70) ? floating() : integer(); }

std::vector<int64_t> Draw::shape(int lowestRank, int highestRank) {
  int rank = int(oneOf<int64_t>({0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5}));
  rank = rank < lowestRank || rank > highestRank ? int(between(lowestRank, highestRank)) : rank;
  if (rank == 1 && chance(25)) return {between(8, 40)};  // longer than a vector register, with a rest
  std::vector<int64_t> shape;
  int64_t n = 1;
  for (int d = 0; d < rank; ++d) {
    int64_t size = chance(4) ? 0 : oneOf<int64_t>({1, 1, 2, 2, 3, 3, 4, 5});
    if (n * size > 64) size = 1;
    n *= size;
    shape.push_back(size);
  }
  return shape;
}

std::vector<int64_t> Draw::broadcastPart(std::vector<int64_t> of) {
  if (chance(55)) return of;
  if (!of.empty() && wrong()) ++of[size_t(between(0, int64_t(of.size()) - 1))];
  for (int64_t& size : of)
    if (chance(35)) size = 1;
  of.erase(of.begin(), of.begin() + (chance(50) ? between(0, int64_t(of.size())) : 0));
  return of;
}

int Draw::poolOf(DType dtype, Values values) {
  if (rt::kindOf(dtype) != rt::DTypeKind::floating) return plain ? quarters : int(oneOf<int64_t>({quarters, quarters, ties, wild}));
  if (plain) return quarters;
  if (values == Values::exact) return chance(80) ? quarters : ordinary;
  return int(oneOf<int64_t>({quarters, quarters, quarters, ties, ordinary, ordinary, wild, wild}));
}

rt::Scalar Draw::value(DType dtype, int pool) {
  if (dtype == DType::boolean) return chance(50);
  if (rt::kindOf(dtype) == rt::DTypeKind::integer) {
    Range range = rangeOf(dtype);
    if (pool == ties) return int64_t(between(0, 2));
    if (pool == wild && chance(40)) return oneOf<int64_t>({range.lowest, range.highest, range.lowest + 1, range.highest - 1, 16777217 <= range.highest ? 16777217 : 100});
    return int64_t(between(std::max<int64_t>(range.lowest, -9), 9));
  }
  Edges edges = edgesOf(dtype);
  switch (pool) {
    case quarters: return chance(plain ? 0 : 4) ? oneOf({-0.0, 0.0, inf, -inf, nan}) : double(between(-16, 16)) / 4;
    case ties: return oneOf({0.0, -0.0, 1.0, 1.0, -1.0, 2.0, 0.5});
    case ordinary: return rounded(double(between(-4000000, 4000000)) / 1234567.0, dtype);
    default: break;
  }
  double v = oneOf({0.0, 1.0, inf, nan, edges.denormal, edges.denormal * 3, edges.normal, edges.largest, edges.whole, edges.whole - 2, 0.5, 2.0, 3.0, 100.0, 1e-3, 1e5, 2147483648.0, 88.8, 0.1, 9.3e18});
  return rounded(chance(50) ? -v : v, dtype);
}

// Strides: dense in memory order, in another order of dimensions, channels last, with gaps, repeated by expand.
void Draw::layout(Argument& argument) {
  const size_t rank = argument.shape.size();
  std::vector<size_t> order(rank);
  std::iota(order.begin(), order.end(), size_t(0));
  int kind = plain || !chance(45) ? 0 : int(between(1, 5));
  if (kind == 1 && rank > 1) std::swap(order[rank - 1], order[size_t(between(0, int64_t(rank) - 2))]);
  if (kind == 2)
    for (size_t i = rank; i-- > 1;) std::swap(order[i], order[size_t(between(0, int64_t(i)))]);
  if (kind == 3 && rank == 4) order = {0, 2, 3, 1};
  argument.strides.assign(rank, 0);
  const int64_t gap = kind == 4 && rank ? between(0, int64_t(rank) - 1) : -1, repeated = kind == 5 && rank ? between(0, int64_t(rank) - 1) : -1;
  int64_t step = 1, last = 0;
  bool empty = false;
  for (size_t i = rank; i-- > 0;) {
    const size_t d = order[i];
    if (int64_t(d) == gap) step *= 2;
    argument.strides[d] = int64_t(d) == repeated ? 0 : step;
    if (int64_t(d) != repeated) step *= std::max<int64_t>(argument.shape[d], 1);
    last += std::max<int64_t>(argument.shape[d] - 1, 0) * argument.strides[d];
    empty |= argument.shape[d] == 0;
  }
  argument.offset = (kind == 4 || kind == 2) && chance(50) ? between(1, 5) : 0;
  argument.values.resize(size_t(argument.offset + (empty ? 0 : last + 1)));
}

Argument Draw::tensor(std::vector<int64_t> shape, DType dtype, Values values) {
  std::vector<const Argument*> fitting;
  for (const Argument& one : earlier)
    if (one.shape == shape && one.dtype == dtype) fitting.push_back(&one);
  if (!fitting.empty() && chance(60)) return *fitting[size_t(between(0, int64_t(fitting.size()) - 1))];
  Argument argument;
  argument.shape = std::move(shape);
  argument.dtype = dtype;
  layout(argument);
  int pool = poolOf(dtype, values);
  for (rt::Scalar& v : argument.values) v = value(dtype, pool);
  argument.requiresGrad = rt::kindOf(dtype) == rt::DTypeKind::floating && chance(60);
  return argument;
}

Argument Draw::some(int lowestRank, int highestRank, Values values) {
  std::vector<const Argument*> fitting;
  for (const Argument& one : earlier)
    if (one.rank() >= lowestRank && one.rank() <= highestRank) fitting.push_back(&one);
  if (!fitting.empty() && chance(90)) return *fitting[size_t(between(0, int64_t(fitting.size()) - 1))];
  return tensor(shape(lowestRank, highestRank), dtype(), values);
}

Argument Draw::someFloating(int lowestRank, int highestRank, Values values) {
  for (int tries = 0; tries < 4; ++tries)
    if (Argument one = some(lowestRank, highestRank, values); wrong() || rt::kindOf(one.dtype) == rt::DTypeKind::floating) return one;
  return tensor(shape(lowestRank, highestRank), floating(), values);
}

Argument Draw::index(std::vector<int64_t> shape, int64_t limit, bool negative) {
  Argument argument;
  argument.shape = std::move(shape);
  argument.dtype = chance(3) ? dtype() : chance(4) ? DType::int32 : DType::int64;
  layout(argument);
  const bool off = wrong();
  for (rt::Scalar& v : argument.values) {
    int64_t i = between(negative && chance(20) ? -limit : 0, std::max<int64_t>(limit - 1, 0));
    if (off && chance(30)) i = oneOf<int64_t>({limit, -1, -limit - 1});
    v = argument.dtype == DType::boolean ? rt::Scalar(i != 0) : argument.dtype == DType::uint8 ? rt::Scalar(int64_t(uint8_t(i))) :
        rt::kindOf(argument.dtype) == rt::DTypeKind::floating ? rt::Scalar(double(i)) : rt::Scalar(i);
  }
  return argument;
}

Argument Draw::number(DType dtype) {
  Argument argument;
  argument.kind = Argument::Kind::number;
  const bool floating = rt::kindOf(dtype) == rt::DTypeKind::floating ? chance(70) : chance(15);
  if (chance(8)) argument.values = {rt::Scalar(chance(50))};
  else if (plain) argument.values = {floating ? rt::Scalar(double(between(-8, 8)) / 2) : rt::Scalar(between(-3, 3))};
  else if (floating) argument.values = {rt::Scalar(oneOf({0.0, 1.0, 0.5, -0.5, 2.0, 3.0, -1.0, -2.0, 0.1, 1e-7, 1e6, 1e300, inf, -inf, nan, -0.0}))};
  else argument.values = {rt::Scalar(oneOf<int64_t>({0, 1, 2, 3, -1, -3, 4, 7, 300, 1, 2, 70000}))};
  return argument;
}

Argument Draw::undefined() {
  Argument argument;
  argument.kind = Argument::Kind::undefined;
  return argument;
}

int64_t Draw::dim(const Argument& argument, int64_t more) {
  const int64_t rank = std::max<int64_t>(argument.rank() + more, 1);
  if (chance(3)) return chance(50) ? rank : -rank - 1;
  return between(chance(30) ? -rank : 0, rank - 1);
}

std::vector<int64_t> Draw::dims(const Argument& argument, bool all) {
  if (all && chance(30)) return {};
  std::vector<int64_t> dims = {dim(argument)};
  for (int64_t d = 0; d < argument.rank(); ++d)
    if (chance(30) && (wrong() || (dims[0] != d && dims[0] != d - argument.rank()))) dims.push_back(d);
  return dims;
}

}  // namespace samples
