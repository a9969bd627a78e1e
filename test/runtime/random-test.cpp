// The generator as a value, and what random tensors are made of, without LibTorch.
#include "runtime/ops.h"
#include "runtime/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace rt {
namespace {

Tensor zerosOf(std::vector<int64_t> shape, DType dtype = DType::float32) { return call(Op::zeros, {}, {std::move(shape), false, dtype}); }
std::vector<double> valuesOf(const Tensor& tensor) {
  std::vector<double> values;
  for (int64_t i = 0; i < tensor.numel(); ++i) values.push_back(tensor.at(i).toDouble());
  return values;
}

// The first and the ten thousandth number of mt19937 seeded with 5489: ISO C++, [rand.predef].
TEST(Generator, IsMt19937) {
  Generator generator(5489);
  EXPECT_EQ(generator.random(), 3499211612u);
  for (int i = 2; i < 10000; ++i) generator.random();
  EXPECT_EQ(generator.random(), 4123659995u);
}

TEST(Generator, TheFirstOfTwoDrawsIsTheUpperHalf) {
  Generator one(7), two(7);
  uint64_t high = one.random(), low = one.random();
  EXPECT_EQ(two.random64(), high << 32 | low);
  EXPECT_EQ(one, two);
}

TEST(Generator, IsAValue) {
  Generator generator(3);
  generator.random();
  const Generator kept = generator;
  const std::vector<double> first = valuesOf(randn({3}, DType::float32, generator));
  EXPECT_NE(generator, kept);
  generator = kept;
  EXPECT_EQ(generator, kept);
  EXPECT_EQ(valuesOf(randn({3}, DType::float32, generator)), first);
}

TEST(Generator, AKeptNormalIsAPartOfTheState) {
  Generator one(3), two(3);
  one.normal();
  two.random64();
  two.random64();
  EXPECT_NE(one, two) << "the engines stand alike, but one has a normal left";
  one.normal();
  EXPECT_EQ(one, two);
}

TEST(Generator, SeedingStartsAnew) {
  Generator generator(3);
  generator.normal();
  generator.manualSeed(3);
  EXPECT_EQ(generator, Generator(3));
  EXPECT_EQ(generator.initialSeed(), 3u);
  EXPECT_NE(generator, Generator(4));
}

TEST(Random, TheDefaultGeneratorIsReproducible) {
  manualSeed(99);
  const std::vector<double> first = valuesOf(rand({20}));
  EXPECT_NE(valuesOf(rand({20})), first);
  manualSeed(99);
  EXPECT_EQ(valuesOf(rand({20})), first);
}

TEST(Random, UniformsLieInTheHalfOpenInterval) {
  Generator generator(1);
  for (DType dtype : {DType::float16, DType::bfloat16, DType::float32, DType::float64}) {
    Tensor self = zerosOf({20000}, dtype);
    uniform_(self, 1, 2, generator);
    for (double v : valuesOf(self)) ASSERT_TRUE(v >= 1 && v < 2) << dtypeName(dtype) << " " << v;  // rounding may not reach 2
  }
}

TEST(Random, NormalsHaveTheirMoments) {
  Generator generator(1);
  for (DType dtype : {DType::float32, DType::float64}) {
    Tensor self = zerosOf({40000}, dtype);
    normal_(self, 3, 2, generator);
    EXPECT_NEAR(ops::mean(self).item().toDouble(), 3, 0.05);
    EXPECT_NEAR(ops::std(self).item().toDouble(), 2, 0.05);
  }
}

TEST(Random, APermutationHasEveryNumberOnce) {
  Generator generator(1);
  std::vector<double> values = valuesOf(randperm(100, DType::int64, generator));
  EXPECT_FALSE(std::is_sorted(values.begin(), values.end()));
  std::sort(values.begin(), values.end());
  for (int i = 0; i < 100; ++i) EXPECT_EQ(values[size_t(i)], i);
}

TEST(Random, MultinomialFollowsTheWeights) {
  Generator generator(1);
  const Scalar weights[] = {1.0, 0.0, 3.0};
  const Tensor drawn = multinomial(fromValues(weights, {3}, DType::float32), 8000, true, generator);
  int64_t counts[3] = {};
  for (int64_t i = 0; i < 8000; ++i) ++counts[drawn.at(i).i];
  EXPECT_EQ(counts[1], 0);
  EXPECT_NEAR(double(counts[2]) / 8000, 0.75, 0.02);
}

TEST(Random, AWriteInPlaceIsAWrite) {
  Generator generator(1);
  Tensor self = zerosOf({2, 3}), parameter = zerosOf({2}).setRequiresGrad(true);
  const uint32_t before = self.version();
  Tensor view = ops::select(self, {0, 1});
  uniform_(view, 5, 6, generator);
  EXPECT_GT(self.version(), before);
  EXPECT_EQ(self.at(0).toDouble(), 0);
  EXPECT_GE(self.at(3).toDouble(), 5);
  EXPECT_THROW(uniform_(parameter, 0, 1, generator), Error);
  GradMode off(false);
  EXPECT_NO_THROW(uniform_(parameter, 0, 1, generator));
}

TEST(Random, RefusalsSayWhy) {
  Generator generator(1);
  const Generator before = generator;
  auto messageOf = [](auto run) {
    try { run(); } catch (const Error& error) { return std::string(error.what()); }
    return std::string();
  };
  EXPECT_EQ(messageOf([&] { uniform_(zerosOf({2}), 2, 1, generator); }), "uniform_: from is 2, greater than to, 1");
  EXPECT_EQ(messageOf([&] { normal_(zerosOf({2}), 0, -1, generator); }), "normal_: std is -1, not >= 0");
  EXPECT_EQ(messageOf([&] { rand({2}, DType::int32, generator); }), "uniform_: not for tensors of int32");
  EXPECT_EQ(messageOf([&] { uniform_(ops::expand(zerosOf({1}), {3}), 0, 1, generator); }),
            "uniform_: several elements of the tensor, expanded to [3], share one place in memory; clone it first");
  EXPECT_EQ(messageOf([&] { multinomial(zerosOf({3}), 1, false, generator); }), "multinomial: all weights of a row are 0");
  EXPECT_EQ(generator, before) << "nothing is drawn for what is refused";
}

}  // namespace
}  // namespace rt
