// A GPU against the CPU: rows, conversions, errors. Built twice: into runtime-tests, where these tests are skipped unless there is a
// GPU, and into emulated-gpu-tests, where what is written for a device runs on the host (emulated-gpu.cpp).
#include "runtime/backend.h"
#include "runtime/body.h"
#include "runtime/cuda-error.h"
#include "runtime/ops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace rt {
namespace {

class Gpu : public testing::Test {
 protected:
  void SetUp() override {
    if (!cudaAvailable()) GTEST_SKIP() << "no CUDA device";
  }
};

// --- values, in layouts

template <typename S> std::vector<Scalar> valuesOf(bool divisor) {
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  if constexpr (std::is_same_v<S, bool>) return {true, false, true, true, false, false};
  else if constexpr (std::is_integral_v<S>) return divisor ? std::vector<Scalar>{3, -2, 1, 7, 5, -4} : std::vector<Scalar>{0, 1, -3, 7, 2, 100};
  else return {0.0, -0.0, 0.3, -1.7, nan, inf, -inf, 1e-40, 65504.0, 2.5};
}

Tensor filled(const std::vector<Scalar>& pool, std::vector<int64_t> shape, size_t start, DType dtype) {
  std::vector<Scalar> values;
  for (int64_t k = 0; k < numelOf(shape); ++k) values.push_back(pool[(size_t(k) * 3 + start) % pool.size()]);
  return fromValues(values, shape, dtype);
}

/// For an elementwise row: one transposed, one broadcast along rows, one along everything; or all of them empty.
template <typename S> std::vector<Tensor> inputsOf(Op op, DType dtype, bool empty) {
  std::vector<Tensor> in;
  for (int i = 0; i < info(op).tensors; ++i) {
    const std::vector<int64_t> shape = empty ? std::vector<int64_t>{0, 4} : i == 0 ? std::vector<int64_t>{5, 4} : i == 1 ? std::vector<int64_t>{1, 5} : std::vector<int64_t>{};
    const bool condition = op == Op::where && i == 0;
    const Tensor tensor = filled(condition ? valuesOf<bool>(false) : valuesOf<S>(i == 1), shape, size_t(i), condition ? DType::boolean : dtype);
    in.push_back(i == 0 && !empty ? ops::t(tensor) : tensor);
  }
  return in;
}

/// Dense, transposed, every other column from the second on, rows that are one in memory, empty, and long enough for several blocks
/// of a sum.
std::vector<Tensor> layoutsOf(DType dtype) {
  const std::vector<Scalar> pool = {1, 3, 0, 2, 2, 5, 4, 1, 7, 2, 6};
  const auto made = [&](std::vector<int64_t> shape) { return filled(pool, std::move(shape), 0, dtype); };
  return {made({4, 5}), ops::t(made({5, 4})), ops::slice(made({3, 9}), {1, 1, 9, 2}), ops::expand(made({1, 5}), {3, 5}), made({0, 4}), made({3, 0}), made({2, 2500})};
}

/// The first element that differs; NaN equals NaN, -0 differs from 0. `tolerance` is relative.
std::string difference(const Tensor& a, const Tensor& b, double tolerance = 0) {
  if (a.dtype() != b.dtype()) return "dtype";
  if (!std::ranges::equal(a.sizes(), b.sizes())) return "shape";
  for (int64_t i = 0; i < a.numel(); ++i) {
    double x = a.at(i).toDouble(), y = b.at(i).toDouble();
    if ((std::isnan(x) && std::isnan(y)) || (x == y && std::signbit(x) == std::signbit(y))) continue;
    if (std::isfinite(x) && std::isfinite(y) && std::abs(x - y) <= tolerance * std::max(std::abs(y), double(std::numeric_limits<float>::min()))) continue;
    return "element " + std::to_string(i) + ": " + std::to_string(x) + " against " + std::to_string(y);
  }
  return {};
}

// Each side has its own exp, sin and so on, as near as the row is to LibTorch.
double toleranceOf(Op op, DType dtype) {
  const double half = dtype == DType::float16 ? 0x1p-11 : dtype == DType::bfloat16 ? 0x1p-8 : dtype == DType::float32 ? 0x1p-24 : 0x1p-53;
  return 2 * half * info(op).ulps;
}

std::vector<Tensor> onGpu(const std::vector<Tensor>& in) {
  std::vector<Tensor> result;
  for (const Tensor& tensor : in) result.push_back(tensor.isWrappedNumber() ? tensor : tensor.to(Device::cuda));
  return result;
}

/// The same result, or the same error.
void expectSameAsCpu(Op op, const std::vector<Tensor>& in, const Attributes& attributes = {}) {
  const std::string what = std::string(info(op).name) + " of " + dtypeName(in[0].dtype()) + toText(in[0].sizes()) + ", " + toText(attributes.ints);
  Tensor wanted, found;
  std::string wantedError, foundError;
  try { wanted = call(op, in, attributes); } catch (const Error& error) { wantedError = error.what(); }
  try { found = call(op, onGpu(in), attributes); } catch (const Error& error) { foundError = error.what(); }
  EXPECT_EQ(foundError, wantedError) << what;
  if (!wanted.defined() || !found.defined()) return;
  EXPECT_EQ(found.device(), Device::cuda) << what;
  EXPECT_EQ(toText(found.strides()), toText(wanted.strides())) << what;
  EXPECT_EQ(difference(found.to(Device::cpu), wanted, toleranceOf(op, wanted.dtype())), "") << what;
}

template <typename F> void eachDType(F f) {
#define DTYPE(name, type, kind, constant) f.template operator()<type>(DType::name);
#include "runtime/dtypes.def"
}

std::vector<Op> rowsOf(std::initializer_list<OpKind> kinds) {
  std::vector<Op> rows;
  for (size_t i = 0; i < opCount; ++i)
    if (std::ranges::find(kinds, info(static_cast<Op>(i)).kind) != kinds.end()) rows.push_back(static_cast<Op>(i));
  return rows;
}

// --- rows

TEST_F(Gpu, EveryElementwiseRowGivesWhatTheCpuGives) {
  for (Op op : rowsOf({OpKind::unary, OpKind::binary, OpKind::ternary}))
    eachDType([&]<typename S>(DType dtype) {
      for (bool empty : {false, true}) expectSameAsCpu(op, inputsOf<S>(op, dtype, empty));
    });
}

TEST_F(Gpu, EveryConversionGivesWhatTheCpuGives) {
  eachDType([]<typename S>(DType from) {
    for (const Tensor& tensor : inputsOf<S>(Op::sub, from, false))
      eachDType([&]<typename To>(DType to) { expectSameAsCpu(Op::to, {tensor}, {{}, false, to}); });
  });
}

TEST_F(Gpu, EveryReductionGivesWhatTheCpuGives) {
  for (Op op : rowsOf({OpKind::reduce}))
    eachDType([&]<typename S>(DType dtype) {
      for (const Tensor& tensor : layoutsOf(dtype))
        for (const Ints& dims : {Ints{}, Ints{0}, Ints{1}, Ints{0, 1}}) expectSameAsCpu(op, {tensor}, {dims, dims.size() == 1});
    });
}

TEST_F(Gpu, WhatGoesAlongALineGivesWhatTheCpuGives) {
  for (Op op : {Op::softmax, Op::log_softmax, Op::cumsum, Op::cumprod, Op::cummax, Op::cummin, Op::cummax_indices, Op::cummin_indices, Op::flip})
    eachDType([&]<typename S>(DType dtype) {
      for (const Tensor& tensor : layoutsOf(dtype))
        for (int64_t d : {0, 1}) expectSameAsCpu(op, {tensor}, {{d}});
    });
}

TEST_F(Gpu, WhatAnIndexNamesIsWhatTheCpuTakesAndPuts) {
  const std::vector<Scalar> places = {0, 2, 1, 1};
  const Tensor each = ops::t(filled(places, {2, 3}, 0, DType::int64)), some = filled(places, {5}, 0, DType::int64), none = filled(places, {0}, 0, DType::int64);
  eachDType([&]<typename S>(DType dtype) {
    for (const Tensor& tensor : layoutsOf(dtype))
      for (int64_t d : {0, 1}) {
        const Tensor source = ops::narrow(ops::expand(tensor, {tensor.size(0), tensor.size(1)}), {1, 0, std::min<int64_t>(tensor.size(1), 2)});
        for (Op op : {Op::gather, Op::index_select}) expectSameAsCpu(op, {tensor, op == Op::gather ? each : some}, {{d}});
        expectSameAsCpu(Op::index_select, {tensor, none}, {{d}});
        for (Op op : {Op::scatter, Op::scatter_add}) expectSameAsCpu(op, {tensor, each, source}, {{d}});
        if (tensor.size(0) > 2) expectSameAsCpu(Op::index_add, {tensor, some, ops::index_select(tensor, some, {0})}, {{0}});
      }
  });
}

TEST_F(Gpu, ProductsOfMatricesAreThoseOfTheCpu) {
  eachDType([]<typename S>(DType dtype) {
    for (const Tensor& tensor : layoutsOf(dtype)) {
      const Tensor narrow = ops::slice(tensor, {1, 0, 7, 1});
      expectSameAsCpu(Op::mm, {tensor, ops::t(tensor)});
      expectSameAsCpu(Op::matmul, {ops::t(narrow), narrow});
      expectSameAsCpu(Op::matmul, {ops::expand(tensor, {3, tensor.size(0), tensor.size(1)}), ops::sum(tensor, {0})});
    }
  });
}

// Planes, and planes whose channels are next to each other in memory.
std::vector<Tensor> imagesOf(DType dtype) {
  const std::vector<Scalar> pool = {1, 3, 0, 2, 2, 5, 4, 1, 7, 2, 6};
  const Tensor planes = filled(pool, {2, 4, 5, 6}, 0, dtype);
  return {planes, ops::permute(filled(pool, {2, 5, 6, 4}, 1, dtype), {0, 3, 1, 2})};
}

TEST_F(Gpu, WindowsOfImagesAreThoseOfTheCpu) {
  const Attributes largest{{3, 2, 2, 1, 1, 0, 1, 2}}, mean{{3, 2, 2, 1, 1, 0, 1, 0}}, adaptive{{3, 4}};
  eachDType([&]<typename S>(DType dtype) {
    for (const Tensor& image : imagesOf(dtype)) {
      for (Op op : {Op::max_pool2d, Op::max_pool2d_indices}) expectSameAsCpu(op, {image}, largest);
      for (Op op : {Op::adaptive_max_pool2d, Op::adaptive_max_pool2d_indices, Op::_adaptive_avg_pool2d}) expectSameAsCpu(op, {image}, adaptive);
      expectSameAsCpu(Op::avg_pool2d, {image}, mean);
      expectSameAsCpu(Op::_adaptive_avg_pool2d_backward, {image}, {{7, 9}});
    }
  });
}

TEST_F(Gpu, SetsAreNormalizedAsByTheCpu) {
  for (DType dtype : {DType::float16, DType::bfloat16, DType::float32, DType::float64})
    for (const Tensor& image : imagesOf(dtype)) {
      const Tensor scale = filled({1, 2, 0.5, 3}, {4}, 0, dtype), shift = filled({0, 1, -1, 2}, {4}, 0, dtype);
      expectSameAsCpu(Op::layer_norm, {image, filled({1, 2, 0.5}, {5, 6}, 0, dtype), filled({1, 2, 0.5}, {5, 6}, 1, dtype)}, {{5, 6}});
      expectSameAsCpu(Op::group_norm, {image, scale, shift}, {{2}});
      expectSameAsCpu(Op::native_batch_norm, {image, scale, shift}, {{1}});
      expectSameAsCpu(Op::native_batch_norm, {image, scale, shift, shift, scale}, {{0}});
    }
}

TEST_F(Gpu, RunningStatisticsAreWrittenWhereTheyAre) {
  const Tensor image = imagesOf(DType::float32)[0];
  const std::vector<Tensor> here = {image, {}, {}, filled({0, 1}, {4}, 0, DType::float32), filled({1, 2}, {4}, 0, DType::float32)};
  std::vector<Tensor> there;
  for (const Tensor& tensor : here) there.push_back(tensor.defined() ? tensor.to(Device::cuda) : tensor);
  for (const auto& in : {here, there}) call(Op::native_batch_norm, in, {{1}});
  for (size_t i : {3, 4}) EXPECT_EQ(difference(there[i].to(Device::cpu), here[i]), "");
  EXPECT_EQ(toText(here[3].sizes()), "[4]");
  EXPECT_NE(here[3].at(0).toDouble(), 0);
}

TEST_F(Gpu, ConvolutionsAreThoseOfTheCpu) {
  for (DType dtype : {DType::float16, DType::bfloat16, DType::float32, DType::float64, DType::int64})
    for (const Tensor& image : imagesOf(dtype)) {
      const Tensor weight = filled({1, 0, 2, 1}, {6, 2, 3, 2}, 0, dtype), bias = filled({1, 2}, {6}, 0, dtype);
      expectSameAsCpu(Op::convolution, {image, weight, bias}, {{2, 1, 1, 0, 1, 2, 0, 0, 2, 0}});
      expectSameAsCpu(Op::convolution, {image, filled({1, 0, 2}, {4, 3, 3, 2}, 0, dtype)}, {{2, 1, 1, 0, 1, 2, 1, 0, 2, 1}});
      expectSameAsCpu(Op::convolution_weight, {image, filled({1, 0, 2}, {2, 6, 3, 4}, 0, dtype)}, {{2, 1, 1, 0, 1, 2, 3, 2, 2, 0}});
    }
}

// --- memory

TEST_F(Gpu, MoreThanThereIsSaysHowMuchWasAskedAndHowMuchIsFree) {
  try {
    emptyTensor({int64_t(1) << 39}, DType::float64, Device::cuda);
    FAIL() << "4 TiB were allocated";
  } catch (const CudaOutOfMemory& error) {
    EXPECT_EQ(error.name, "cudaErrorMemoryAllocation");
    EXPECT_EQ(error.asked, size_t(1) << 42);
    EXPECT_LT(error.free, size_t(1) << 42);
    EXPECT_NE(std::string(error.what()).find("4398046511104 bytes were asked for, "), std::string::npos) << error.what();
  }
  EXPECT_EQ(ops::add(Tensor(1.0).to(Device::cuda), 1).item().toDouble(), 2) << "an error that was told lives on";
}

TEST(Device, AMissingGpuIsAnErrorThatSaysSo) {
  if (cudaAvailable()) GTEST_SKIP() << "there is a CUDA device";
  try {
    Tensor(1.0).to(Device::cuda);
    FAIL() << "a tensor moved to a GPU that is not there";
  } catch (const Error& error) {
    const std::string wanted = cudaBackend() ? "cudaError" : "this build has no CUDA";
    EXPECT_NE(std::string(error.what()).find(wanted), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace rt
