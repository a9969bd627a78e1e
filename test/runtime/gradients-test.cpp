// The gradient of every differentiable row against central differences in float64, and the gradient of that gradient. An
// elementwise row takes its inputs from a pool, wherever its domain column allows; the other rows have a line in a table
// of arguments, and a row without a line fails.
#include "runtime/backend.h"
#include "runtime/ops.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rt {
namespace {

std::vector<Op> differentiableRows(std::initializer_list<OpKind> kinds) {
  std::vector<Op> rows;
  for (size_t i = 0; i < opCount; ++i)
    for (OpKind kind : kinds)
      if (const OpInfo& row = info(static_cast<Op>(i)); row.kind == kind && row.differentiable && std::string_view(row.gradients[0]) != "unimplemented") rows.push_back(static_cast<Op>(i));
  return rows;
}
std::string nameOf(const testing::TestParamInfo<Op>& row) { return info(row.param).name; }

bool inDomain(Op op, [[maybe_unused]] double a, [[maybe_unused]] double b, [[maybe_unused]] double c) {
  switch (op) {
#define UNARY(name, result, ulps, domain, ...) case Op::name: return domain;
#define BINARY(name, result, ulps, domain, ...) case Op::name: return domain;
#define TERNARY(name, result, ulps, domain, ...) case Op::name: return domain;
#include "runtime/ops.def"
    default: return true;
  }
}

/// An op as a function of its tensors; the attributes are bound.
struct Function {
  Op op;
  Attributes attributes;
  Tensor operator()(const std::vector<Tensor>& in) const { return call(op, in, attributes); }
};

// Fixed weights turn a tensor into a number, so that every element of the result counts.
Tensor weighted(const Tensor& y) {
  std::vector<Scalar> weights;
  for (int64_t i = 0; i < y.numel(); ++i) weights.emplace_back(0.75 + 0.5 * double(i % 3) - 0.125 * double(i % 5));
  return ops::sum(ops::mul(y, fromValues(weights, {y.sizes().begin(), y.sizes().end()}, DType::float64)));
}

Tensor leaf(const Tensor& tensor, size_t i, double by) {
  std::vector<Scalar> values;
  for (int64_t k = 0; k < tensor.numel(); ++k) values.push_back(tensor.at(k));
  if (by != 0) values[i] = Scalar(values[i].toDouble() + by);
  return fromValues(values, {tensor.sizes().begin(), tensor.sizes().end()}, tensor.dtype());
}

using Scalars = std::function<Tensor(const std::vector<Tensor>&)>;  // to a tensor of one element

double slope(const Scalars& f, std::vector<Tensor> in, size_t which, size_t element) {
  const Tensor at = in[which];
  double h = 1e-5 * std::max(1.0, std::abs(at.at(int64_t(element)).toDouble()));
  auto value = [&](double by) {
    in[which] = leaf(at, element, by);
    for (Tensor& tensor : in) tensor = leaf(tensor, 0, 0);
    return f(in).item().toDouble();
  };
  return (8 * (value(h) - value(-h)) - (value(2 * h) - value(-2 * h))) / (12 * h);
}

std::vector<Tensor> gradients(const Scalars& f, const std::vector<Tensor>& in, bool createGraph) {
  std::vector<Tensor> leaves, result;
  for (const Tensor& tensor : in) {
    leaves.push_back(createGraph ? tensor : leaf(tensor, 0, 0));
    leaves.back().setRequiresGrad(kindOf(tensor.dtype()) == DTypeKind::floating);
  }
  Tensor y = f(leaves);
  if (!y.requiresGrad()) return std::vector<Tensor>(in.size());
  backward({&y, 1}, {}, createGraph);
  for (Tensor& tensor : leaves) {
    result.push_back(tensor.grad());
    tensor.clearGrad();
  }
  return result;
}

void expectSlopes(const std::string& what, const Scalars& f, const std::vector<Tensor>& in) {
  std::vector<Tensor> found = gradients(f, in, false);
  for (size_t which = 0; which < in.size(); ++which) {
    if (kindOf(in[which].dtype()) != DTypeKind::floating) continue;
    for (int64_t i = 0; i < in[which].numel(); ++i) {
      double wanted = slope(f, in, which, size_t(i)), got = found[which].defined() ? found[which].at(i).toDouble() : 0;
      EXPECT_NEAR(got, wanted, 2e-8 * std::max(1.0, std::abs(wanted))) << what << ": element " << i << " of input " << which << " of " << toString(in[which]);
    }
  }
}

// Where there is a GPU: the result and the gradients there.
void expectSameOnGpu(const Function& f, const std::vector<Tensor>& in) {
  std::vector<Tensor> there;
  for (const Tensor& tensor : in) there.push_back(tensor.to(Device::cuda));
  const auto expectNear = [&](const Tensor& found, const Tensor& wanted) {
    ASSERT_EQ(found.defined(), wanted.defined());
    if (!wanted.defined()) return;
    ASSERT_EQ(found.device(), Device::cuda) << info(f.op).name;
    ASSERT_EQ(toText(found.sizes()), toText(wanted.sizes())) << info(f.op).name;
    for (int64_t i = 0; i < wanted.numel(); ++i)
      EXPECT_NEAR(found.at(i).toDouble(), wanted.at(i).toDouble(), 1e-12 * std::max(1.0, std::abs(wanted.at(i).toDouble()))) << info(f.op).name << ", element " << i;
  };
  expectNear(f(there), f(in));
  const Scalars total = [&](const std::vector<Tensor>& x) { return ops::sum(f(x)); };
  const std::vector<Tensor> found = gradients(total, there, true), wanted = gradients(total, in, true);
  for (size_t i = 0; i < in.size(); ++i) expectNear(found[i], wanted[i]);
}

void expectBothOrders(const Function& f, const std::vector<Tensor>& in) {
  const std::string name = info(f.op).name;
  if (cudaAvailable()) expectSameOnGpu(f, in);
  expectSlopes(name, [&](const std::vector<Tensor>& x) { return weighted(f(x)); }, in);
  // The sum of the weighted gradients, as a function of the inputs again.
  expectSlopes(name + ", second order", [&](const std::vector<Tensor>& x) {
    Tensor total = ops::mul(Tensor(0.0).to(DType::float64), 1);
    for (const Tensor& g : gradients([&](const std::vector<Tensor>& in) { return weighted(f(in)); }, x, true))
      if (g.defined()) total = total + weighted(g);
    return total;
  }, in);
}

// --- elementwise rows

const double pool[] = {-2.3, -0.7, -0.31, 0.23, 0.6, 0.87, 1.4, 2.07, 3.1};

class ElementwiseGradient : public testing::TestWithParam<Op> {};

TEST_P(ElementwiseGradient, IsTheSlope) {
  Op op = GetParam();
  const int count = info(op).minTensors;
  std::vector<Scalar> columns[3];
  for (double a : pool)
    for (double b : count > 1 ? std::vector<double>{-1.9, -0.47, 0.41, 2.2} : std::vector<double>{0})
      for (double c : count > 2 ? std::vector<double>{-1.1, 0.37, 0.71} : std::vector<double>{0}) {
        if (!inDomain(op, a, b, c)) continue;
        columns[0].emplace_back(a);
        columns[1].emplace_back(b);
        columns[2].emplace_back(c);
      }
  ASSERT_GE(columns[0].size(), 3u);
  std::vector<Tensor> in;
  for (int i = 0; i < count; ++i) in.push_back(fromValues(columns[i], {int64_t(columns[i].size())}, op == Op::where && i == 0 ? DType::boolean : DType::float64));
  expectBothOrders({op, {}}, in);
}
INSTANTIATE_TEST_SUITE_P(Rows, ElementwiseGradient, testing::ValuesIn(differentiableRows({OpKind::unary, OpKind::binary, OpKind::ternary})), nameOf);

TEST(ElementwiseGradient, IsSummedWhereAnInputBroadcasts) {
  const Scalar column[] = {0.3, -1.2}, row[] = {0.7, 2.1, -0.4}, one[] = {1.3};
  const Tensor a = fromValues(column, {2, 1}, DType::float64), b = fromValues(row, {3}, DType::float64), c = fromValues(one, {}, DType::float64);
  for (Op op : {Op::add, Op::sub, Op::mul, Op::div, Op::maximum})
    for (const auto& in : {std::vector{a, b}, std::vector{b, a}, std::vector{a, c}, std::vector{c, b}}) expectBothOrders({op, {}}, in);
}

// --- the other rows, with arguments

struct Arguments {
  Op op;
  std::vector<std::vector<int64_t>> shapes;
  std::vector<int64_t> ints;
  bool keepdim = false;
};

const Arguments table[] = {
    {Op::sum, {{2, 3}}, {}},             {Op::sum, {{2, 3}}, {1}},           {Op::sum, {{2, 3, 2}}, {0, -1}, true},
    {Op::mean, {{2, 3}}, {}},            {Op::mean, {{2, 3}}, {-2}},         {Op::mean, {{2, 3, 2}}, {1, 2}, true},
    {Op::prod, {{2, 3}}, {}},            {Op::prod, {{2, 3}}, {1}},          {Op::prod, {{2, 3}}, {0}, true},
    {Op::amax, {{2, 3}}, {}},            {Op::amax, {{2, 3}}, {1}},          {Op::amin, {{2, 3}}, {0}, true},
    {Op::max, {{2, 3}}, {}},             {Op::min, {{2, 3}}, {}},            {Op::max_dim, {{2, 3}}, {1}},
    {Op::min_dim, {{2, 3}}, {0}, true},  {Op::norm, {{2, 3}}, {}},           {Op::norm, {{2, 3}}, {1}},
    {Op::norm, {{2, 3}}, {0}, true},     {Op::logsumexp, {{2, 3}}, {1}},     {Op::logsumexp, {{2, 3}}, {0}, true},
    {Op::median, {{2, 3}}, {}},          {Op::median_dim, {{2, 3}}, {1}},     {Op::median_dim, {{2, 3}}, {0}, true},
    {Op::cumprod, {{2, 3}}, {1}},        {Op::cummax, {{2, 3}}, {1}},         {Op::cummin, {{3, 3}}, {0}},
    {Op::selu, {{2, 3}}, {}},            {Op::celu, {{2, 3}}, {}},            {Op::relu6, {{2, 3}}, {}},
    {Op::softsign, {{2, 3}}, {}},        {Op::tanhshrink, {{2, 3}}, {}},      {Op::prelu, {{2, 3}, {3}}, {}},
    {Op::glu, {{2, 4}}, {}},             {Op::nan_to_num, {{2, 3}}, {}},      {Op::rsub, {{2, 3}, {3}}, {}},
    {Op::float_power, {{3}, {}}, {}}, {Op::nansum, {{2, 3}}, {1}},            {Op::flip, {{2, 3}}, {1}},
    {Op::movedim, {{2, 3, 2}}, {0, 2}},  {Op::diagonal, {{3, 3}}, {1}},      {Op::diagonal_scatter, {{3, 3}, {2}}, {1}},
    {Op::bmm, {{2, 2, 3}, {2, 3, 2}}, {}}, {Op::mv, {{2, 3}, {3}}, {}},      {Op::dot, {{3}, {3}}, {}},
    {Op::outer, {{2}, {3}}, {}},         {Op::addmm, {{2}, {2, 3}, {3, 2}}, {}}, {Op::addmv, {{2}, {2, 3}, {3}}, {}},
    {Op::baddbmm, {{2, 2, 2}, {2, 2, 3}, {2, 3, 2}}, {}},                    {Op::repeat, {{2, 3}}, {2, 1, 3}},
    {Op::repeat_interleave, {{2, 3}}, {2, 1}}, {Op::repeat_interleave, {{2, 3}}, {3}}, {Op::roll, {{2, 3}}, {2}},
    {Op::roll, {{2, 3}}, {1, -1, 0, 1}}, {Op::tril, {{3, 3}}, {1}},          {Op::triu, {{2, 3}}, {0}},
    {Op::sort, {{2, 3}}, {1, 1}},        {Op::topk, {{3, 2}}, {2, 0, 1}},
    {Op::var, {{2, 3}}, {}},             {Op::var, {{2, 3}}, {1}},           {Op::var, {{2, 3}}, {0}, true},
    {Op::std, {{2, 3}}, {}},             {Op::std, {{2, 3}}, {1}},           {Op::std, {{2, 3}}, {0}, true},
    {Op::view, {{2, 3}}, {3, -1}},       {Op::reshape, {{2, 3}}, {6}},       {Op::flatten, {{2, 3, 2}}, {1, 2}},
    {Op::squeeze, {{2, 1, 3}}, {1}},     {Op::unsqueeze, {{2, 3}}, {-1}},    {Op::permute, {{2, 3, 2}}, {2, 0, 1}},
    {Op::transpose, {{2, 3}}, {0, 1}},   {Op::t, {{2, 3}}, {}},              {Op::expand, {{1, 3}}, {2, 2, 3}},
    {Op::as_strided, {{4, 3}}, {2, 2, 3, 2, 1}}, {Op::slice_scatter, {{4, 3}, {2, 3}}, {0, 1, 3}},
    {Op::select_scatter, {{4, 3}, {4}}, {1, 2}}, {Op::as_strided_scatter, {{4, 3}, {2, 2}}, {2, 2, 3, 1, 1}},
    {Op::narrow, {{4, 3}}, {0, 1, 2}},   {Op::select, {{4, 3}}, {1, -1}},    {Op::slice, {{5, 3}}, {0, 1, 5, 2}},
    {Op::softmax, {{2, 3}}, {1}},        {Op::log_softmax, {{2, 3}}, {0}},   {Op::cumsum, {{2, 3}}, {1}},
    {Op::matmul, {{2, 3}, {3, 2}}, {}},  {Op::matmul, {{3}, {3}}, {}},       {Op::matmul, {{2, 3}, {3}}, {}},
    {Op::matmul, {{3}, {3, 2}}, {}},     {Op::matmul, {{2, 2, 3}, {3, 2}}, {}}, {Op::matmul, {{2, 1, 2, 3}, {2, 3, 2}}, {}},
    {Op::mm, {{2, 3}, {3, 2}}, {}},      {Op::linear, {{2, 3}, {4, 3}, {4}}, {}}, {Op::linear, {{3}, {4, 3}}, {}},
    {Op::stack, {{2, 3}, {2, 3}}, {1}},  {Op::cat, {{2, 3}, {1, 3}}, {0}},   {Op::cat, {{2, 1}, {2, 2}, {2, 1}, {2, 3}}, {1}},
    {Op::mse_loss, {{2, 3}, {2, 3}}, {0}}, {Op::mse_loss, {{2, 3}, {2, 3}}, {}}, {Op::mse_loss, {{2, 3}, {2, 3}}, {2}},
    {Op::l1_loss, {{2, 3}, {2, 3}}, {0}}, {Op::l1_loss, {{2, 3}, {3}}, {1}}, {Op::smooth_l1_loss, {{2, 3}, {2, 3}}, {0}},
    {Op::smooth_l1_loss, {{2, 3}, {2, 3}}, {1}}, {Op::huber_loss, {{2, 3}, {2, 3}}, {0}}, {Op::huber_loss, {{2, 3}, {2, 3}}, {2}},
    {Op::binary_cross_entropy_with_logits, {{2, 3}, {2, 3}}, {0}}, {Op::binary_cross_entropy_with_logits, {{2, 3}, {2, 3}}, {1}},
    {Op::cross_entropy_loss, {{2, 3}, {2, 3}}, {0}}, {Op::cross_entropy_loss, {{2, 3}, {2, 3}, {3}}, {1}}, {Op::kl_div, {{2, 3}, {2, 3}}, {1, 1}},
    {Op::poisson_nll_loss, {{2, 3}, {2, 3}}, {1}}, {Op::poisson_nll_loss, {{2, 3}, {2, 3}}, {0, 1}},
    {Op::cosine_similarity, {{2, 3}, {2, 3}}, {1}}, {Op::cosine_similarity, {{2, 3}, {1, 3}}, {0}}, {Op::pairwise_distance, {{2, 3}, {2, 3}}, {}},
    {Op::pairwise_distance, {{2, 3}, {3}}, {}, true}, {Op::normalize, {{2, 3}}, {1}}, {Op::normalize, {{2, 3}}, {0}},
    {Op::hinge_embedding_loss, {{2, 3}, {2, 3}}, {0}}, {Op::margin_ranking_loss, {{2, 3}, {2, 3}, {2, 3}}, {1}},
    {Op::triplet_margin_loss, {{2, 3}, {2, 3}, {2, 3}}, {0}}, {Op::triplet_margin_loss, {{2, 3}, {2, 3}, {2, 3}}, {1, 1}},
    {Op::conv1d, {{2, 2, 5}, {3, 2, 2}, {3}}, {2, 1, 1, 1}}, {Op::conv1d, {{2, 5}, {2, 2, 4}}, {1, 0, 1, 1, 2}}, {Op::conv1d, {{1, 1, 3}, {2, 1, 2}}, {}},
    {Op::conv2d, {{2, 2, 4, 3}, {4, 1, 2, 2}, {4}}, {1, 2, 1, 0, 2, 1, 2}}, {Op::conv2d, {{2, 4, 3}, {1, 2, 1, 1}}, {}}, {Op::conv3d, {{1, 1, 2, 3, 2}, {2, 1, 2, 2, 1}, {2}}, {}},
    {Op::conv_transpose1d, {{2, 2, 3}, {2, 1, 2}, {1}}, {2, 1, 1, 1, 2}}, {Op::conv_transpose1d, {{1, 1, 2}, {1, 1, 2}}, {1, 0, 1, 1, 2}},
    {Op::conv_transpose2d, {{1, 2, 2, 2}, {2, 1, 2, 1}, {2}}, {2, 1, 0, 0, 1, 0, 2, 1, 1}}, {Op::conv_transpose3d, {{1, 1, 2, 1, 2}, {1, 2, 1, 2, 2}}, {}},
    {Op::convolution, {{2, 2, 5}, {3, 2, 2}, {3}}, {2, 1, 1}}, {Op::convolution_weight, {{2, 2, 5}, {2, 2, 3}}, {2, 1, 1, 2, 2}}, {Op::constant_pad_nd, {{2, 3}}, {1, -1, 0, 2}},
    {Op::max_pool1d, {{1, 2, 5}}, {2, 1, 1, 2}}, {Op::max_pool2d, {{2, 5, 4}}, {2, 3, 2, 1, 1, 1, 1, 1, 1}}, {Op::max_pool3d, {{1, 1, 3, 4, 2}}, {2, 2, 1}},
    {Op::adaptive_max_pool1d, {{2, 5}}, {3}}, {Op::adaptive_max_pool2d, {{1, 2, 4, 3}}, {2, 2}}, {Op::adaptive_max_pool3d, {{1, 3, 2, 4}}, {2, 1, 3}},
    {Op::avg_pool1d, {{1, 2, 5}}, {2, 1, 1, 0, 0}}, {Op::avg_pool2d, {{2, 5, 4}}, {2, 3, 2, 1, 1, 1, 1, 0}}, {Op::avg_pool3d, {{1, 1, 3, 4, 2}}, {2, 2, 1, 1, 2, 1, 1, 0, 0, 0, 1, 3}},
    {Op::avg_pool2d_backward, {{1, 2, 3, 2}}, {5, 4, 3, 2, 2, 2, 1, 0}}, {Op::avg_pool3d_backward, {{1, 1, 3, 1}}, {1, 4, 3, 1, 2, 2, 1, 1, 2}},
    {Op::adaptive_avg_pool1d, {{2, 5}}, {3}}, {Op::adaptive_avg_pool2d, {{1, 2, 4, 3}}, {2, 2}}, {Op::adaptive_avg_pool2d, {{1, 2, 4, 3}}, {1, 1}}, {Op::adaptive_avg_pool3d, {{1, 3, 2, 4}}, {2, 1, 3}},
    {Op::_adaptive_avg_pool2d, {{2, 4, 3}}, {3, 2}}, {Op::_adaptive_avg_pool3d, {{1, 3, 2, 4}}, {2, 1, 3}},
    {Op::_adaptive_avg_pool2d_backward, {{1, 2, 2}}, {3, 4}}, {Op::_adaptive_avg_pool3d_backward, {{1, 2, 1, 2}}, {3, 2, 3}},
    {Op::native_batch_norm, {{3, 2, 2}, {2}, {2}}, {1}}, {Op::batch_norm, {{3, 2}, {2}}, {1}}, {Op::instance_norm, {{2, 2, 3}, {2}, {2}}, {1}},
    {Op::layer_norm, {{2, 3, 2}, {3, 2}, {3, 2}}, {3, 2}}, {Op::layer_norm, {{2, 3}}, {3}}, {Op::group_norm, {{2, 4, 2}, {4}, {4}}, {2}}, {Op::rms_norm, {{2, 3}, {3}}, {3}},
    {Op::pad, {{2, 3}}, {1, -1}}, {Op::reflection_pad1d, {{2, 3}}, {2, 1}}, {Op::reflection_pad2d, {{1, 3, 2}}, {1, 1, 2, -1}}, {Op::reflection_pad3d, {{1, 2, 2, 2}}, {1, 0, 1, 1, 0, 1}},
    {Op::replication_pad1d, {{2, 3}}, {2, 1}}, {Op::replication_pad2d, {{1, 3, 2}}, {1, 1, 2, -1}}, {Op::replication_pad3d, {{1, 2, 2, 2}}, {1, 0, 1, 1, 0, 1}},
    {Op::dropout, {{2, 3}}, {0}},
    {Op::to, {{2, 3}}, {}},              {Op::clone, {{2, 3}}, {}},          {Op::contiguous, {{2, 3}}, {}},
};

Tensor distinct(const std::vector<int64_t>& shape, int start) {
  std::vector<Scalar> values;
  for (int64_t i = 0; i < numelOf(shape); ++i) values.emplace_back(std::sin(double(1 + start + i * 7)) * 1.7 + 0.05);
  return fromValues(values, shape, DType::float64);
}

class Gradient : public testing::TestWithParam<Op> {};

TEST_P(Gradient, IsTheSlope) {
  int lines = 0;
  for (const Arguments& arguments : table) {
    if (arguments.op != GetParam()) continue;
    std::vector<Tensor> in;
    for (const auto& shape : arguments.shapes) in.push_back(distinct(shape, int(in.size()) * 31));
    expectBothOrders({arguments.op, {arguments.ints, arguments.keepdim, {}}}, in);
    ++lines;
  }
  if (lines) return;

  // Rows that want an index, a mask, or the tensor that they write to.
  const Scalar indexed[] = {0, 2, 1, 3, 0, 2}, placed[] = {2, 0, 2}, masked[] = {true, false, true};
  const Tensor index = fromValues(indexed, {2, 3}, DType::int64), places = fromValues(placed, {3}, DType::int64), mask = fromValues(masked, {3}, DType::boolean);
  const Tensor self = distinct({4, 3}, 3), value = distinct({2, 3}, 5), rows = distinct({3, 3}, 8), one = distinct({}, 9);
  const Attributes first{{0}, false, {}};
  const Scalar chosen[] = {0, 2, 2, 1}, signs[] = {1, -1, -1, 1};
  const Tensor classes = fromValues(chosen, {4}, DType::int64), sides = fromValues(signs, {4}, DType::int64);
  switch (GetParam()) {
    case Op::nll_loss: return expectBothOrders({Op::nll_loss, {}}, {self, classes});
    case Op::soft_margin_loss: return expectBothOrders({Op::soft_margin_loss, {}}, {distinct({4}, 3), sides});
    case Op::cosine_embedding_loss: return expectBothOrders({Op::cosine_embedding_loss, {}}, {self, distinct({4, 3}, 5), sides});
    case Op::binary_cross_entropy: return expectBothOrders({Op::binary_cross_entropy, {}}, {ops::sigmoid(self), ops::sigmoid(distinct({4, 3}, 5))});
    case Op::embedding: return expectBothOrders({Op::embedding, {}}, {self, classes});
    case Op::index: return expectBothOrders({Op::index, {}}, {self, places});
    case Op::index_put: return expectBothOrders({Op::index_put, {{1}}}, {self, rows, places});
    case Op::masked_select: return expectBothOrders({Op::masked_select, {}}, {self, mask});
    case Op::take_along_dim: return expectBothOrders({Op::take_along_dim, first}, {self, index});
    case Op::gather: return expectBothOrders({Op::gather, first}, {self, index});
    case Op::index_select: return expectBothOrders({Op::index_select, first}, {self, places});
    case Op::scatter: return expectBothOrders({Op::scatter, first}, {self, index, value});
    case Op::scatter_add: return expectBothOrders({Op::scatter_add, first}, {self, index, value});
    case Op::index_add: return expectBothOrders({Op::index_add, first}, {self, places, rows});
    case Op::masked_fill: return expectBothOrders({Op::masked_fill, {}}, {self, mask, one});
    case Op::copy: case Op::fill:
      return expectSlopes(info(GetParam()).name, [&](const std::vector<Tensor>& in) {
        Tensor target = ops::mul(in[0], 2);
        callInPlace(GetParam(), target, std::vector{in[1]});
        return weighted(target) + weighted(in[0]);
      }, {value, one});
    case Op::zero: {
      Tensor x = distinct({2}, 1).setRequiresGrad(true), y = ops::mul(x, 2);
      callInPlace(Op::zero, y, {});
      const Tensor total = ops::sum(ops::mul(y, 3));
      backward({&total, 1}, {});
      EXPECT_EQ(toString(x.grad()), "tensor([0, 0], float64)");
      return;
    }
    default: FAIL() << info(GetParam()).name << " has no line in the table";
  }
}
INSTANTIATE_TEST_SUITE_P(Rows, Gradient, testing::ValuesIn(differentiableRows({OpKind::reduce, OpKind::view, OpKind::kernel})), nameOf);

}  // namespace
}  // namespace rt
