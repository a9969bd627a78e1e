// The gradient column of ops.def, as code: one case per row, with the letters of the table bound to the saved tensors.
#include "runtime/autograd.h"
#include "runtime/gradients-losses.h"
#include "runtime/gradients-networks.h"
#include "runtime/kernels/runs.h"
#include "runtime/ops.h"
#include "runtime/special.h"

#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <string_view>

namespace rt {

using namespace ops;
using formula::pi, formula::sqrtHalf, formula::twoOverSqrtPi;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
const Tensor none;
const Tensor composed;

// LibTorch 1 let the gradient of clamp pass at the bound itself, LibTorch 2 does not (measured on 1.13.1 and 2.15.0).
Tensor aboveBound(const Tensor& value, const Tensor& bound) { return since(2, 0) ? gt(value, bound) : ge(value, bound); }

// clamp. Numbers for bounds exclude ties (from LibTorch 2 on); tensors share a tie with one bound, and where both tie all of it
// is the input's. Measured on 2.15.0.
bool byTensors(const Tensor& low, const Tensor& high) { return since(2, 0) && !(low.isWrappedNumber() && high.isWrappedNumber()); }
Tensor clampSlope(const Tensor& g, const Tensor& a, const Tensor& low, const Tensor& high) {
  if (!byTensors(low, high)) return where(logical_and(aboveBound(a, low), aboveBound(high, a)), g, 0);
  // At NaN all of it is the input's.
  Tensor atLow = eq(a, low), atHigh = eq(a, high), outside = logical_and(eq(a, a), logical_or(gt(low, high), logical_or(lt(a, low), gt(a, high))));
  return where(outside, 0, where(logical_and(ne(atLow, atHigh), lt(low, high)), g / 2, g));
}
Tensor clampSlopeOfMin(const Tensor& g, const Tensor& a, const Tensor& low, const Tensor& high) {
  Tensor below = where(logical_and(lt(a, low), since(2, 0) ? le(low, high) : lt(low, high)), g, 0);
  return byTensors(low, high) ? where(logical_and(eq(a, low), lt(low, high)), g / 2, below) : below;
}
Tensor clampSlopeOfMax(const Tensor& g, const Tensor& a, const Tensor& low, const Tensor& high) {
  Tensor above = where(logical_or(gt(a, high), gt(low, high)), g, 0);
  if (byTensors(low, high)) above = where(isnan(low), 0, above);
  return byTensors(low, high) ? where(logical_and(eq(a, high), lt(low, high)), g / 2, above) : above;
}

// amax, amin: LibTorch multiplies by the mask and divides by the number of ties.
Tensor scaledByCount(const Tensor& g, const Tensor& mask, const Ints& dims) {
  return (g * mask) / sum(mask, dims, true);
}

// max(), min() of everything: evenly over the ties; over the NaNs if that is the result. LibTorch fills by the mask.
Tensor evenlyOverTies(const Tensor& g, const Tensor& a, const Tensor& y) {
  Tensor mask = logical_or(eq(a, y), logical_and(isnan(a), isnan(y)));
  return where(mask, g / sum(mask), 0);
}

// The product of the other elements: of those before, times those behind. Source: prod_safe_zeros_backward.
Tensor productOfOthers(const Tensor& a, int64_t dim) {
  if (a.dim() == 0 || a.size(dim) <= 1) return ops::add(zeros_like(a.detach()), 1);
  const int64_t n = a.size(dim);
  Tensor one = narrow(a, {dim, 0, 1}).detach();
  one = ops::add(zeros_like(one), 1);
  const Tensor before[] = {one, narrow(a, {dim, 0, n - 1})}, behind[] = {one, flip(narrow(a, {dim, 1, n - 1}), {dim})};
  return cumprod(call(Op::cat, before, {{dim}}), {dim}) * flip(cumprod(call(Op::cat, behind, {{dim}}), {dim}), {dim});
}

// With two zeros in a product of everything LibTorch returns zeros, whatever else there is.
Tensor prodBackward(const Tensor& g, const Tensor& a, const Tensor& y, const Ints& dims) {
  if (a.dim() == 0) return g;
  double zeros = sum(eq(a.detach(), 0)).item().toDouble();
  if (zeros == 0) return g * (y / a);
  if (!dims.empty()) return g * productOfOthers(a, dims[0]);
  if (zeros > 1) return zeros_like(a.detach());
  return g * ops::reshape(productOfOthers(ops::reshape(a, {a.numel()}), 0), a.sizes());
}

Tensor scaled(const Tensor& g, double by) { return by == 1 ? g : g * by; }

const Tensor unimplemented, refused;

// Half types: LibTorch's kernels compute these in float, and round once.
Tensor wide(const Tensor& a) { return sizeOf(a.dtype()) == 2 ? a.to(DType::float32) : a; }
// LibTorch asks whether a number is 0.0, which a bool never is.
Tensor isZeroNumber(const Tensor& a) { return a.isWrappedNumber() && a.dtype() == DType::boolean ? Tensor(Scalar(false)) : eq(a, 0); }

Tensor xlogySlope(const Tensor& g, const Tensor& a, const Tensor& b) {
  const Tensor outside = b.isWrappedNumber() ? logical_not(gt(b, 0)) : le(b, 0);  // a NaN counts among numbers only
  return where(logical_and(eq(a, 0), outside), 0, xlogy(g, b));
}
Tensor softmaxSlope(const Tensor& g, const Tensor& y, const Ints& ints) {
  const Tensor p = wide(y);
  return (p * (g - sum(g * p, ints, true))).to(g.dtype());
}
Tensor logSoftmaxSlope(const Tensor& g, const Tensor& y, const Ints& ints) { return (g - exp(wide(y)) * sum(wide(g), ints, true)).to(g.dtype()); }

// Slopes of the activations, as LibTorch's kernels compute them: so that NaN and infinity appear in the same places.
Tensor softplusSlope(const Tensor& g, const Tensor& z) { return g * z / (z + 1); }
Tensor siluSlope(const Tensor& g, const Tensor& a, const Tensor& s) { return g * s * (1 + a * (1 - s)); }
Tensor logSigmoidSlope(const Tensor& g, const Tensor& a, const Tensor& z) {
  Tensor negative = lt(a, 0), share = z / (1 + z);
  return g * where(negative, 1 - share, share);
}
Tensor mishSlope(const Tensor& g, const Tensor& a) {
  Tensor t = tanh(log1p(exp(a)));
  return g * (t + a * sigmoid(a) * (1 - t * t));
}
Tensor geluSlope(const Tensor& g, const Tensor& a) {
  return g * ((erf(a * sqrtHalf) + 1) * 0.5 + a * exp(a * a * -0.5) * (sqrtHalf * 0.5 * twoOverSqrtPi));
}
Tensor gluSlope(const Tensor& g, const Tensor& a, const Ints& ints) {
  const int64_t dim = ints.empty() ? -1 : ints[0], half = a.size(dim) / 2;
  const Tensor first = narrow(wide(a), {dim, 0, half}), gate = sigmoid(narrow(wide(a), {dim, half, half}));
  const Tensor parts[] = {gate * g, (1 - gate) * gate * first * g};
  return call(Op::cat, parts, {{dim}});
}
Tensor geluTanhSlope(const Tensor& g, const Tensor& a) {
  constexpr double beta = 0.79788456080286535588, kappa = 0.044715;
  Tensor t = tanh((a + a * a * a * kappa) * beta), left = a * 0.5;
  return g * ((1 + t) * 0.5 + left * (1 - t * t) * ((a * a * (3 * kappa) + 1) * beta));
}

Tensor remainderSlope(const Tensor& g, const Tensor& a, const Tensor& b) {
  if (a.isWrappedNumber() && !b.isWrappedNumber()) throw Error("derivative for remainder of a number by a tensor is not implemented");
  return neg(g) * div_floor(a.detach(), b.detach());
}

// atan2 at the origin, which LibTorch 1 did not look at.
Tensor inverseOrZero(const Tensor& t) { return since(2, 0) ? where(eq(t, 0), 0, reciprocal(t)) : reciprocal(t); }

// fmax, fmin: what of `g` is the first operand's, where it is chosen alone, and where both are equal. LibTorch 1 gave it all.
Tensor ofFirst(const Tensor& g, const Tensor& chosen, const Tensor& equal) { return where(chosen, g, where(equal, since(2, 0) ? g / 2 : g, 0)); }
Tensor ofSecond(const Tensor& g, const Tensor& firstChosen, const Tensor& equal) { return where(firstChosen, 0, where(equal, since(2, 0) ? g / 2 : zeros_like(g), g)); }

// Over everything, with no degree of freedom left, the factor is infinite, and NaN where it meets a 0.
Tensor varBackward(const Tensor& g, const Tensor& a, const Ints& dims, double correction) {
  Tensor centred = a - mean(a, dims, true);
  double n = double(a.numel()) / std::max<double>(1, double(g.numel())), freedom = n - correction;
  if (freedom <= 0 && (dims.empty() || a.dim() == 0)) return g * where(eq(a, mean(a, dims, true)), nan, infinity);
  return g * (2 / freedom) * centred;
}

// The p-norm. Source: LibTorch's norm_backward.
Tensor normBackward(const Tensor& g, const Tensor& a, const Tensor& y, const Ints& dims, double p) {
  if (p == 0) return {};
  if (p == 1) return g * sign(a);
  if (p == 2) return g * where(eq(y, 0), 0, a / y);
  if (std::isinf(p)) {
    Tensor mask = logical_or(eq(abs(a), y), logical_and(isnan(a), isnan(y)));
    return sign(a) * mask * (g / sum(mask.to(DType::int64), dims, true));
  }
  if (p < 1) return sign(a) * where(eq(a, 0), 0, pow(abs(a), p - 1)) * g * pow(y, 1 - p);
  Tensor scaled = p < 2 ? sign(a) * pow(abs(a), p - 1) : a * pow(abs(a), p - 2);
  return scaled * where(eq(y, 0), 0, g / pow(y, p - 1));
}

Tensor cumsumBackward(const Tensor& g, const Ints& dims) {
  return g.dim() == 0 ? g : flip(cumsum(flip(g, dims), dims), dims);
}

size_t wrapped(int64_t d, const Dims& sizes) { return size_t(d < 0 ? d + int64_t(sizes.size()) : d); }

// Element k of a run has the sum, over j >= k, of g[j] times the product up to j without element k.
Tensor cumprodWithZeros(const Tensor& g, const Tensor& a, const Ints& dims) {
  const auto onHost = [](const Tensor& t) { return plain(t.detach().to(Device::cpu), DType::float64); };
  const Tensor in = onHost(a), out = onHost(g);
  Tensor result = emptyTensor(a->sizes, DType::float64);
  const size_t d = a.dim() ? wrapped(dims[0], a->sizes) : 0;
  const Lines lines = linesOf(in, d);
  const int64_t n = lines.length, step = lines.step;
  for (int64_t start = 0; start < a.numel(); ++start) {
    if (start / step % n) continue;
    for (int64_t k = 0; k < n; ++k) {
      double others = 1, total = 0;
      for (int64_t i = 0; i < k; ++i) others *= in->data<double>()[start + i * step];
      for (int64_t j = k; j < n; ++j) {
        if (j > k) others *= in->data<double>()[start + j * step];
        total += out->data<double>()[start + j * step] * others;
      }
      result->data<double>()[start + k * step] = total;
    }
  }
  return result.to(a.dtype()).to(a.device());
}

Tensor cumprodBackward(const Tensor& g, const Tensor& a, const Tensor& y, const Ints& dims) {
  if (a.numel() == 1 || a.dim() == 0) return g;
  if (sum(eq(a.detach(), 0)).item().toDouble() > 0) return cumprodWithZeros(g, a, dims);
  return cumsumBackward(g * y, dims) / a;
}

Ints inverted(const Ints& order) {
  Ints inverse(order.size(), 0);
  for (size_t i = 0; i < order.size(); ++i) inverse[size_t(order[i] < 0 ? order[i] + int64_t(order.size()) : order[i])] = int64_t(i);
  return inverse;
}

// What LibTorch saves for zeros, it checks.
template <typename... Saved> Tensor zerosFrom(const Tensor& g, const Saved&...) { return zeros_like(g); }

Tensor zerosOf(const Tensor& like, const Dims& sizes) {
  const Tensor in[] = {like.detach()};
  return call(Op::new_zeros, in, {vectorOf(sizes), false, {}});
}

Tensor scaledBy(const Tensor& g, double by) { return by == 1 ? g : g * by; }

Ints halvesSwapped(const Ints& ints) {
  Ints result;
  for (size_t i = 0; i < ints.size(); ++i) result.push_back(ints[(i + ints.size() / 2) % ints.size()]);
  return result;
}

// One shift alone, or shifts and then their dimensions.
Ints shiftedBack(Ints ints) {
  for (size_t i = 0; i < std::max<size_t>(ints.size() / 2, 1); ++i) ints[i] = -ints[i];
  return ints;
}

// What each element was copied to is summed, one dimension at a time.
Tensor repeatBackward(Tensor g, const Dims& sizes, const Ints& times) {
  const size_t added = times.size() - sizes.size();
  for (size_t d = 0; d < added; ++d) g = sum(g, {0});
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (times[d + added] == 1) continue;
    if (times[d + added] == 0) return zerosOf(g, sizes);
    Ints before(g.sizes().first(d)), whole(g.sizes());
    int64_t outer = numelOf(g.sizes().first(d)), inner = numelOf(g.sizes().subspan(d + 1));
    whole[d] = sizes[d];
    g = ops::reshape(sum(ops::reshape(g, {outer, times[d + added], sizes[d] * inner}), {1}), whole);
  }
  return g;
}

