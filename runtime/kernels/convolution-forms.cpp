// The convolutions as LibTorch's functions name them: batches of one that are no batch, paddings by name. Each is a row
// `convolution`, which carries the gradient.
#include "runtime/body.h"
#include "runtime/kernels/convolution.h"
#include "runtime/ops.h"

#include <iterator>

namespace rt {
namespace {

struct Form {
  Op op;
  size_t rank;
  bool transposed;
};
constexpr Form forms[] = {
    {Op::conv1d, 1, false},           {Op::conv2d, 2, false},           {Op::conv3d, 3, false},
    {Op::conv_transpose1d, 1, true},  {Op::conv_transpose2d, 2, true},  {Op::conv_transpose3d, 3, true},
};

enum class Padding : int64_t { numbers, valid, same };

[[noreturn]] void refuse(Op op, const std::string& why) { throw Error(std::string(info(op).name) + ": " + why); }

// With an even kernel one end more is padded than the other: that end of the input is padded first.
Tensor paddedAsSame(Op op, const Tensor& input, const Tensor& weight, ConvolutionInts& p) {
  if (input.dim() != weight.dim()) refuse(op, "a weight of shape " + toText(weight.sizes()) + " does not fit an input of shape " + toText(input.sizes()));
  Ints ends;
  bool even = true;
  for (size_t d = p.stride.size(); d-- > 0;) {
    if (p.stride[d] != 1) refuse(op, "the padding \"same\" is for a stride of 1");
    const int64_t total = p.dilation[d] * (weight->sizes[d + 2] - 1);
    p.padding[d] = total / 2;
    ends.push_back(0);
    ends.push_back(total - 2 * p.padding[d]);
    even &= ends.back() == 0;
  }
  return even ? input : ops::constant_pad_nd(input, 0, ends);
}

}  // namespace

namespace kernels {

// ints: for each spatial dimension stride, padding and dilation; the groups; 1 for the padding "valid", 2 for "same". Transposed,
// as LibTorch orders them: stride, padding, output padding; the groups; dilation.
Tensor convolutionForm(Op op, Tensors in, const Attributes& attributes) {
  const Form& form = *std::find_if(std::begin(forms), std::end(forms), [op](const Form& f) { return f.op == op; });
  const Tensor &weight = in[1], bias = in.size() > 2 ? in[2] : Tensor();
  const Ints& ints = attributes.ints;
  const int64_t batched = int64_t(form.rank) + 2;
  if (in[0].dim() != batched && in[0].dim() != batched - 1)
    refuse(op, "the input must have " + std::to_string(batched) + " dimensions, or one less, not shape " + toText(in[0].sizes()));
  Tensor input = in[0].dim() == batched ? in[0] : ops::unsqueeze(in[0], {0});

  ConvolutionInts p({}, form.rank);
  auto read = [&](size_t at, Dims& into) { for (size_t d = 0; d < form.rank && at + d < ints.size(); ++d) into[d] = ints[at + d]; };
  const Padding padding = form.transposed ? Padding::numbers : Padding(attributes.integer(3 * form.rank + 1, 0));
  read(0, p.stride);
  if (padding == Padding::numbers) read(form.rank, p.padding);
  read(form.transposed ? 3 * form.rank + 1 : 2 * form.rank, p.dilation);
  if (form.transposed) read(2 * form.rank, p.outputPadding);
  p.groups = attributes.integer(3 * form.rank, 1);
  p.transposed = form.transposed;

  if (padding == Padding::numbers && !form.transposed && bias.defined() && bias.dtype() != in[0].dtype())
    refuse(op, std::string("expected a bias of ") + dtypeName(in[0].dtype()) + ", not " + dtypeName(bias.dtype()));
  if (padding == Padding::same) input = paddedAsSame(op, input, weight, p);
  const Tensor operands[] = {input, weight, bias};
  Tensor result = call(Op::convolution, operands, {p.ints()});
  return in[0].dim() == batched ? result : ops::squeeze(result, {0});
}

}  // namespace kernels
}  // namespace rt
