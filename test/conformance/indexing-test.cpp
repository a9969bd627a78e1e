// index({...}) and what gives several views, against LibTorch: values, shapes, strides, and whether storage is shared.
#include "runtime/indexing.h"

#include "runtime/ops.h"
#include "test/conformance/referee.h"

#include <ATen/TensorIndexing.h>
#include <gtest/gtest.h>

#include <functional>

namespace conformance {
namespace {

using at::indexing::TensorIndex;

// The same list for both sides. SLICE and the tensors are named on each.
struct Ours {
  using List = std::initializer_list<rt::Index>;
  static rt::None none() { return {}; }
  static rt::Ellipsis ellipsis() { return {}; }
  static rt::Slice slice(std::optional<int64_t> a = {}, std::optional<int64_t> b = {}, std::optional<int64_t> c = {}) { return {a, b, c}; }
  static rt::Tensor longs(std::vector<int64_t> values) {
    std::vector<rt::Scalar> scalars(values.begin(), values.end());
    return rt::fromValues(scalars, {int64_t(values.size())}, DType::int64);
  }
  static rt::Tensor number(int64_t v) { const rt::Scalar one(v); return rt::fromValues({&one, 1}, {}, DType::int64); }
  static rt::Tensor mask(std::vector<bool> values) {
    std::vector<rt::Scalar> scalars;
    for (bool v : values) scalars.emplace_back(v);
    return rt::fromValues(scalars, {int64_t(values.size())}, DType::boolean);
  }
};
template <typename V> c10::optional<at::SymInt> symbolic(V v) { return v ? c10::optional<at::SymInt>(at::SymInt(*v)) : c10::optional<at::SymInt>(); }
struct Theirs {
  using List = std::initializer_list<TensorIndex>;
  static TensorIndex none() { return at::indexing::None; }
  static TensorIndex ellipsis() { return at::indexing::Ellipsis; }
  static TensorIndex slice(std::optional<int64_t> a = {}, std::optional<int64_t> b = {}, std::optional<int64_t> c = {}) { return at::indexing::Slice(symbolic(a), symbolic(b), symbolic(c)); }
  static at::Tensor longs(std::vector<int64_t> values) { return at::tensor(values, at::kLong); }
  static at::Tensor number(int64_t v) { return at::scalar_tensor(v, at::kLong); }
  static at::Tensor mask(std::vector<bool> values) {
    at::Tensor result = at::zeros({int64_t(values.size())}, at::kBool);
    for (size_t i = 0; i < values.size(); ++i) result.data_ptr<bool>()[i] = values[i];
    return result;
  }
};

struct Case {
  const char* text;
  std::function<rt::Tensor(const rt::Tensor&)> ours;
  std::function<at::Tensor(const at::Tensor&)> theirs;
  std::function<void(const rt::Tensor&, const rt::Tensor&)> oursPut;
  std::function<void(at::Tensor, const at::Tensor&)> theirsPut;
};

#define INDEX(...) {#__VA_ARGS__,                                                                                        \
    [](const rt::Tensor& t) { using L = Ours; (void)sizeof(L); return rt::index(t, {__VA_ARGS__}); },                     \
    [](const at::Tensor& t) { using L = Theirs; (void)sizeof(L); return t.index({__VA_ARGS__}); },                        \
    [](const rt::Tensor& t, const rt::Tensor& v) { using L = Ours; (void)sizeof(L); rt::index_put_(t, {__VA_ARGS__}, v); }, \
    [](at::Tensor t, const at::Tensor& v) { using L = Theirs; (void)sizeof(L); t.index_put_({__VA_ARGS__}, v); }}

const Case cases[] = {
    INDEX(0), INDEX(-1), INDEX(5), INDEX(L::slice()), INDEX(L::slice(1)), INDEX(L::slice({}, 2)), INDEX(L::slice(0, -1, 2)), INDEX(L::slice(2, 1)),
    INDEX(L::none()), INDEX(L::ellipsis()), INDEX(L::ellipsis(), 1), INDEX(L::none(), L::ellipsis(), L::none()), INDEX(L::slice(), L::none(), L::slice(1)),
    INDEX(1, L::slice(1, 3)), INDEX(L::ellipsis(), L::slice(0, 2), 0), INDEX(0, 0, 0), INDEX(0, 0, 0, 0), INDEX(true), INDEX(false), INDEX(L::slice(), true),
    INDEX(L::longs({0, 2, 0})), INDEX(L::slice(), L::longs({1, -1})), INDEX(L::longs({0, 1}), L::slice(), L::longs({1, 0})), INDEX(L::longs({0, 1}), L::none(), L::longs({2, 0})),
    INDEX(L::ellipsis(), L::longs({1})), INDEX(L::mask({true, false, true})), INDEX(L::slice(), L::mask({false, true, true, false})), INDEX(1, L::mask({false, true, true, false})),
    INDEX(L::number(1)), INDEX(L::longs({3})), INDEX(L::longs({0, 1}), L::longs({0, 1, 2})), INDEX(L::mask({true})),
};

std::string thrown(const std::function<void()>& f) {
  try {
    f();
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

rt::Tensor oursOf(const at::Tensor& t) {
  std::vector<rt::Scalar> values;
  const at::Tensor flat = t.contiguous().to(at::kDouble).flatten();
  for (int64_t i = 0; i < flat.numel(); ++i) values.emplace_back(flat.data_ptr<double>()[i]);
  return rt::fromValues(values, t.sizes().vec(), DType::float32);
}

void expectEqual(const std::string& what, const rt::Tensor& ours, const at::Tensor& theirs) {
  ASSERT_EQ(rt::toText(ours.sizes()), rt::toText(theirs.sizes().vec())) << what;
  const at::Tensor flat = theirs.contiguous().flatten();
  for (int64_t i = 0; i < flat.numel(); ++i) ASSERT_EQ(ours.at(i).toDouble(), double(flat.data_ptr<float>()[i])) << what << ", element " << i;
  for (int64_t d = 0; d < theirs.dim() && theirs.numel() > 0; ++d)
    if (theirs.size(d) > 1) ASSERT_EQ(ours.strides()[size_t(d)], theirs.stride(d)) << what << ", stride " << d;
}

TEST(Indexing, ReadsAsLibTorch) {
  for (const at::Tensor& base : {at::arange(24, at::kFloat).reshape({3, 4, 2}), at::arange(12, at::kFloat).reshape({4, 3}).t(), at::arange(3, at::kFloat), at::ones({})}) {
    const rt::Tensor ours = base.dim() == 2 ? rt::ops::t(oursOf(base.t())) : oursOf(base);
    for (const Case& one : cases) {
      const std::string what = "[" + std::string(one.text) + "] of " + rt::toText(base.sizes().vec());
      rt::Tensor mine;
      at::Tensor referee;
      const std::string wanted = thrown([&] { referee = one.theirs(base); });
      ASSERT_EQ(thrown([&] { mine = one.ours(ours); }).empty(), wanted.empty()) << what << ": " << wanted;
      if (!wanted.empty()) continue;
      expectEqual(what, mine, referee);
      EXPECT_EQ(mine.sharesStorage(ours), referee.is_alias_of(base)) << what;
    }
  }
}

TEST(Indexing, WritesAsLibTorch) {
  for (const at::Tensor& value : {at::full({}, 7.0f), at::arange(2, at::kFloat) + 50, at::ones({1, 1, 1}) * -3}) {
    for (const Case& one : cases) {
      const at::Tensor base = at::arange(24, at::kFloat).reshape({3, 4, 2});
      const rt::Tensor ours = oursOf(base);
      const std::string what = "[" + std::string(one.text) + "] = " + rt::toText(value.sizes().vec());
      const std::string wanted = thrown([&] { one.theirsPut(base, value); });
      ASSERT_EQ(thrown([&] { one.oursPut(ours, oursOf(value)); }).empty(), wanted.empty()) << what << ": " << wanted;
      if (wanted.empty()) expectEqual(what, ours, base);
    }
  }
}

void expectLists(const std::string& what, const std::function<std::vector<rt::Tensor>(const rt::Tensor&)>& ours, const std::function<std::vector<at::Tensor>(const at::Tensor&)>& theirs) {
  for (const at::Tensor& base : {at::arange(24, at::kFloat).reshape({3, 4, 2}), at::arange(5, at::kFloat), at::zeros({0, 3}), at::ones({})}) {
    std::vector<rt::Tensor> mine;
    std::vector<at::Tensor> referee;
    const rt::Tensor whole = oursOf(base);
    const std::string wanted = thrown([&] { referee = theirs(base); });
    ASSERT_EQ(thrown([&] { mine = ours(whole); }).empty(), wanted.empty()) << what << " of " << rt::toText(base.sizes().vec()) << ": " << wanted;
    ASSERT_EQ(mine.size(), referee.size()) << what << " of " << rt::toText(base.sizes().vec());
    for (size_t i = 0; i < mine.size(); ++i) {
      expectEqual(what, mine[i], referee[i]);
      EXPECT_TRUE(mine[i].sharesStorage(whole));
    }
  }
}

TEST(Lists, EqualLibTorch) {
  for (int64_t dim : {0, 1, -1})
    for (int64_t n : {-1, 0, 1, 2, 3, 7}) {
      const std::string with = "(" + std::to_string(n) + ", " + std::to_string(dim) + ")";
      expectLists("split" + with, [=](const rt::Tensor& t) { return rt::split(t, n, dim); }, [=](const at::Tensor& t) { return at::split(t, n, dim); });
      expectLists("chunk" + with, [=](const rt::Tensor& t) { return rt::chunk(t, n, dim); }, [=](const at::Tensor& t) { return at::chunk(t, n, dim); });
    }
  for (int64_t dim : {0, 1, 2, -1}) expectLists("unbind", [=](const rt::Tensor& t) { return rt::unbind(t, dim); }, [=](const at::Tensor& t) { return at::unbind(t, dim); });
  expectLists("split by sizes", [](const rt::Tensor& t) { return rt::split(t, {1, 2}, 0); }, [](const at::Tensor& t) { return at::split_with_sizes(t, {1, 2}, 0); });
}

TEST(FromBlob, SharesMemoryAndReleasesIt) {
  float values[] = {1, 2, 3, 4, 5, 6};
  int released = 0;
  {
    rt::Tensor t = rt::fromBlob(values, {2, 2}, {3, 1}, DType::float32, [&](void* data) { released += data == values; });
    EXPECT_EQ(rt::toString(t), "tensor([1, 2, 4, 5], float32)");
    const rt::Tensor view = rt::ops::select(t, {0, 1});
    rt::callInPlace(rt::Op::mul, view, std::vector<rt::Tensor>{rt::Tensor(10)});
    t = {};
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
  EXPECT_EQ(values[3], 40);
  EXPECT_THROW(rt::fromBlob(values, {2, -1}, {}, DType::float32), rt::Error);
  EXPECT_THROW(rt::fromBlob(values, {2}, {1, 1}, DType::float32), rt::Error);
}

}  // namespace
}  // namespace conformance