// index and index_put, by the saved index tensors.
Tensor takenFrom(const Tensor& g, std::span<const Tensor> indices) {
  std::vector<Tensor> in = {g};
  in.insert(in.end(), indices.begin(), indices.end());
  return call(Op::index, in);
}
Tensor putInto(const Tensor& self, const Tensor& values, std::span<const Tensor> indices, int64_t adds) {
  std::vector<Tensor> in = {self, values};
  in.insert(in.end(), indices.begin(), indices.end());
  return call(Op::index_put, in, {{adds}});
}
Tensor maskedSelectBackward(const Tensor& g, const Tensor& a, const Tensor& mask) {
  const Dims shape = broadcast("masked_select", a.sizes(), mask.sizes()).value;
  const Tensor places = ops::expand(mask, Ints(shape)), zeros = zerosOf(g, shape);
  if (shape.empty()) return ops::reshape(ops::where(mask, g.numel() ? ops::reshape(g, {}) : zeros, zeros), {});
  return putInto(zeros, g, {&places, 1}, 0);
}

// A gradient goes where its result was found; `places` has kept the dimension, and so has zeros what fits it.
Tensor putAt(const Tensor& places, const Tensor& g, const Dims& sizes, const Ints& dims) {
  if (sizes.empty()) return g;
  return scatter(zerosOf(g, sizes), places, ops::reshape(g, places.sizes()), dims);
}

