// Reductions over every choice of dimensions, on shapes with none, one and no element, against LibTorch.
#include "test/conformance/referee.h"

#include <gtest/gtest.h>

namespace conformance {
namespace {

/// A row's reduction in LibTorch: over some dimensions, over one, over all. Null where LibTorch has no such overload.
struct Reduction {
  Op op;
  std::function<at::Tensor(const at::Tensor&, at::IntArrayRef, bool)> over;
  std::function<at::Tensor(const at::Tensor&, int64_t, bool)> overOne;
  std::function<at::Tensor(const at::Tensor&)> overAll;
};

#define OVER(call) [](const at::Tensor& t, at::IntArrayRef dims, bool keep) { return call; }
#define ONE(call) [](const at::Tensor& t, int64_t dim, bool keep) { return call; }
#define ALL(call) [](const at::Tensor& t) { return call; }

// all and any of bytes are bytes in LibTorch, an exception of its own that no model meets.
const Reduction reductions[] = {
    {Op::sum, OVER(t.sum(dims, keep)), {}, ALL(t.sum())},
    {Op::mean, OVER(t.mean(dims, keep)), {}, ALL(t.mean())},
    {Op::prod, {}, ONE(t.prod(dim, keep)), ALL(t.prod())},
    {Op::amax, OVER(t.amax(dims, keep)), {}, ALL(t.amax())},
    {Op::amin, OVER(t.amin(dims, keep)), {}, ALL(t.amin())},
    {Op::max, {}, {}, ALL(t.max())},
    {Op::min, {}, {}, ALL(t.min())},
    {Op::max_dim, {}, ONE(std::get<0>(t.max(dim, keep))), {}},
    {Op::min_dim, {}, ONE(std::get<0>(t.min(dim, keep))), {}},
    {Op::argmax, {}, ONE(t.argmax(dim, keep)), ALL(t.argmax())},
    {Op::argmin, {}, ONE(t.argmin(dim, keep)), ALL(t.argmin())},
    {Op::all, {}, ONE(t.all(dim, keep).to(at::kBool)), ALL(t.all().to(at::kBool))},
    {Op::any, {}, ONE(t.any(dim, keep).to(at::kBool)), ALL(t.any().to(at::kBool))},
    {Op::norm, OVER(t.norm(2, dims, keep)), {}, ALL(t.norm())},
    {Op::logsumexp, OVER(t.logsumexp(dims, keep)), {}, {}},
    {Op::var, OVER(t.var(dims, true, keep)), {}, ALL(t.var())},
    {Op::std, OVER(t.std(dims, true, keep)), {}, ALL(t.std())},
};

class Reduce : public testing::TestWithParam<Reduction> {};

TEST_P(Reduce, EqualsLibTorch) {
  const Reduction& row = GetParam();
  Tally tally(rt::info(row.op).name);
  const std::vector<std::vector<int64_t>> shapes = {{}, {1}, {3}, {0}, {2, 3}, {3, 1}, {2, 0}, {0, 2}, {2, 3, 2}, {33}};
  for (DType dtype : {DType::float32, DType::float64, DType::float16, DType::bfloat16, DType::int64, DType::int32, DType::uint8, DType::boolean})
    for (const auto& shape : shapes)
      for (size_t shift = 0; shift < 3; ++shift) {
        std::vector<Argument> arguments = {argument(shape, dtype, shift, shift == 1)};
        auto check = [&](std::vector<int64_t> dims, bool keep, const Theirs& theirs) {
          auto ours = [&](const std::vector<rt::Tensor>& in) { return rt::call(row.op, in, {dims, keep, {}}); };
          std::string text = compare(arguments, ours, theirs, {16, 32}, true);
          tally.add(arguments, text.empty() ? text : "over " + rt::toText(dims) + (keep ? " kept: " : ": ") + text);
        };
        if (row.overAll) check({}, false, [&](const std::vector<at::Tensor>& in) { return row.overAll(in[0]); });
        for (int64_t dim = -1; dim <= int64_t(shape.size()); ++dim)
          for (bool keep : {false, true}) {
            if (row.over) check({dim}, keep, [&](const std::vector<at::Tensor>& in) { return row.over(in[0], {dim}, keep); });
            if (row.over && dim >= 0) check({0, dim}, keep, [&](const std::vector<at::Tensor>& in) { return row.over(in[0], {0, dim}, keep); });
            if (row.overOne) check({dim}, keep, [&](const std::vector<at::Tensor>& in) { return row.overOne(in[0], dim, keep); });
          }
      }
}
INSTANTIATE_TEST_SUITE_P(Rows, Reduce, testing::ValuesIn(reductions), [](const auto& one) { return rt::info(one.param.op).name; });

TEST(Reduce, HasEveryRow) {
  for (Op op : rowsOf({rt::OpKind::reduce}))
    EXPECT_TRUE(std::any_of(std::begin(reductions), std::end(reductions), [&](const Reduction& row) { return row.op == op; })) << rt::info(op).name << " has no line in the table";
}

}  // namespace
}  // namespace conformance
