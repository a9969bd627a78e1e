// Random numbers as LibTorch's CPU generator gives them, for the same seed and the same sequence of calls. Sources: LibTorch
// 2.15's ATen/core/DistributionsHelper.h, ATen/core/TransformationHelper.h and ATen/native/cpu/DistributionTemplates.h.
//
// Bit for bit, with two exceptions of LibTorch's own: where it runs on an Intel CPU with MKL, bernoulli with a number for p and
// multinomial without replacement draw from MKL's generator (MCG31), seeded by one draw of this one; and where it has no AVX2,
// it does not fuse multiplication and addition, and normals of 16 and more elements in float go through libm, a few ulps away.
// What is imitated is mt19937 and AVX2.
#pragma once

#include "runtime/tensor.h"

#include <random>

namespace rt {

/// A value: copy it to keep a state, compare it to see whether the same numbers are to come.
class Generator {
 public:
  static constexpr uint64_t defaultSeed = 67280421310721;  // c10::default_rng_seed_val

  explicit Generator(uint64_t seed = defaultSeed) { manualSeed(seed); }
  void manualSeed(uint64_t seed);
  uint64_t initialSeed() const { return seed_; }

  uint32_t random();
  uint64_t random64();                    // two draws, the first is the upper half
  template <typename T> T uniform();      // [0, 1): float from 24 bits of one draw, double from 53 bits of two
  double normal();                        // Box-Muller; every second call is the first one's other half
  double exponential();                   // of rate 1

  friend bool operator==(const Generator&, const Generator&) = default;

 private:
  std::mt19937 engine_;
  uint64_t seed_ = 0;                     // the engine takes its lower 32 bits
  std::optional<double> nextNormal_;
};

/// Thread-local. Unlike LibTorch's it starts from Generator::defaultSeed, not from the system's entropy.
Generator& defaultGenerator();
void manualSeed(uint64_t seed);

/// Contiguous tensors on the CPU. A dtype that the distribution has no numbers for is an Error.
Tensor rand(std::vector<int64_t> shape, DType = DType::float32, Generator& = defaultGenerator());
Tensor randn(std::vector<int64_t> shape, DType = DType::float32, Generator& = defaultGenerator());
/// In [low, high).
Tensor randint(int64_t low, int64_t high, std::vector<int64_t> shape, DType = DType::int64, Generator& = defaultGenerator());
/// 0 ... n-1, each once; the dtype must hold them (bfloat16 rounds them, as in LibTorch).
Tensor randperm(int64_t n, DType = DType::int64, Generator& = defaultGenerator());
/// 1 with the probability that the element says, else 0; the probabilities' shape and dtype.
Tensor bernoulli(const Tensor& probabilities, Generator& = defaultGenerator());
/// Indices, int64: [samples] for weights of shape [categories], [rows, samples] for [rows, categories]. The weights are floating,
/// finite, >= 0, and no row of them is all zero. Without replacement, ties in weight / exponential go to the lower index.
Tensor multinomial(const Tensor& weights, int64_t samples, bool replacement = false, Generator& = defaultGenerator());

/// In place, in the order of memory. Under a gradient they are writes like any other: not to a leaf that requires it.
void uniform_(Tensor self, double from = 0, double to = 1, Generator& = defaultGenerator());
void normal_(Tensor self, double mean = 0, double std = 1, Generator& = defaultGenerator());
void random_(Tensor self, int64_t from, int64_t to, Generator& = defaultGenerator());  // integers in [from, to)
void bernoulli_(Tensor self, double p = 0.5, Generator& = defaultGenerator());
void bernoulli_(Tensor self, const Tensor& probabilities, Generator& = defaultGenerator());
void exponential_(Tensor self, Generator& = defaultGenerator());                       // of rate 1

/// What normal_ does to 16 elements and more that lie without gaps: see normal.cpp.
void normalFill(const Tensor& contiguous, double mean, double std, Generator&);

}  // namespace rt