Tensor catBackward(const Tensor& g, std::span<const Edge> parts, const Ints& ints, size_t i) {
  size_t d = wrapped(ints.empty() ? 0 : ints[0], g->sizes);
  int64_t start = 0;
  auto skipped = [](const Edge& part) { return part.sizes == Dims{0}; };
  if (skipped(parts[i])) return zerosOf(g, parts[i].sizes);
  for (size_t k = 0; k < i; ++k) start += skipped(parts[k]) ? 0 : parts[k].sizes[d];
  return narrow(g, {int64_t(d), start, parts[i].sizes[d]});
}

// Element i of a layout, as an offset from its start.
int64_t offsetIn(const Dims& sizes, const Dims& strides, int64_t i) {
  int64_t offset = 0;
  for (size_t d = sizes.size(); d-- > 0; i /= sizes[d]) offset += i % sizes[d] * strides[d];
  return offset;
}

// Each element of the input shares what the view's elements in its place in memory received with those that overlap it.
Tensor asStridedBackward(const Tensor& g, const Tensor& a, const Ints& ints) {
  const ViewLayout view = viewLayout(Op::as_strided, {a->sizes, a->strides, a->offset}, ints).value;
  std::unordered_map<int64_t, int64_t> placeOf;  // offset in memory -> number of the place
  std::vector<Scalar> places, shares, from, to;
  for (int64_t i = 0, n = a.numel(); i < n; ++i) {
    const int64_t place = placeOf.emplace(a->offset + offsetIn(a->sizes, a->strides, i), int64_t(placeOf.size())).first->second;
    places.emplace_back(place);
    if (size_t(place) < shares.size()) shares[size_t(place)].d += 1;
    else shares.emplace_back(1.0);
  }
  for (int64_t i = 0, n = g.numel(); i < n; ++i)
    if (auto found = placeOf.find(view.offset + offsetIn(view.sizes, view.strides, i)); found != placeOf.end()) from.emplace_back(i), to.emplace_back(found->second);
  auto vector = [&](const std::vector<Scalar>& values, DType dtype) { return fromValues(values, {int64_t(values.size())}, dtype, g.device()); };
  const Tensor received = index_select(ops::reshape(g, {g.numel()}), vector(from, DType::int64), {0});
  const Tensor sums = index_add(zerosOf(g, Dims{int64_t(shares.size())}), vector(to, DType::int64), received, {0}) / vector(shares, g.dtype());
  return ops::reshape(index_select(sums, vector(places, DType::int64), {0}), a->sizes);
}

