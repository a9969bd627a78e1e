// The loop body that host and device share, run on the host by the device's own indexing, against the CPU's loops; and
// the GPU's table against the CPU's, where there is a GPU.
#include "runtime/body.h"
#include "runtime/loops.h"
#include "runtime/ops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace rt {
namespace {

// --- inputs: one transposed, one broadcast along rows, one along everything

template <typename S> std::vector<Scalar> valuesOf(bool divisor) {
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  if constexpr (std::is_same_v<S, bool>) return {true, false, true, true, false, false};
  else if constexpr (std::is_integral_v<S>) return divisor ? std::vector<Scalar>{3, -2, 1, 7, 5, -4} : std::vector<Scalar>{0, 1, -3, 7, 2, 100};
  else return {0.0, -0.0, 0.3, -1.7, nan, inf, -inf, 1e-40, 65504.0, 2.5};
}

template <typename S> std::vector<Tensor> inputsOf(Op op, int count, DType dtype) {
  std::vector<Tensor> in;
  for (int i = 0; i < count; ++i) {
    std::vector<int64_t> shape = i == 0 ? std::vector<int64_t>{5, 4} : i == 1 ? std::vector<int64_t>{1, 5} : std::vector<int64_t>{};
    bool condition = op == Op::where && i == 0;
    std::vector<Scalar> pool = condition ? valuesOf<bool>(false) : valuesOf<S>(i == 1), values;
    for (int64_t k = 0; k < numelOf(shape); ++k) values.push_back(pool[size_t(k * 3 + i) % pool.size()]);
    Tensor tensor = fromValues(values, shape, condition ? DType::boolean : dtype);
    in.push_back(i == 0 ? ops::t(tensor) : tensor);
  }
  return in;
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

// --- the shared body, on the host

template <Op op, typename S> void expectSameAsCpu(DType dtype) {
  using Row = formula::Row<op, S>;
  if constexpr (formula::computes<Row::rule, S>()) {
    std::vector<Tensor> in = inputsOf<S>(op, Row::arity, dtype);
    const Tensor wanted = elementwise(op, in), out = emptyTensor(wanted->sizes, wanted.dtype());
    Loop loop{.shape = out->sizes, .out = out->storage->data, .outStrides = out->strides};
    std::copy_n(info(op).numbers, 3, loop.numbers);
    for (size_t k = 0; k < in.size(); ++k) {
      loop.in[k] = in[k]->storage->data;
      loop.inStrides[k] = expandedStrides(in[k]->sizes, in[k]->strides, loop.shape);
    }
    for (int64_t i = 0; i < out.numel(); ++i) {
      int64_t offsets[4];
      offsetsOf<Row::arity>(loop, i, offsets);
      Element<op, S>::at(loop, offsets);
    }
    EXPECT_EQ(difference(out, wanted), "") << info(op).name << " " << dtypeName(dtype);
  }
}

template <Op op> void expectSameAsCpu() {
  expectSameAsCpu<op, bool>(DType::boolean);
  expectSameAsCpu<op, int64_t>(DType::int64);
  expectSameAsCpu<op, Half>(DType::float16);
  expectSameAsCpu<op, float>(DType::float32);
}

TEST(LoopBody, GivesTheSameElementByElement) {
#define UNARY(name, ...) expectSameAsCpu<Op::name>();
#define BINARY(name, ...) expectSameAsCpu<Op::name>();
#define TERNARY(name, ...) expectSameAsCpu<Op::name>();
#include "runtime/ops.def"
}

// --- the GPU

class Gpu : public testing::Test {
 protected:
  void SetUp() override {
    if (!cudaAvailable()) GTEST_SKIP() << "no CUDA device";
  }
};

constexpr DType deviceTypes[] = {DType::boolean, DType::int64, DType::float16, DType::bfloat16, DType::float32, DType::float64};

// Each side has its own exp, sin and so on.
double toleranceOf(Op op, DType dtype) {
  std::string_view forward = info(op).forward;
  if (forward.find("std::") == forward.npos && forward.find("power") == forward.npos) return 0;
  return dtype == DType::float64 ? 1e-14 : dtype == DType::float32 ? 2e-6 : dtype == DType::float16 ? 2e-3 : 1e-2;
}

TEST_F(Gpu, EveryElementwiseRowGivesWhatTheCpuGives) {
  for (size_t i = 0; i < opCount; ++i) {
    const Op op = static_cast<Op>(i);
    if (info(op).kind > OpKind::ternary) break;
    for (DType dtype : deviceTypes)
      withType(dtype, [&]<typename S>() {
        std::vector<Tensor> host = inputsOf<S>(op, info(op).minTensors, dtype), device;
        for (const Tensor& tensor : host) device.push_back(tensor.to(Device::cuda));
        Tensor wanted;
        try { wanted = elementwise(op, host); } catch (const Error&) { EXPECT_THROW(elementwise(op, device), Error); return; }
        const Tensor found = elementwise(op, device);
        EXPECT_EQ(found.device(), Device::cuda);
        EXPECT_EQ(difference(found.to(Device::cpu), wanted, toleranceOf(op, dtype)), "") << info(op).name << " " << dtypeName(dtype);
      });
  }
}

TEST_F(Gpu, EveryConversionGivesWhatTheCpuGives) {
  for (size_t from = 0; from <= static_cast<size_t>(DType::float64); ++from)
    for (size_t to = 0; to <= static_cast<size_t>(DType::float64); ++to)
      withType(static_cast<DType>(from), [&]<typename S>() {
        const Tensor host = inputsOf<S>(Op::neg, 1, static_cast<DType>(from))[0], device = host.to(Device::cuda);
        EXPECT_EQ(difference(device.to(static_cast<DType>(to)).to(Device::cpu), host.to(static_cast<DType>(to))), "") << dtypeName(host.dtype()) << " to " << dtypeName(static_cast<DType>(to));
      });
}

TEST_F(Gpu, MoreThanThereIsSaysHowMuchWasAsked) {
  try {
    emptyTensor({int64_t(1) << 39}, DType::float64, Device::cuda);
    FAIL() << "4 TiB were allocated";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("4398046511104 bytes"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("cudaErrorMemoryAllocation"), std::string::npos) << error.what();
  }
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
