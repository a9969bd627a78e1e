// What this runtime does not imitate, each with its reason: cases are counted, printed by reason, and fail nothing. Unlike the
// table of what LibTorch leaves open, these are choices here; docs/ops.md points here.
#include "test/conformance/known.h"

#include <algorithm>
#include <cmath>

namespace samples {
namespace {

bool isHalf(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16; }
bool anyHalf(const Step& step, const Program&) {
  return std::any_of(step.arguments.begin(), step.arguments.end(), [](const Argument& a) { return a.kind == Argument::Kind::tensor && isHalf(a.dtype); }) ||
         (step.attributes.dtype && isHalf(*step.attributes.dtype));
}
bool expanded(const Argument& a, const Program& program) {
  if (a.from >= 0) return std::any_of(program.begin(), program.end(), [](const Step& step) {
      const bool wide = std::any_of(step.arguments.begin(), step.arguments.end(), [&](const Argument& one) { return one.from < 0 && expanded(one, {}); });
      return wide || (step.row && step.row->op == Op::expand);
    });
  for (size_t d = 0; d < a.strides.size(); ++d)
    if (a.shape[d] > 1 && a.strides[d] == 0) return true;
  return false;
}
bool empty(const Step& step, const Program&) {
  return std::any_of(step.arguments.begin(), step.arguments.end(), [](const Argument& a) { return a.kind == Argument::Kind::tensor && rt::numelOf(a.shape) == 0; });
}
bool number(const Argument& a) { return a.kind == Argument::Kind::number; }

bool notFinite(const Step& step, const Program& program) {
  if (std::count_if(program.begin(), program.end(), [](const Step& one) { return one.row != nullptr; }) > 1) return true;  // another row may give what is not
  return std::any_of(step.arguments.begin(), step.arguments.end(), [](const Argument& a) {
    return a.from >= 0 || std::any_of(a.values.begin(), a.values.end(), [](const rt::Scalar& v) { return v.kind == rt::Scalar::Kind::floating && !std::isfinite(v.d); });
  });
}

// A plane with a dimension of size 1, in the image, the weight or what comes of them.
bool ambiguousPlanes(const Step& step, const Program&) {
  return std::any_of(step.arguments.begin(), step.arguments.end(), [](const Argument& a) { return a.from >= 0 || (a.rank() == 4 && std::find(a.shape.begin() + 1, a.shape.end(), 1) != a.shape.end() && (a.strides[1] <= a.strides[3] || a.shape[1] == 1)); });
}

bool ambiguousFormat(const Step& step, const Program&) {
  const Argument& a = step.arguments[0];
  return a.from >= 0 || (a.rank() > 3 && std::find(a.shape.begin(), a.shape.end(), 1) != a.shape.end() && a.strides[1] < rt::numelOf(std::span(a.shape).subspan(2)));
}

// What a comparison or a fill in place gives an integer tensor.
bool integerHasHistory(const Step&, const Program& program) {
  return std::any_of(program.begin(), program.end(), [](const Step& one) { return one.kind == Step::Kind::inPlace && rt::kindOf(one.arguments[0].dtype) != rt::DTypeKind::floating; });
}

// The step whose memory a step's result lies in, if it is a view, or the tensor that it has written to.
int rootOf(const Program& program, int from) {
  while (from >= 0 && size_t(from) < program.size()) {
    const Step& step = program[size_t(from)];
    const bool passes = step.row && !step.arguments.empty() && (step.kind == Step::Kind::inPlace || rt::info(step.row->op).kind == rt::OpKind::view || step.row->op == Op::detach);
    if (!passes || step.arguments[0].from < 0) break;
    from = step.arguments[0].from;
  }
  return from;
}
// Another operand lies in the memory that is written to.
bool fromItself(const Step& step, const Program& program) {
  if (step.kind != Step::Kind::inPlace || step.arguments.empty() || step.arguments[0].from < 0) return false;
  const int self = rootOf(program, step.arguments[0].from);
  return std::any_of(step.arguments.begin() + 1, step.arguments.end(), [&](const Argument& a) { return a.from >= 0 && rootOf(program, a.from) == self; });
}

bool wholeNumbers(const Step& step, const Program&) {
  return std::any_of(step.arguments.begin(), step.arguments.end(), [](const Argument& a) { return rt::kindOf(a.dtype) == rt::DTypeKind::integer; });
}
// Numbers near the ends of float's range, whose products and quotients leave it.
bool extremes(const Step&, const Program& program) {
  auto extreme = [](const rt::Scalar& v) { const double size = std::abs(v.toDouble()); return size > 1e37 || (size > 0 && size < 1e-37); };
  return std::any_of(program.begin(), program.end(), [&](const Step& one) {
    return std::any_of(one.arguments.begin(), one.arguments.end(), [&](const Argument& a) { return std::any_of(a.values.begin(), a.values.end(), extreme); });
  });
}
bool expandedInt32(const Step& step, const Program& program) { return step.arguments[1].dtype == DType::int32 && expanded(step.arguments[1], program); }
bool huge(const Step&, const Program& program) {
  return std::any_of(program.begin(), program.end(), [&](const Step& one) {
    return std::any_of(one.arguments.begin(), one.arguments.end(), [&](const Argument& a) {
      return std::any_of(a.values.begin(), a.values.end(), [](const rt::Scalar& v) { return std::abs(v.toDouble()) > 0x1p52; });
    });
  });
}
bool severalRows(const Step&, const Program& program) {
  return std::count_if(program.begin(), program.end(), [](const Step& one) { return one.row != nullptr; }) > 1;
}
bool notFiniteCotangent(const Step&, const Program& program) {
  return std::any_of(program.begin(), program.end(), [](const Step& one) { return one.kind == Step::Kind::backward && one.attributes.integer(0, 0) == 1; });
}
bool ambiguousSizes(const Step& step, const Program&) {
  return std::any_of(step.arguments.begin(), step.arguments.end(), [](const Argument& a) { return a.from >= 0 || std::find(a.shape.begin(), a.shape.end(), 1) != a.shape.end(); });
}
bool addsToSharedGradients(const Step&, const Program& program) {
  auto passes = [](const Step& one) { return one.kind == Step::Kind::backward; };
  return std::count_if(program.begin(), program.end(), passes) > 1 &&
         std::any_of(program.begin(), program.end(), [&](const Step& one) { return passes(one) && one.attributes.integer(0, 0) == 2; });
}
bool singleSizes(const Step& step, const Program&) {
  const Argument& a = step.arguments[0];
  return a.rank() > 3 && (a.from >= 0 || std::find(a.shape.begin(), a.shape.end(), 1) != a.shape.end());
}

struct Known {
  const char* reason;
  std::initializer_list<const char*> rows;  // none: all
  const char* way;                          // how the difference begins, with its text for exceptions; "" any
  bool (*holds)(const Step&, const Program&);
};
bool always(const Step&, const Program&) { return true; }

bool bfloat16(const Step& step, const Program&) {
  return std::any_of(step.arguments.begin(), step.arguments.end(), [](const Argument& a) { return a.kind == Argument::Kind::tensor && a.dtype == DType::bfloat16; });
}

const char* const byProcessor = "half types: whether oneDNN or LibTorch's own kernel convolves depends on the processor; they check other things, and lay results out otherwise";
const Known table[] = {
    {"half types: LibTorch's loops round after each step or once, by the layout of the operands", {"div_floor", "div_trunc", "floor_divide", "fmod", "remainder", "rsub", "lerp", "scatter_add", "index_add", "sum", "prod"}, "", anyHalf},
    {"half types: LibTorch's softmax rounds on the way", {"softmax", "log_softmax", "cross_entropy_loss"}, "", anyHalf},
    {"an operation that throws on the way has already written a part", {"remainder", "fmod", "div_floor", "div_trunc", "floor_divide", "scatter", "scatter_add", "batch_norm", "native_batch_norm", "instance_norm", "batch_norm", "native_batch_norm", "instance_norm"}, "value at the end", always},
    {"which of several equal elements is the median", {"median_dim"}, "gradient value", always},
    {"LibTorch 2.15 puts the zeros of this gradient in the wrong part", {"as_strided_scatter"}, "gradient value", always},
    {"the sign of a zero that was added to", {"as_strided"}, "gradient value", always},
    {"LibTorch does not look at the dtype where there is no element", {}, "throws", empty},
    {"the gradient of cumprod over zeros and infinities", {"cumprod"}, "gradient value", always},
    {"the gradient of prod over zeros and infinities", {"prod"}, "gradient value", always},
    {"in place on an expanded tensor, which LibTorch deprecates or does not see", {"masked_fill", "index_put", "tril", "triu", "copy"}, "", [](const Step& step, const Program& program) { return step.kind == Step::Kind::inPlace && expanded(step.arguments[0], program); }},
    {"linear with a bias and a vector for a weight", {"linear"}, "", [](const Step& step, const Program&) { return step.arguments[1].rank() != 2; }},
    {"gradients whose factors overflow or vanish on the way in LibTorch's vector loop", {"sinh", "cosh", "log_sigmoid", "sinc", "erfinv", "binary_cross_entropy_with_logits"}, "gradient value", always},
    {"the slope of std at equal elements, which is rounding over rounding", {"std"}, "gradient value", always},
    {"sums over integers beyond a double's exactness", {"mul", "div", "sub", "add"}, "gradient value", [](const Step& step, const Program&) {
       return std::any_of(step.arguments.begin(), step.arguments.end(), [](const Argument& a) { return a.dtype == DType::int64; });
     }},
    {"sums over integers beyond a float's exactness", {"poisson_nll_loss", "sum", "nansum", "mean"}, "value", wholeNumbers},
    {"near the ends of float's range LibTorch's vector pow is exact to 1e-6 only", {"pow"}, "gradient value", extremes},
    {"LibTorch writes this gradient into the smaller of two shapes", {"binary_cross_entropy_with_logits"}, "backward does not throw: output with shape", always},
    {"sums over integers beyond a half type's exactness, cancelling", {"div"}, "gradient value", wholeNumbers},
    {"infinities of both signs in a sum, which the order of adding decides", {"layer_norm", "group_norm"}, "gradient value", notFiniteCotangent},
    {"the memory format of results, where dimensions of size 1 leave it ambiguous", {"huber_loss", "smooth_l1_loss", "mse_loss", "roll"}, "strides", ambiguousSizes},
    {"a slope that is 0 but for rounding, times infinity", {"binary_cross_entropy"}, "gradient value", severalRows},
    {"a uint8 mask, which LibTorch's own masked_fill refuses", {"index_put"}, "does not throw: masked_fill_ only", always},
    {"views of one expanded cotangent as gradients of several tensors, which a second backward pass adds to in place", {}, "gradient value", addsToSharedGradients},
    {"a channel of one large element, which is 0 but for rounding", {"batch_norm", "native_batch_norm"}, "value", severalRows},
    {"a slope that is 0 but for rounding, times large numbers", {"softmax", "log_softmax"}, "gradient value", severalRows},
    {"overflow in a sum, which the order of adding decides", {"fmod", "remainder"}, "gradient value", extremes},
    {"overflow in a sum, which the order of adding decides", {"binary_cross_entropy_with_logits"}, "value", extremes},
    {"LibTorch saves a flattened copy for planes", {"nll_loss", "cross_entropy_loss"}, "backward throws: one of the variables", [](const Step& step, const Program&) { return step.arguments[0].rank() > 2; }},
    {"the memory format of what is padded, where dimensions of size 1 leave it ambiguous", {"constant_pad_nd", "pad"}, "strides", singleSizes},
    {"weights of both signs, whose sum nearly cancels", {"nll_loss", "cross_entropy_loss"}, "value", [](const Step& step, const Program&) {
       return step.arguments.size() > 2 && std::any_of(step.arguments[2].values.begin(), step.arguments[2].values.end(), [](const rt::Scalar& w) { return w.toDouble() < 0; });
     }},
    {"half types: LibTorch computes erf by a polynomial that is exact to 1e-7 of 1", {"erf"}, "value", anyHalf},
    {"the slope at NaN depends on whether LibTorch's vector loop or the loop for the rest came by", {"hardtanh", "relu6", "selu", "celu", "elu", "hardswish", "softshrink", "hardshrink"}, "gradient value", always},
    {"a bound that does not fit, beside one that is NaN", {"clamp"}, "throws", always},
    {"a result that is a view of another tensor inside LibTorch, made in no-grad mode", {}, "does not throw: A view was created in no_grad mode and is being", [](const Step&, const Program& program) {
       return std::any_of(program.begin(), program.end(), [](const Step& one) { return one.row && !one.grad && rt::info(one.row->op).kind == rt::OpKind::kernel; });
     }},
    {"a write to an expanded tensor, seen from its base", {}, "backward does not throw: unsupported operation: more than one element", always},
    {"a history of an integer tensor, which LibTorch gives and cannot use", {}, "does not throw: Autograd not support dtype", always},
    {"a history of an integer tensor, which LibTorch gives and cannot use", {}, "backward does not throw", integerHasHistory},
    {"a history of an integer tensor, which LibTorch gives and cannot use", {}, "requires_grad", integerHasHistory},
    {"expand keeps a size of -1 for a dimension that is new, if there are no elements", {"expand"}, "throws", always},
    {"addmv of a matrix without elements keeps the shape of a 0-dim tensor", {"addmv"}, "", empty},
    {"a mask without dimensions among the indices", {"index", "index_put"}, "throws", always},
    {"which of several equal elements topk takes", {"topk"}, "gradient value", always},
    {"an index that LibTorch does not look at when the tensor has one element along the dimension", {"take_along_dim"}, "throws", always},
    {"what is not finite meets the zeros beside the image in some of LibTorch's kernels, and not in others", {"conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "convolution", "convolution_weight", "layer_norm", "group_norm"}, "gradient value", notFinite},
    {"half types: LibTorch adds up in them", {"adaptive_avg_pool3d", "_adaptive_avg_pool3d"}, "value", anyHalf},
    {"half types: LibTorch adds up in them", {"pad", "reflection_pad1d", "reflection_pad2d", "reflection_pad3d", "replication_pad1d", "replication_pad2d", "replication_pad3d"}, "gradient value", anyHalf},
    {"half types: LibTorch adds up in them", {"adaptive_max_pool2d", "adaptive_max_pool3d", "max_pool2d", "max_pool3d"}, "gradient value", anyHalf},
    {"half types: running statistics that LibTorch has rounded on the way", {"batch_norm", "native_batch_norm", "instance_norm"}, "value of argument", anyHalf},
    {"half types: LibTorch's gradient takes the type of the statistics from the weight, its forward from the bias too", {"layer_norm", "group_norm"}, "backward does not throw", anyHalf},
    {"the memory format of a volume without a batch and with dimensions of size 1", {"max_pool3d", "max_pool3d_indices"}, "strides", [](const Step& step, const Program&) { return step.arguments[0].rank() == 4; }},
    {"LibTorch takes the gradient in the order of the input, where dimensions of size 1 leave open which that is", {"batch_norm", "native_batch_norm"}, "gradient value", ambiguousFormat},
    {"LibTorch's own kernel wants a contiguous gradient where it has made one of channels last", {"conv1d", "conv2d", "conv_transpose1d", "conv_transpose2d", "convolution"}, "backward does not throw", always},
    {"LibTorch asserts that a tensor with a history is contiguous", {"as_strided_scatter"}, "does not throw", always},
    {"is_leaf of a view whose base was written to: LibTorch has not made its history yet", {}, "is_leaf: false instead of true", always},
    {"a view whose base was written to passes for a leaf: LibTorch has not made its history yet", {}, "does not throw: a leaf", [](const Step&, const Program& program) {
       return std::any_of(program.begin(), program.end(), [](const Step& one) { return one.kind == Step::Kind::inPlace; });
     }},
    {"in place on elements that as_strided has made one in memory", {}, "value", [](const Step& step, const Program& program) {
       return step.kind == Step::Kind::inPlace && std::any_of(program.begin(), program.end(), [](const Step& one) { return one.row && one.row->op == Op::as_strided; });
     }},
    {"in place, from a part of what is written", {}, "value", fromItself},
    {"the derivative of a number's remainder, for a view whose history is not made yet", {"remainder"}, "backward does not throw", always},
    {byProcessor, {"conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "convolution"}, "does not throw", anyHalf},
    {byProcessor, {"conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "convolution"}, "throws", anyHalf},
    {byProcessor, {"conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "convolution"}, "strides", anyHalf},
    {byProcessor, {"conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "convolution"}, "backward", anyHalf},
    {"an int32 index that is expanded, which LibTorch 2.15 reads as if it were dense", {"gather", "scatter", "scatter_add", "take_along_dim"}, "value", expandedInt32},
    {"an int32 index that is expanded, which LibTorch 2.15 reads as if it were dense", {"gather", "scatter", "scatter_add", "take_along_dim"}, "gradient value", expandedInt32},
    {"1 + erf, or 1 + tanh, which cancels", {"gelu", "gelu_tanh"}, "gradient value", always},
    {"the mean of numbers beyond 2^53", {"layer_norm", "group_norm", "instance_norm"}, "value", huge},
    {"the values beside these indices have a history in LibTorch, which a view made in no-grad mode refuses", {"argsort", "topk_indices", "cummax_indices", "cummin_indices", "median_index"}, "does not throw: A view", always},
    {"the memory format of parts whose dimensions of size 1 leave it ambiguous", {"cat", "stack"}, "strides", always},
    {"half types: LibTorch rounds on the way through this gradient", {"polygamma", "pow"}, "gradient value", anyHalf},
    {"int32 indices are converted, which makes LibTorch walk them in another order", {"index"}, "strides", [](const Step& step, const Program&) {
       return std::any_of(step.arguments.begin() + 1, step.arguments.end(), [](const Argument& a) { return a.kind == Argument::Kind::tensor && a.dtype == DType::int32; });
     }},
    {"oneDNN puts elements in the wrong place where dimensions of size 1 leave the memory format ambiguous", {"conv2d", "conv_transpose2d", "convolution"}, "", ambiguousPlanes},
    {"a bool exponent that is a number, on bool tensors", {"pow"}, "throws", [](const Step& step, const Program&) { return number(step.arguments[1]) || number(step.arguments[0]); }},
};

// What LibTorch 1 alone does.
const Known first[] = {
    {"it takes bool tensors here", {"clamp_min", "clamp_max", "clamp"}, "throws", always},
    {"bounds outside uint8 wrap", {"clamp", "clamp_min", "clamp_max"}, "", [](const Step& step, const Program&) { return step.arguments[0].dtype == DType::uint8; }},
    {"masks of numbers other than 0 and 1", {"masked_fill"}, "does not throw: Mask tensor", always},
    {"an input without elements", {"instance_norm"}, "does not throw", empty},
    {"it refuses negative bounds for uint8", {"hardtanh"}, "does not throw", always},
    {"it subtracts 1 from e^x", {"elu", "selu", "celu"}, "value", always},
    {"it takes the logarithm of 1 + e^x", {"soft_margin_loss"}, "value", always},
    {"its oneDNN on bfloat16: wrong sizes, strides, elements and checks", {"conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "convolution"}, "", bfloat16},
    {"its kernels look at sizes, dtypes and strides in other places", {"conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "convolution"}, "does not throw", always},
    {"its kernels look at sizes, dtypes and strides in other places", {"conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "convolution"}, "throws", always},
    {"it adds tensors of another dtype to a product", {"addmv", "baddbmm", "addmm"}, "throws", always},
    {"what a factor of 0 makes of a product that is not finite", {"baddbmm", "addmm", "addmv"}, "value", always},
    {"results without elements are refused in other places", {"_adaptive_avg_pool3d", "adaptive_avg_pool3d", "adaptive_max_pool3d"}, "backward throws", always},
    {"results without elements are refused in other places",
     {"pad", "reflection_pad1d", "reflection_pad2d", "reflection_pad3d", "replication_pad1d", "replication_pad2d", "replication_pad3d", "max_pool1d", "max_pool2d", "max_pool3d", "max_pool3d_indices"}, "throws", always},
    {"pads that leave less than nothing are refused in other places", {"constant_pad_nd", "pad"}, "does not throw", always},
    {"pads that leave less than nothing are refused in other places", {"constant_pad_nd", "pad"}, "backward does not throw", always},
    {"a step of 0 between equal ends", {"arange"}, "", always},
    {"a number of another dtype, beside equal bounds without dimensions", {"clamp"}, "backward does not throw: output with shape", always},
    {"an index_add into nothing", {"index_add"}, "does not throw", empty},
    {"an index of several elements for a 0-dim tensor", {"index_select"}, "throws", always},
    {"dimensions of a 0-dim tensor are not checked", {"cummax", "cummin", "cummax_indices", "cummin_indices"}, "throws", always},
    {"a fill of an expanded tensor", {"fill"}, "throws: fill_: more than one element", always},
    {"numbers are checked though there is nothing to fill", {"fill", "new_full", "full", "full_like", "where", "clamp", "clamp_min", "clamp_max"}, "does not throw: another exception: value cannot be converted", always},
    {"it counts a write of statistics that it only reads", {"instance_norm"}, "version", always},
    {"the statistics' dtypes are looked at in other places", {"instance_norm", "batch_norm"}, "", [](const Step& step, const Program&) {
       return std::any_of(step.arguments.begin(), step.arguments.end(), [&](const Argument& a) { return a.kind == Argument::Kind::tensor && a.dtype != step.arguments[0].dtype; });
     }},
    {"a bias without a weight has no gradient", {"group_norm"}, "backward does not throw: tensor does not have a device", always},
    {"it gives the gradient of another dtype than the input's", {"mse_loss"}, "backward does not throw: Found dtype", always},
    {"its kernels lay out what is padded by other rules", {"pad", "reflection_pad1d", "reflection_pad2d", "reflection_pad3d", "replication_pad1d", "replication_pad2d", "replication_pad3d"}, "strides", always},
    {"its kernels lay out results by other rules", {"prelu", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "convolution", "batch_norm"}, "strides", always},
    {"masks of other dtypes, where there is one element", {"masked_fill"}, "throws", always},
    {"it puts this gradient in the order of memory", {"masked_select"}, "gradient value", always},
    {"a variance with no degree of freedom left", {"var", "std"}, "backward does not throw: Function", always},
    {"a variance with no degree of freedom left", {"var", "std"}, "gradient value", always},
    {"the sign of a zero", {"prelu", "repeat_interleave"}, "gradient value", always},
    {"infinity less infinity on the way", {"binary_cross_entropy_with_logits"}, "value", notFinite},
    {"overflow on the way", {"log1p", "div_floor", "floor_divide", "remainder", "pow", "float_power"}, "value", always},
    {"overflow on the way", {"div_floor", "floor_divide", "remainder", "gelu_tanh"}, "gradient value", always},
    {"half types: a number is not rounded before it meets the gradient", {"mul", "div", "leaky_relu"}, "gradient value", anyHalf},
    {"the derivative of a power of a bool number", {"pow"}, "backward does not throw: false INTERNAL ASSERT", always},
};

}  // namespace

const char* knownIn(const Program& program, const Difference& difference) {
  if (release.major < 2 && difference.text.find("not implemented for") != std::string::npos) return "LibTorch 1 has no kernel for the dtype on the CPU";
  const size_t last = std::min(difference.step, program.size() - 1);
  for (size_t i = 0; i <= last; ++i) {  // a gradient or a later value may come from any line before
    const Step* one = &program[i];
    const bool concerns = i == last || !program[last].row || difference.way.starts_with("gradient") || difference.way.ends_with("at the end") || difference.text.starts_with("A view");
    if (!one->row || !concerns) continue;
    const std::string name = rt::info(one->row->op).name;
    auto fits = [&](const Known& known) {
      const bool named = known.rows.size() == 0 || std::any_of(known.rows.begin(), known.rows.end(), [&](const char* row) { return name == row; });
      return named && (difference.way + ": " + difference.text).starts_with(known.way) && known.holds(*one, program);
    };
    for (const Known& known : table)
      if (fits(known)) return known.reason;
    for (const Known& known : first)
      if (release.major < 2 && fits(known)) return known.reason;
  }
  return nullptr;
}

}  // namespace samples