// Bits of what the text of a gradient names: the inputs, at 3 the output, at 4 those beyond the third (`others`: all but the first, `rest`: all but the first two). Only what is
// named is needed unchanged.
enum : unsigned { ofOutput = 8, ofRest = 16 };
constexpr unsigned mentionedIn(const char* text) {
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
  unsigned bits = 0;
  while (*text) {
    const char* word = text;
    while (letter(*text)) ++text;
    const auto length = text - word;
    if (length == 1 && *word >= 'a' && *word <= 'c') bits |= 1u << (*word - 'a');
    if (length == 1 && *word == 'y') bits |= ofOutput;
    if (std::string_view(word, size_t(length)) == "others") bits |= ofRest | 6;
    if (std::string_view(word, size_t(length)) == "rest") bits |= ofRest | 4;
    if (length == 0) ++text;
  }
  return bits;
}
struct Mentions {
  uint8_t of[3];   // each gradient
  uint8_t layout;  // of the first input, without its values
  int gradients;
  bool unimplemented;  // no formula in LibTorch either
};
constexpr bool isNone(std::string_view text) { return text == "none"; }
constexpr Mentions mentionsOf(const char* a, const char* b = "none", const char* c = "none") {
  return {{uint8_t(mentionedIn(a)), uint8_t(mentionedIn(b)), uint8_t(mentionedIn(c))}, std::string_view(a).find("layout") != std::string_view::npos,
          !isNone(a) + !isNone(b) + !isNone(c), std::string_view(a) == "unimplemented"};
}
constexpr Mentions mentioned[] = {
#define UNARY(name, result, ulps, domain, safe, forward, ga) mentionsOf(#ga),
#define BINARY(name, result, ulps, domain, safe, forward, ga, gb) mentionsOf(#ga, #gb),
#define TERNARY(name, result, ulps, domain, safe, forward, ga, gb, gc) mentionsOf(#ga, #gb, #gc),
#define REDUCE(name, result, ulps, ga) mentionsOf(#ga),
#define VIEW(name, ga) mentionsOf(#ga),
#define KERNEL(name, result, ulps, minimum, maximum, by, ga, gb, gc) mentionsOf(#ga, #gb, #gc),
#define CREATE(name, ulps, minimum, maximum) mentionsOf("none"),
#include "runtime/ops.def"
};

