// Normals for 16 and more elements: Box-Muller on 8 pairs of uniforms at a time.
//
// In float, LibTorch takes log, sin and cos from a vector library that follows Cephes' single precision routines (S. L. Moshier,
// netlib.org/cephes: logf.c, sinf.c), compiled so that a product and the sum it goes into are fused. The formulas here are the
// same ones in the same order of operations, fused in the same places, so the bits are the same too.
#include "runtime/random.h"

#include "runtime/body.h"
#include "runtime/formula.h"

#include <cmath>
#include <numbers>

namespace rt {
namespace {

template <size_t n> float horner(const float (&coefficients)[n], float x) {
  float y = coefficients[0];
  for (size_t i = 1; i < n; ++i) y = std::fma(y, x, coefficients[i]);
  return y;
}

// For 0 < x <= 1: the mantissa is brought into [sqrt(1/2), sqrt(2)).
float logOf(float x) {
  constexpr float p[] = {7.0376836292E-2f, -1.1514610310E-1f, 1.1676998740E-1f, -1.2420140846E-1f, 1.4249322787E-1f, -1.6668057665E-1f,
                         2.0000714765E-1f, -2.4999993993E-1f, 3.3333331174E-1f};
  float e = float(int(bits::of(x) >> 23) - 126), m = bits::toFloat((bits::of(x) & 0x007fffff) | bits::of(0.5f));
  bool low = m < 0.707106781186547524f;
  x = low ? (m - 1) + m : m - 1;
  if (low) e -= 1;
  float z = x * x;
  float y = std::fma(horner(p, x) * x, z, e * -2.12194440e-4f) - z * 0.5f;
  return std::fma(e, 0.693359375f, x + y);
}

// For x >= 0: reduced to [-pi/4, pi/4] in three steps, pi/4 being split into three floats.
void sinCos(float x, float& sine, float& cosine) {
  constexpr float s[] = {-1.9515295891E-4f, 8.3321608736E-3f, -1.6666654611E-1f};
  constexpr float c[] = {2.443315711809948E-5f, -1.388731625493765E-3f, 4.166664568298827E-2f};
  int octant = (int(x * 1.27323954473516f) + 1) & ~1;
  float y = float(octant);
  for (float part : {-0.78515625f, -2.4187564849853515625e-4f, -3.77489497744594108e-8f}) x = std::fma(y, part, x);
  float z = x * x;
  float ofCosine = std::fma(horner(c, z) * z, z, z * -0.5f) + 1, ofSine = std::fma(horner(s, z) * z, x, x);
  bool swapped = octant & 2;
  sine = (swapped ? ofCosine : ofSine) + 0.0f;
  cosine = (swapped ? ofSine : ofCosine) + 0.0f;
  if (octant & 4) sine = -sine;
  if (!((octant - 2) & 4)) cosine = -cosine;
}

double logOf(double x) { return std::log(x); }
void sinCos(double x, double& sine, double& cosine) {
  sine = std::sin(x);
  cosine = std::cos(x);
}

template <typename T> void transform16(T* data, T mean, T std) {
  constexpr T twoPi = T(2 * std::numbers::pi);
  for (int j = 0; j < 8; ++j) {
    T u1 = 1 - data[j], u2 = data[j + 8];  // u1 in (0, 1], for the logarithm
    T radius = std::sqrt(T(-2) * logOf(u1)), sine, cosine;
    sinCos(twoPi * u2, sine, cosine);
    data[j] = std::fma(radius * cosine, std, mean);
    data[j + 8] = std::fma(radius * sine, std, mean);
  }
}

// What is left after the last whole 16 is not a shorter run: the last 16 are drawn anew. LibTorch draws all of a float32 or
// float64 tensor's uniforms first, those that are left too; half types go run by run.
template <typename S> void fill(S* data, int64_t n, formula::Math<S> mean, formula::Math<S> std, Generator& generator) {
  using T = formula::Math<S>;
  T run[16];
  auto draw16 = [&] { for (T& v : run) v = generator.uniform<T>(); };
  auto store = [&](int64_t at) {
    transform16(run, mean, std);
    for (int64_t j = 0; j < 16; ++j) data[at + j] = S(run[j]);
  };
  for (int64_t i = 0; i + 16 <= n; i += 16) {
    draw16();
    store(i);
  }
  if (n % 16 == 0) return;
  for (int64_t i = 0; std::is_same_v<S, T> && i < n % 16; ++i) generator.uniform<T>();
  draw16();
  store(n - 16);
}

}  // namespace

void normalFill(const Tensor& dense, double mean, double std, Generator& generator) {
  withType(dense.dtype(), [&]<typename S>() {
    if constexpr (!std::is_integral_v<S>) fill(dense->data<S>(), dense.numel(), formula::Math<S>(mean), formula::Math<S>(std), generator);
  });
}

}  // namespace rt
