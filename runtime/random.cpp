#include "runtime/random.h"

#include "runtime/body.h"
#include "runtime/loops.h"
#include "runtime/ops.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>
#include <utility>

namespace rt {

// --- the generator

void Generator::manualSeed(uint64_t seed) {
  engine_.seed(uint32_t(seed));
  seed_ = seed;
  nextNormal_.reset();
}

uint32_t Generator::random() { return uint32_t(engine_()); }
uint64_t Generator::random64() {
  uint64_t high = random();
  return high << 32 | random();
}

template <> float Generator::uniform<float>() { return float(random() & 0xffffff) * 0x1p-24f; }
template <> double Generator::uniform<double>() { return double(random64() & 0x1fffffffffffff) * 0x1p-53; }

double Generator::normal() {
  if (nextNormal_) return *std::exchange(nextNormal_, std::nullopt);
  double u1 = uniform<double>(), u2 = uniform<double>();
  double radius = std::sqrt(-2.0 * std::log1p(-u2)), theta = 2.0 * std::numbers::pi * u1;
  nextNormal_ = radius * std::sin(theta);
  return radius * std::cos(theta);
}

double Generator::exponential() { return -1.0 * std::log1p(-uniform<double>()); }

Generator& defaultGenerator() {
  static thread_local Generator generator;
  return generator;
}
void manualSeed(uint64_t seed) { defaultGenerator().manualSeed(seed); }

namespace {

template <typename S> struct Limits : std::numeric_limits<S> {};
template <> struct Limits<Half> {
  static constexpr int digits = 11;
  static constexpr double max() { return 65504; }
};
template <> struct Limits<BFloat16> {
  static constexpr int digits = 8;
  static constexpr double max() { return 0x1.fep127; }
};
template <typename S> constexpr bool whole = std::is_integral_v<S>;

[[noreturn]] void refuse(const char* name, const std::string& why) { throw Error(std::string(name) + ": " + why); }
std::string textOf(double v) {
  char text[40];
  std::snprintf(text, sizeof text, "%g", v);
  return text;
}

// Dense values in self's order of memory, made by fill(S*), then copied: the write is checked and recorded like any other.
template <typename F> void overwrite(const char* name, const Tensor& self, F fill) {
  if (self.device() != Device::cpu) refuse(name, "random numbers are made on the CPU only");
  for (size_t d = 0; d < self->sizes.size(); ++d)
    if (self->strides[d] == 0 && self->sizes[d] > 1)
      refuse(name, "several elements of the tensor, expanded to " + toText(self.sizes()) + ", share one place in memory; clone it first");
  if (GradMode::enabled() && self->requiresGrad && self.isLeaf()) refuse(name, "a leaf that requires grad is written in place; do it under GradMode off");
  if (self.numel() == 0) return;
  const Tensor sample = emptyStrided(self->sizes, denseStridesLike(self), self.dtype());
  fill(sample);
  callInPlace(Op::copy, self, {&sample, 1});
}

template <typename F> void eachElement(const Tensor& sample, F next) {
  withType(sample.dtype(), [&]<typename S>() {
    S* data = sample->data<S>();
    for (int64_t i = 0, n = sample.numel(); i < n; ++i) data[i] = next.template operator()<S>(i);
  });
}

void needFloating(const char* name, const Tensor& self) {
  if (kindOf(self.dtype()) != DTypeKind::floating) refuse(name, std::string("not for tensors of ") + dtypeName(self.dtype()));
}

Tensor emptyOf(std::vector<int64_t> shape, DType dtype) {
  return call(Op::zeros, {}, {std::move(shape), false, dtype});
}

bool isProbability(double p) { return p >= 0 && p <= 1; }
template <typename T> bool hit(T p, Generator& generator) {
  if (!isProbability(p)) refuse("bernoulli", "a probability is " + textOf(p) + ", not in [0, 1]");
  return generator.uniform<T>() < p;
}

// A bound that the dtype cannot hold moves inwards to one that it can: LibTorch's update_from and update_to.
template <typename S> int64_t spacing(int64_t around) {
  return int64_t(1) << (std::bit_width(uint64_t(std::abs(around))) - Limits<S>::digits);
}
template <typename S> int64_t stored(int64_t v) { return convertTo<int64_t>(convertTo<S>(v)); }

template <typename S> void checkRange(int64_t& from, int64_t& to) {
  if (from >= to) refuse("random_", "from must be less than to, but they are " + std::to_string(from) + " and " + std::to_string(to));
  if constexpr (!whole<S>) {
    if (int64_t up = stored<S>(from + 1); up < from) from = up + spacing<S>(from + 1);
    if (int64_t down = stored<S>(to - 1); down >= to) to = down - spacing<S>(to - 1);
    if (from >= to) refuse("random_", "no value of the dtype lies between from and to");
  }
  double low = whole<S> ? double(std::numeric_limits<S>::lowest()) : -double(Limits<S>::max()), high = double(Limits<S>::max());
  if (double(from) < low || double(from) > high || double(to - 1) < low || double(to - 1) > high)
    refuse("random_", "from or to - 1 is out of bounds for the dtype");
}

}  // namespace

// --- in place

void uniform_(Tensor self, double from, double to, Generator& generator) {
  needFloating("uniform_", self);
  withType(self.dtype(), [&]<typename S>() {
    double largest = double(Limits<S>::max());
    if (!(std::abs(from) <= largest && std::abs(to) <= largest)) refuse("uniform_", "a bound is out of bounds for the dtype");
    if (from > to) refuse("uniform_", "from is " + textOf(from) + ", greater than to, " + textOf(to));
    if (to - from > largest) refuse("uniform_", "to - from exceeds the dtype's largest value");
  });
  overwrite("uniform_", self, [&](const Tensor& sample) {
    eachElement(sample, [&]<typename S>(int64_t) -> S {
      if constexpr (whole<S>) return S();
      else {
        using T = formula::Math<S>;
        S value = S(std::fma(generator.uniform<T>(), T(to) - T(from), T(from)));
        return T(value) == T(S(T(to))) ? S(T(from)) : value;  // rounding must not give the bound that is left out
      }
    });
  });
}

void normal_(Tensor self, double mean, double std, Generator& generator) {
  if (!(std >= 0)) refuse("normal_", "std is " + textOf(std) + ", not >= 0");
  if (self.numel() > 0) needFloating("normal_", self);
  overwrite("normal_", self, [&](const Tensor& sample) {
    if (self.numel() >= 16 && self.isContiguous()) return normalFill(sample, mean, std, generator);
    eachElement(sample, [&]<typename S>(int64_t) { return convertTo<S>(std::fma(generator.normal(), std, mean)); });
  });
}

void random_(Tensor self, int64_t from, int64_t to, Generator& generator) {
  withType(self.dtype(), [&]<typename S>() { checkRange<S>(from, to); });
  uint64_t range = uint64_t(to) - uint64_t(from);
  overwrite("random_", self, [&](const Tensor& sample) {
    eachElement(sample, [&]<typename S>(int64_t) {
      uint64_t draw = range >= 1u << 28 ? generator.random64() : generator.random();
      return convertTo<S>(int64_t(draw % range + uint64_t(from)));
    });
  });
}

void bernoulli_(Tensor self, double p, Generator& generator) {
  if (!isProbability(p)) refuse("bernoulli_", "p is " + textOf(p) + ", not in [0, 1]");
  overwrite("bernoulli_", self, [&](const Tensor& sample) {
    eachElement(sample, [&]<typename S>(int64_t) { return convertTo<S>(int(hit(p, generator))); });
  });
}

void bernoulli_(Tensor self, const Tensor& probabilities, Generator& generator) {
  needFloating("bernoulli_", probabilities);
  auto shape = broadcast("bernoulli_", self.sizes(), probabilities.sizes());
  if (!shape || !(shape.value == Dims(self.sizes())))
    refuse("bernoulli_", "probabilities of shape " + toText(probabilities.sizes()) + " do not expand to " + toText(self.sizes()));
  overwrite("bernoulli_", self, [&](const Tensor& sample) {
    Tensor p = emptyStrided(sample->sizes, sample->strides, DType::float64);
    copyInto(p, probabilities);
    bool wide = probabilities.dtype() == DType::float64;
    eachElement(sample, [&]<typename S>(int64_t i) {
      double value = p->data<double>()[i];
      return convertTo<S>(int(wide ? hit(value, generator) : hit(float(value), generator)));
    });
  });
}

void exponential_(Tensor self, Generator& generator) {
  needFloating("exponential_", self);
  overwrite("exponential_", self, [&](const Tensor& sample) {
    eachElement(sample, [&]<typename S>(int64_t) { return convertTo<S>(generator.exponential()); });
  });
}

// --- new tensors

Tensor rand(std::vector<int64_t> shape, DType dtype, Generator& generator) {
  Tensor result = emptyOf(std::move(shape), dtype);
  uniform_(result, 0, 1, generator);
  return result;
}
Tensor randn(std::vector<int64_t> shape, DType dtype, Generator& generator) {
  Tensor result = emptyOf(std::move(shape), dtype);
  normal_(result, 0, 1, generator);
  return result;
}
Tensor randint(int64_t low, int64_t high, std::vector<int64_t> shape, DType dtype, Generator& generator) {
  Tensor result = emptyOf(std::move(shape), dtype);
  random_(result, low, high, generator);
  return result;
}

// Fisher-Yates, forwards. Beyond a twentieth of what 32 bits hold LibTorch takes 64.
Tensor randperm(int64_t n, DType dtype, Generator& generator) {
  if (n < 0) refuse("randperm", "n is " + std::to_string(n) + ", not >= 0");
  withType(dtype, [&]<typename S>() {
    bool exact = !whole<S> && dtype != DType::bfloat16;  // LibTorch does not ask it of bfloat16
    if (dtype == DType::boolean || double(n - 1) > (exact ? std::ldexp(1.0, Limits<S>::digits) : double(Limits<S>::max())))
      refuse("randperm", std::to_string(n) + " is too large for " + dtypeName(dtype));
  });
  Tensor result = emptyOf({n}, dtype);
  bool wide = n >= int64_t(std::numeric_limits<uint32_t>::max() / 20);
  withType(dtype, [&]<typename S>() {
    S* data = result->data<S>();
    for (int64_t i = 0; i < n; ++i) data[i] = convertTo<S>(i);
    for (int64_t i = 0; i + 1 < n; ++i) std::swap(data[i], data[i + int64_t((wide ? generator.random64() : generator.random()) % uint64_t(n - i))]);
  });
  return result;
}

Tensor bernoulli(const Tensor& probabilities, Generator& generator) {
  Tensor result = emptyOf(vectorOf(probabilities.sizes()), probabilities.dtype());
  bernoulli_(result, probabilities, generator);
  return result;
}

}  // namespace rt
