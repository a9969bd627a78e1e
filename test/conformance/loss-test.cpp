// Gradients of gradients of the losses, beside LibTorch's. First order, other dtypes, wrong arguments: the generator.
#include "test/conformance/referee.h"

#include <gtest/gtest.h>

namespace conformance {
namespace {

using T = const std::vector<at::Tensor>&;

/// A loss of an input and a target, in each reduction.
struct Loss {
  Op op;
  std::vector<double> input, target;
  DType targetType;
  at::Tensor (*theirs)(T, int64_t reduction);
};

const std::vector<double> values = {0.5, -1.5, 0.25, 1, 2, -2}, others = {0.5, 1, -0.75, 0, 2.25, -0.5}, signs = {1, -1, -1, 1, 1, -1};
const std::vector<double> shares = {0.5, 0.25, 0.125, 0.875, 0.75, 0.0625}, truth = {0, 1, 0.5, 1, 0.25, 0};

const Loss losses[] = {
    {Op::mse_loss, values, others, DType::float32, [](T t, int64_t r) { return at::mse_loss(t[0], t[1], r); }},
    {Op::l1_loss, values, others, DType::float32, [](T t, int64_t r) { return at::l1_loss(t[0], t[1], r); }},
    {Op::smooth_l1_loss, values, others, DType::float32, [](T t, int64_t r) { return at::smooth_l1_loss(t[0], t[1], r); }},
    {Op::huber_loss, values, others, DType::float32, [](T t, int64_t r) { return at::huber_loss(t[0], t[1], r); }},
    {Op::soft_margin_loss, values, signs, DType::int64, [](T t, int64_t r) { return at::soft_margin_loss(t[0], t[1], r); }},
    {Op::binary_cross_entropy, shares, truth, DType::float32, [](T t, int64_t r) { return at::binary_cross_entropy(t[0], t[1], {}, r); }},
    {Op::binary_cross_entropy_with_logits, values, truth, DType::float32, [](T t, int64_t r) { return at::binary_cross_entropy_with_logits(t[0], t[1], {}, {}, r); }},
    {Op::nll_loss, values, {0, 2}, DType::int64, [](T t, int64_t r) { return at::nll_loss_nd(t[0], t[1], {}, r); }},
    {Op::cross_entropy_loss, values, {0, 2}, DType::int64, [](T t, int64_t r) { return at::cross_entropy_loss(t[0], t[1], {}, r); }},
    {Op::kl_div, values, shares, DType::float32, [](T t, int64_t r) { return at::kl_div(t[0], t[1], r); }},
    {Op::hinge_embedding_loss, values, signs, DType::int64, [](T t, int64_t r) { return at::hinge_embedding_loss(t[0], t[1], 1, r); }},
};

class Losses : public testing::TestWithParam<Loss> {};

TEST_P(Losses, EqualInTheSecondOrder) {
  const Loss& loss = GetParam();
  const bool classes = loss.target.size() == 2;
  for (DType dtype : {DType::float32, DType::float64})
    for (int64_t reduction = 0; reduction < 3; ++reduction) {
      const Argument input{{2, 3}, loss.input, dtype}, target{classes ? std::vector<int64_t>{2} : std::vector<int64_t>{2, 3}, loss.target, loss.targetType == DType::int64 ? DType::int64 : dtype};
      // LibTorch adds 1e-12 to a denominator of binary_cross_entropy.
      auto ours = [&](const std::vector<rt::Tensor>& in) { return rt::call(loss.op, in, {{reduction}}); };
      EXPECT_EQ(compareSecondOrder({input, target}, ours, [&](T t) { return loss.theirs(t, reduction); }, loss.op == Op::binary_cross_entropy ? 1e6 : 64), "") << "reduction " << reduction;
    }
}
INSTANTIATE_TEST_SUITE_P(Rows, Losses, testing::ValuesIn(losses), [](const auto& loss) { return rt::info(loss.param.op).name; });

}  // namespace
}  // namespace conformance