// The saved tensors under the letters of the table; where a graph of the gradient is made, with their history then.
class Saved {
 public:
  Saved(const std::shared_ptr<Node>& node, unsigned mentions, bool createGraph) : node_(*node) {
    if (!createGraph) return;
    for (size_t i = 0; i < 3 && i < node->in.size(); ++i)
      if ((mentions >> i & 1) && node->in[i].defined() && node->in[i]->node != node->edges[i].node) withHistory(i, node->in[i], node->edges[i].node);
    if (mentions & ofOutput) withHistory(3, node->output, node);
  }
  const Tensor& input(size_t i) const { return i >= node_.in.size() ? none : copies_[i].defined() ? copies_[i] : node_.in[i]; }
  const Tensor& output() const { return copies_[3].defined() ? copies_[3] : node_.output; }

 private:
  void withHistory(size_t i, const Tensor& saved, const std::shared_ptr<Node>& history) {
    copies_[i] = alias(saved);
    copies_[i]->node = history;
  }

  const Node& node_;
  std::array<Tensor, 4> copies_;
};


void checkVersion(const Tensor& tensor, uint32_t version, Op op) {
  if (tensor->storage->version != version)
    throw Error("one of the variables needed for gradient computation has been modified by an inplace operation: " + std::string(info(op).name) +
                " needs version " + std::to_string(version) + ", it is at version " + std::to_string(tensor->storage->version));
}

}  // namespace

unsigned savedBy(Op op) {
  const Mentions& row = mentioned[static_cast<size_t>(op)];
  return row.of[0] | row.of[1] | row.of[2] | row.layout;
}

