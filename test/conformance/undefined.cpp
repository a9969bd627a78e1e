// Where LibTorch leaves a result open: two of its builds, or its vector loop and the loop for the rest, differ there; or the
// language leaves it open. One table, each row with its reason; whatever else differs is a bug here.
#include "test/conformance/session.h"

#include <ATen/WrapDimUtils.h>

#include <cmath>

namespace samples {
namespace {

using Kind = rt::Scalar::Kind;

struct Open {
  const char* reason;
  std::initializer_list<const char*> rows;  // parts of their names; none: all
  bool (*holds)(const Element&);
};

bool isHalf(const at::Tensor& t) { return t.scalar_type() == at::kHalf || t.scalar_type() == at::kBFloat16; }
bool bothZero(const Element& e) { return e.ours.toDouble() == 0 && e.theirs.toDouble() == 0; }

bool isExpanded(const at::Tensor& t) {
  for (int64_t d = 0; d < t.dim(); ++d)
    if (t.size(d) > 1 && t.stride(d) == 0) return true;
  return false;
}

// What element `place` of the line that topk_indices looked at holds.
double atPlace(const Element& e, int64_t place) {
  const at::Tensor& from = e.in[0];
  if (from.dim() == 0) return elementOf(from, 0).toDouble();
  const int64_t dim = at::maybe_wrap_dim(e.attributes.integer(1, -1), from.dim());
  int64_t at = 0, step = 1, rest = e.index;
  for (int64_t d = from.dim(); d-- > 0; rest /= e.result.size(d), step *= from.size(d)) at += (d == dim ? place : rest % e.result.size(d)) * step;
  return elementOf(from, at).toDouble();
}

double largestIn(const at::Tensor& t) {
  double largest = 0;
  for (int64_t i = 0; t.defined() && i < t.numel(); ++i) largest = std::max(largest, std::abs(elementOf(t, i).toDouble()));
  return largest;
}

bool holds(const at::Tensor& t, const rt::Scalar& wanted) {
  for (int64_t i = 0; i < t.numel(); ++i)
    if (double v = elementOf(t, i).toDouble(); v == wanted.toDouble() || (std::isnan(v) && std::isnan(wanted.toDouble()))) return true;
  return false;
}

const Open table[] = {
    {"what a factor of 0 makes of a product that is not finite", {"addmm", "addmv", "baddbmm"}, [](const Element& e) { return e.attributes.real(1, 1) == 0 && std::isnan(e.ours.toDouble()) != std::isnan(e.theirs.toDouble()); }},
    {"which of several values for one place index_put keeps", {"index_put"}, [](const Element& e) { return e.attributes.integer(0, 0) == 0 && holds(e.in[1], e.ours) && holds(e.in[1], e.theirs); }},
    {"which of several equal elements topk takes", {"topk_indices"}, [](const Element& e) {
       const double ours = atPlace(e, e.ours.i), theirs = atPlace(e, e.theirs.i);
       return ours == theirs || (std::isnan(ours) && std::isnan(theirs));
     }},
    {"which of 0 and -0 is the larger one depends on the vector width and on the operands' order in it", {"max", "min", "clamp", "relu", "hardtanh", "threshold", "softshrink", "median", "topk"}, bothZero},
    {"near the largest float, LibTorch's vector loop overflows in e^x before it halves it", {"sinh", "cosh"}, [](const Element& e) { return std::abs(e.ours.toDouble()) > 1e38 && std::isinf(e.theirs.toDouble()); }},
    {"near the largest float, LibTorch's vector loop fuses and does not overflow", {"lerp", "addcmul", "addcdiv", "rsub"}, [](const Element& e) { return std::isinf(e.ours.toDouble()) != std::isinf(e.theirs.toDouble()) && std::max(std::abs(e.operand(0).toDouble()), std::abs(e.operand(1).toDouble())) > 1e38; }},
    {"the sign of a NaN is not kept by every conversion", {"copysign"}, [](const Element& e) { return std::isnan(e.operand(1).toDouble()); }},
    {"the sign of a NaN is not kept by every conversion", {"signbit"}, [](const Element& e) { return std::isnan(e.operand(0).toDouble()); }},
    {"LibTorch's vector loop overflows near the largest number, and makes NaN of infinity", {"gelu"}, [](const Element& e) { return e.operand(0).toDouble() > 1e38; }},
    {"near the largest float, the squares overflow in LibTorch", {"var", "std"}, [](const Element& e) { return std::isinf(e.theirs.toDouble()) && largestIn(e.in[0]) > 1e18; }},
    {"near 1 and -1, the last step hangs on the last bit of erf", {"erfinv"}, [](const Element& e) { return std::abs(e.operand(0).toDouble()) > 0.9999; }},
    {"LibTorch's compiler fuses the product of the step before it truncates", {"linspace"}, [](const Element& e) { return e.ours.kind == Kind::integer && std::abs(e.ours.i - e.theirs.i) <= 1; }},
    {"the norm of a single element near the largest number", {"cosine_similarity", "normalize", "norm"}, [](const Element& e) { return largestIn(e.in[0]) > 1e12 || (e.in.size() > 1 && largestIn(e.in[1]) > 1e12); }},
    {"squares near the largest number overflow, or do not, by the loop", {"layer_norm", "group_norm"}, [](const Element& e) { return std::isnan(e.theirs.toDouble()) && largestIn(e.in[0]) > 1e19; }},
    {"a partial product that underflows", {"prod"}, [](const Element& e) { return std::abs(e.ours.toDouble()) < 1e-30 && std::abs(e.theirs.toDouble()) < 1e-30; }},
    {"a partial product overflows: the order of multiplying is free", {"prod"}, [](const Element& e) { return std::isnan(e.ours.toDouble()) != std::isnan(e.theirs.toDouble()) && largestIn(e.in[0]) > 1e18; }},
    {"LibTorch reads an expanded input as if it were dense", {"median"}, [](const Element& e) { return isExpanded(e.in[0]); }},
    {"LibTorch's vector loop computes the rest of a division in a way that fails for quotients past 2^53, its scalar loop does not", {"fmod", "remainder"},
     [](const Element& e) { return std::abs(e.operand(0).toDouble() / e.operand(1).toDouble()) > 0x1p53; }},
    {"LibTorch 1 leaves shifts by more than the width to the processor", {"bitwise_left_shift", "bitwise_right_shift"}, [](const Element& e) {
       return release.major < 2 && (e.operand(1).toDouble() < 0 || e.operand(1).toDouble() >= 8);
     }},
    {"in half types, LibTorch's kernels multiply what lies beside the image by 0, or do not", {"conv"}, [](const Element& e) { return isHalf(e.result) && !std::isfinite(e.theirs.toDouble()); }},
};

bool named(const Open& open, const std::string& name) {
  bool found = open.rows.size() == 0;
  for (const char* part : open.rows) found |= name.find(part) != name.npos;
  return found;
}

}  // namespace

rt::Scalar Element::operand(size_t k) const {
  const at::Tensor& from = in[k];
  int64_t place = 0, step = 1, rest = index;
  for (int64_t d = result.dim(), f = from.dim(); d-- > 0; rest /= result.size(d)) {
    if (--f < 0) break;
    if (from.size(f) != 1) place += rest % result.size(d) % from.size(f) * step;
    step *= from.size(f);
  }
  return from.numel() ? elementOf(from, place) : rt::Scalar(0.0);
}

const char* openIn(const Element& element) {
  const std::string name = rt::info(element.op).name;
  for (const Open& open : table)
    if (named(open, name) && open.holds(element)) return open.reason;
  return nullptr;
}

bool trapsIn(const Step& step, const std::vector<at::Tensor>& in) {
  if (!step.row || in.size() < 2 || !in[0].defined() || !in[1].defined()) return false;
  const std::string name = rt::info(step.row->op).name;
  if (name == "gcd" || name == "lcm") {  // the least value has no magnitude: a remainder by -1
    for (size_t k = 0; k < 2; ++k)
      for (int64_t i = 0; !at::isFloatingType(in[k].scalar_type()) && i < in[k].numel(); ++i)
        if (elementOf(in[k], i).toDouble() <= -128) return true;
    return false;
  }
  bool divides = false;
  for (const char* part : {"mod", "div", "remainder"}) divides |= name.find(part) != name.npos;
  if (!divides || at::isFloatingType(in[0].scalar_type()) || at::isFloatingType(in[1].scalar_type())) return false;
  bool least = false, minusOne = false;
  for (int64_t i = 0; i < in[0].numel(); ++i) least |= elementOf(in[0], i).toDouble() <= -128;
  for (int64_t i = 0; i < in[1].numel(); ++i) minusOne |= elementOf(in[1], i).toDouble() == -1;
  return least && minusOne;
}

}  // namespace samples
