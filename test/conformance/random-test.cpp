// The same seed and the same calls, here and in LibTorch: the numbers, and where the generators stand afterwards.
#include "runtime/random.h"
#include "test/conformance/referee.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Version.h>

#include <gtest/gtest.h>

namespace conformance {
namespace {

constexpr DType floatingTypes[] = {DType::float32, DType::float64, DType::float16, DType::bfloat16};
constexpr DType allTypes[] = {DType::float32, DType::float64, DType::float16, DType::bfloat16, 
                              DType::int64,   DType::int32,   DType::int16, DType::int8, DType::uint8, DType::boolean};
constexpr uint64_t seeds[] = {0, 1, 42, 0xffffffff00000007};
const std::vector<std::vector<int64_t>> shapes = {{}, {0}, {1}, {5}, {15}, {16}, {17}, {31}, {4, 12}, {2, 3, 7}, {1000}};

using OursDrawn = std::function<rt::Tensor(rt::Generator&)>;
using TheirsDrawn = std::function<at::Tensor(at::Generator)>;

at::TensorOptions options(DType dtype) { return at::TensorOptions().dtype(torchType(dtype)); }

// With AVX2 LibTorch fuses, and takes log, sin and cos of float vectors from Cephes; without it does not, and takes libm's.
double roundingUlps() { return at::get_cpu_capability() == "AVX2" || at::get_cpu_capability() == "AVX512" ? 0 : 64; }

// With MKL on an Intel CPU one draw seeds a generator of MKL's, which is not imitated.
bool drawsFromMKL(const std::function<void(at::Tensor, at::Generator)>& fill) {
  at::Generator used = at::detail::createCPUGenerator(1), once = at::detail::createCPUGenerator(1);
  fill(at::empty({8}), used);
  once.get<at::CPUGeneratorImpl>()->random();
  return at::equal(used.get_state(), once.get_state());
}

// Two calls one after the other: the second starts where the first has left the generator, and takes a kept normal.
std::string compareDraws(uint64_t seed, const OursDrawn& ours, const TheirsDrawn& theirs, double ulps = 0) {
  rt::Generator mine(seed);
  at::Generator referee = at::detail::createCPUGenerator(seed);
  for (int turn = 0; turn < 2; ++turn) {
    rt::Tensor result;
    at::Tensor expected;
    std::string thrown, expectedThrow;
    try { result = ours(mine); } catch (const rt::Error& error) { thrown = error.what(); }
    try { expected = theirs(referee); } catch (const c10::Error& error) { expectedThrow = error.what_without_backtrace();  // the backtrace takes long
    } catch (const std::exception& error) { expectedThrow = error.what(); }
    if (thrown.empty() != expectedThrow.empty()) return thrown.empty() ? "does not throw: " + expectedThrow : "throws " + thrown;
    if (!thrown.empty()) return {};
    if (std::string text = difference(result, expected, ulps, 1); !text.empty()) return text;
  }
  auto* impl = referee.get<at::CPUGeneratorImpl>();
  for (int i = 0; i < 3; ++i)
    if (mine.random() != impl->random()) return "the generators stand at different places";
  return {};
}

void compareOver(const std::string& name, std::span<const DType> dtypes, const std::function<OursDrawn(std::vector<int64_t>, DType)>& ours,
                 const std::function<TheirsDrawn(std::vector<int64_t>, DType)>& theirs, double ulps = 0) {
  Tally tally(name);
  for (uint64_t seed : seeds)
    for (DType dtype : dtypes)
      for (const auto& shape : shapes) {
        std::string text = compareDraws(seed, ours(shape, dtype), theirs(shape, dtype), ulps);
        tally.add({}, text.empty() ? text : std::string(rt::dtypeName(dtype)) + rt::toText(shape) + " seed " + std::to_string(seed) + ": " + text);
      }
}

// Tensors that random numbers are written into: as they are, column-major, and every second row.
rt::Tensor ourTarget(int layout, DType dtype) {
  using namespace rt::ops;
  rt::Tensor base = rt::call(Op::zeros, {}, {{6, 7}, false, dtype});
  return layout == 0 ? base : layout == 1 ? t(base) : slice(base, {0, 0, 6, 2});
}
at::Tensor theirTarget(int layout, DType dtype) {
  at::Tensor base = at::zeros({6, 7}, options(dtype));
  return layout == 0 ? base : layout == 1 ? base.t() : base.slice(0, 0, 6, 2);
}

void compareInPlace(const std::string& name, std::span<const DType> dtypes, const std::function<void(rt::Tensor, rt::Generator&)>& ours,
                    const std::function<void(at::Tensor, at::Generator)>& theirs, double ulps = 0) {
  Tally tally(name);
  for (DType dtype : dtypes)
    for (int layout = 0; layout < 3; ++layout) {
      auto mine = [&](rt::Generator& generator) {
        rt::Tensor self = ourTarget(layout, dtype);
        ours(self, generator);
        return self;
      };
      auto referee = [&](at::Generator generator) {
        at::Tensor self = theirTarget(layout, dtype);
        theirs(self, generator);
        return self;
      };
      std::string text = compareDraws(3, mine, referee, ulps);
      tally.add({}, text.empty() ? text : std::string(rt::dtypeName(dtype)) + " layout " + std::to_string(layout) + ": " + text);
    }
}

TEST(Random, UniformEqualsLibTorch) {
  compareOver("rand", allTypes, [](auto shape, DType dtype) { return [=](rt::Generator& g) { return rt::rand(shape, dtype, g); }; },
              [](auto shape, DType dtype) { return [=](at::Generator g) { return at::rand(shape, g, options(dtype)); }; });
  for (auto [from, to] : {std::pair(-1.0, 1.0), std::pair(0.25, 1e4), std::pair(2.0, 2.0), std::pair(1.0, 0.0),
                          std::pair(0.0, 1e300), std::pair(-65504.0, 65504.0), std::pair(-7e4, 0.0)})
    compareInPlace("uniform_", allTypes, [=](rt::Tensor self, rt::Generator& g) { rt::uniform_(self, from, to, g); },
                   [=](at::Tensor self, at::Generator g) { self.uniform_(from, to, g); }, roundingUlps());
}

TEST(Random, NormalEqualsLibTorch) {
  compareOver("randn", allTypes, [](auto shape, DType dtype) { return [=](rt::Generator& g) { return rt::randn(shape, dtype, g); }; },
              [](auto shape, DType dtype) { return [=](at::Generator g) { return at::randn(shape, g, options(dtype)); }; }, roundingUlps());
  for (auto [mean, std] : {std::pair(0.1, 0.02), std::pair(-3.0, 7.0), std::pair(1.0, 0.0), std::pair(0.0, -1.0)})
    compareInPlace("normal_", allTypes, [=](rt::Tensor self, rt::Generator& g) { rt::normal_(self, mean, std, g); },
                   [=](at::Tensor self, at::Generator g) { self.normal_(mean, std, g); }, roundingUlps());
}

TEST(Random, ALongRunOfNormalsEqualsLibTorch) {
  Tally tally("randn");
  for (DType dtype : floatingTypes)
    tally.add({}, compareDraws(11, [&](rt::Generator& g) { return rt::randn({100003}, dtype, g); },
                               [&](at::Generator g) { return at::randn({100003}, g, options(dtype)); }, roundingUlps()));
}

TEST(Random, IntegersEqualLibTorch) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  for (auto [low, high] : {std::pair<int64_t, int64_t>(0, 10), {-5, 5}, {0, 2}, {3, 3}, {0, 256}, {-128, 128}, {0, 1 << 28},
                           {0, (1 << 28) - 1}, {0, int64_t(1) << 40}, {-most, most}, {0, 65504}, {2049, 70000}, {-33000, 1}, {16777217, 16777300}})
    compareOver("randint", allTypes,
                [low = low, high = high](auto shape, DType dtype) { return [=](rt::Generator& g) { return rt::randint(low, high, shape, dtype, g); }; },
                [low = low, high = high](auto shape, DType dtype) { return [=](at::Generator g) { return at::randint(low, high, shape, g, options(dtype)); }; });
}

TEST(Random, PermutationsEqualLibTorch) {
  Tally tally("randperm");
  for (uint64_t seed : seeds)
    for (DType dtype : allTypes)
      for (int64_t n : {-1, 0, 1, 2, 10, 127, 128, 256, 257, 300, 2048, 2049}) {
        std::string text = compareDraws(seed, [&](rt::Generator& g) { return rt::randperm(n, dtype, g); },
                                        [&](at::Generator g) { return at::randperm(n, g, options(dtype)); });
        tally.add({}, text.empty() ? text : std::string(rt::dtypeName(dtype)) + " n " + std::to_string(n) + ": " + text);
      }
}

TEST(Random, BernoulliOfTensorsEqualsLibTorch) {
  for (double wrong : {0.0, 1.5, -0.25}) {
    const std::vector<double> p = {0, 1, 0.5, 0.3 + wrong, 0.9, 0.1, 1e-3, 0.999, 0.75, 0.25, 0.6, 0.4};
    for (DType pType : allTypes)
      for (const auto& shape : {std::vector<int64_t>{12}, {3, 4}}) {
        const Argument argument{shape, p, pType, shape.size() == 2};
        Tally tally("bernoulli");
        tally.add({argument}, compareDraws(5, [&](rt::Generator& g) { return rt::bernoulli(argument.ours(), g); },
                                           [&](at::Generator g) { return at::bernoulli(argument.theirs(), g); }));
      }
  }
  const Argument row{{7}, {0, 1, 0.5, 0.3, 0.9, 0.1, 0.75}, DType::float32}, wide{{6, 1}, {0.1, 0.2, 0.3, 0.4, 0.5, 1}, DType::float64};
  for (int layout : {0, 1, 2}) {
    Tally tally("bernoulli_");
    for (DType dtype : allTypes)
      for (const Argument& argument : {row, wide}) {
        auto ours = [&](rt::Generator& g) { rt::Tensor self = ourTarget(layout, dtype); rt::bernoulli_(self, argument.ours(), g); return self; };
        auto theirs = [&](at::Generator g) { at::Tensor self = theirTarget(layout, dtype); self.bernoulli_(argument.theirs(), g); return self; };
        tally.add({argument}, compareDraws(8, ours, theirs));
      }
  }
}

TEST(Random, BernoulliOfANumberEqualsLibTorch) {
  if (drawsFromMKL([](at::Tensor t, at::Generator g) { t.bernoulli_(0.5, g); })) GTEST_SKIP() << "this LibTorch draws these from MKL's generator";
  for (double p : {0.0, 0.3, 0.5, 1.0, 1.5})
    compareInPlace("bernoulli_", allTypes, [=](rt::Tensor self, rt::Generator& g) { rt::bernoulli_(self, p, g); },
                   [=](at::Tensor self, at::Generator g) { self.bernoulli_(p, g); });
}

TEST(Random, ExponentialEqualsLibTorch) {
  if (drawsFromMKL([](at::Tensor t, at::Generator g) { t.exponential_(1, g); })) GTEST_SKIP() << "this LibTorch draws these from MKL's generator";
  compareInPlace("exponential_", allTypes, [](rt::Tensor self, rt::Generator& g) { rt::exponential_(self, g); },
                 [](at::Tensor self, at::Generator g) { self.exponential_(1, g); });
}

TEST(Random, MultinomialEqualsLibTorch) {
  const bool mkl = drawsFromMKL([](at::Tensor t, at::Generator g) { t.exponential_(1, g); });
  // No row has two zeros: LibTorch leaves their order open where both are drawn.
  const std::vector<double> rows = {0.1, 0.2, 0.3, 0.4, 0, 7, 1, 1, 1, 1, 0.5, 0, 0.25, 100, 1e-3}, zeros(15, 0.0);
  Tally tally("multinomial");
  for (DType dtype : allTypes)
    for (const auto& values : {rows, zeros})
      for (const auto& shape : {std::vector<int64_t>{15}, {3, 5}, {5, 3}, {15, 1}, {3, 5, 1}})
        for (bool transposed : {false, true})
          for (bool replacement : {false, true})
            for (int64_t samples : {0, 1, 2, 5, 16}) {
              if (mkl && (!replacement || samples == 1)) continue;
              const Argument weights{shape, values, dtype, transposed && shape.size() == 2};
              auto ours = [&](rt::Generator& g) { return rt::multinomial(weights.ours(), samples, replacement, g); };
              auto theirs = [&](at::Generator g) { return at::multinomial(weights.theirs(), samples, replacement, g); };
              std::string text = compareDraws(21, ours, theirs);
              tally.add({weights}, text.empty() ? text : std::to_string(samples) + (replacement ? " with" : " without") + " replacement: " + text);
            }
}

TEST(Random, TheDefaultGeneratorsGoTogether) {
  at::manual_seed(1234);
  rt::manualSeed(1234);
  Tally tally("rand, randn, randint, randperm");
  tally.add({}, difference(rt::rand({3}), at::rand({3}), 0));
  tally.add({}, difference(rt::randn({5}), at::randn({5}), 0));
  tally.add({}, difference(rt::randint(0, 9, {4}), at::randint(0, 9, {4}), 0));
  tally.add({}, difference(rt::randn({2}), at::randn({2}), 0));  // the kept normal outlives other calls
  tally.add({}, difference(rt::randperm(6), at::randperm(6), 0));
}

}  // namespace
}  // namespace conformance