// LibTorch saves an input that a single gradient uses only if that gradient is wanted; what it has saved must not have changed.
void checkVersions(const Node& node) {
  const Mentions& row = mentioned[static_cast<size_t>(node.op)];
  if (node.unimplemented || row.unimplemented) throw Error("derivative for " + std::string(info(node.op).name) + " is not implemented");
  if (node.cut) return;
  const size_t formulas = node.in.size() > 1 && node.in[1].defined() && node.in[1].isWrappedNumber() ? 1 : 3;  // a Scalar overload has one
  for (size_t i = 0; i < formulas; ++i)
    if (node.output.defined() && (row.of[i] >> 3 & 1)) checkVersion(node.output, node.outputVersion, node.op);
  for (size_t k = 3; k < node.in.size() && ((row.of[0] | row.of[1]) & ofRest); ++k)
    if (node.in[k].defined()) checkVersion(node.in[k], node.versions[k], node.op);
  for (size_t k = 0; k < node.in.size() && k < 3; ++k) {
    size_t users = 0, user = 0;
    for (size_t i = 0; i < formulas; ++i)
      if (row.of[i] >> k & 1) ++users, user = i;
    if (!users || !node.in[k].defined()) continue;
    const bool wanted = user < node.edges.size() && (node.edges[user].node || node.edges[user].leaf);
    if (users > 1 || row.gradients < 2 || wanted) checkVersion(node.in[k], node.versions[k], node.op);
  }
}

Tensor gradientOf(const std::shared_ptr<Node>& node, size_t i, const Tensor& g, bool createGraph) {
  const Dims& sizes = node->edges[0].sizes;
  const std::span<const Tensor> in = node->in;
  const Ints& ints = node->attributes.ints;
  auto real = [&](size_t k, double otherwise) { return node->attributes.real(k, otherwise); };
  double count = double(numelOf(sizes)) / std::max<double>(1, double(g.numel()));
  auto expand = [](const Tensor& t, const Dims& to) { return ops::expand(t, vectorOf(to)); };
  auto reshape = [](const Tensor& t, const Dims& to) { return ops::reshape(t, vectorOf(to)); };
  auto spread = [&](const Tensor& t) {
    if (node->attributes.keepdim || sizes.empty()) return t;
    auto mask = reducedDimensions("", ints, sizes);
    Dims kept = sizes;
    for (size_t d = 0; d < kept.size(); ++d)
      if (mask.value[d]) kept[d] = 1;
    return reshape(t, kept);
  };
  if (node->cut) return zerosOf(g, node->edges[i].sizes);
  if (node->op == Op::cat) return catBackward(g, node->edges, ints, i);
  auto number = [&](size_t k) {
    size_t place = size_t(info(node->op).tensors) + k;
    return place < in.size() && in[place].defined() ? in[place].item().toDouble() : info(node->op).numbers[k];
  };
  const bool elementwise = info(node->op).kind <= OpKind::ternary;
  [[maybe_unused]] const double p = elementwise ? number(0) : 0, q = elementwise ? number(1) : 0, r = elementwise ? number(2) : 0;
  [[maybe_unused]] const Tensor& layout = in[0];
  [[maybe_unused]] const std::span<const Tensor> others = in.subspan(std::min<size_t>(in.size(), 1)), rest = in.subspan(std::min<size_t>(in.size(), 2));
  [[maybe_unused]] const std::span<const Edge> parts = node->edges;
  [[maybe_unused]] const Tensor& places = node->places;
  (void)count, (void)real, (void)expand, (void)spread;

  const unsigned mentions = mentioned[static_cast<size_t>(node->op)].of[std::min<size_t>(i, 2)];
#define GRADIENT(expression)                                                   \
  {                                                                            \
    Saved saved(node, mentions, createGraph);                                   \
    [[maybe_unused]] const Tensor &a = saved.input(0), &b = saved.input(1), &c = saved.input(2), &y = saved.output(); \
    return Tensor(expression);                                                 \
  }
#define ROW(name, ga, gb, gc)                                                  \
  case Op::name:                                                               \
    if (i == 0) GRADIENT(ga)                                                   \
    if (i == 1) GRADIENT(gb)                                                   \
    GRADIENT(gc)
#define UNARY(name, result, ulps, domain, safe, forward, ga) ROW(name, ga, none, none)
#define BINARY(name, result, ulps, domain, safe, forward, ga, gb) ROW(name, ga, gb, none)
#define TERNARY(name, result, ulps, domain, safe, forward, ga, gb, gc) ROW(name, ga, gb, gc)
#define REDUCE(name, result, ulps, ga) ROW(name, ga, none, none)
#define VIEW(name, ga) ROW(name, ga, none, none)
#define KERNEL(name, result, ulps, minimum, maximum, by, ga, gb, gc) ROW(name, ga, gb, gc)
  switch (node->op) {
#include "runtime/ops.def"
    default: return {};
  }
}

}  // namespace rt
