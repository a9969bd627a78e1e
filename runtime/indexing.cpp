#include "runtime/indexing.h"

#include "runtime/body.h"
#include "runtime/ops.h"

#include <algorithm>

namespace rt {
namespace {

int64_t dimensionsOf(const Index& index) {
  if (const Tensor* tensor = std::get_if<Tensor>(&index)) return isMask(*tensor) ? tensor->dim() : 1;
  return std::holds_alternative<int>(index) || std::holds_alternative<int64_t>(index) || std::holds_alternative<Slice>(index);
}

// What is a view is taken at once; tensors wait, by dimension.
class Applied {
 public:
  Applied(const Tensor& self, std::initializer_list<Index> indices) : sliced(self) {
    int64_t specified = 0;
    for (const Index& index : indices) specified += dimensionsOf(index);
    if (specified > self.dim()) throw Error("too many indices for a tensor of shape " + toText(self.sizes()));
    whole_ = self.dim() - specified;
    for (const Index& index : indices) std::visit([&](const auto& one) { apply(one); }, index);
  }

  Tensor sliced;
  std::vector<Tensor> tensors;  // undefined for dimensions that are taken whole

 private:
  void apply(None) { sliced = ops::unsqueeze(sliced, {dim_++}); }
  void apply(Ellipsis) { dim_ += whole_; }
  void apply(const Slice& slice) {
    const int64_t size = sliced.size(dim_), step = slice.step.value_or(1);
    if (step <= 0) throw Error("a slice's step must be positive, not " + std::to_string(step));
    if (slice.start.value_or(0) != 0 || slice.stop.value_or(size) != size || step != 1) sliced = ops::slice(sliced, {dim_, slice.start.value_or(0), slice.stop.value_or(size), step});
    ++dim_;
  }
  void apply(bool one) {
    sliced = ops::unsqueeze(sliced, {dim_});
    const Scalar zero(int64_t(0));
    wait(fromValues({&zero, one ? 1u : 0u}, {one ? 1 : 0}, DType::int64, sliced.device()));
  }
  void apply(int i) { apply(int64_t(i)); }
  void apply(int64_t i) { sliced = ops::select(sliced, {dim_, i}); }
  void apply(const Tensor& tensor) {
    if (!tensor.defined()) throw Error("an index is an undefined tensor");
    const bool number = tensor.dim() == 0 && kindOf(tensor.dtype()) != DTypeKind::floating;
    if (number && isMask(tensor)) apply(tensor.item().toDouble() != 0);
    else if (number) apply(int64_t(tensor.item().toDouble()));
    else wait(tensor);
  }
  void wait(const Tensor& tensor) {
    tensors.resize(size_t(dim_) + 1);
    tensors[size_t(dim_++)] = tensor;
  }

  int64_t dim_ = 0, whole_ = 0;
};

// Leading dimensions of size 1 do not count.
Tensor withoutLeadingOnes(const Tensor& values) {
  const auto sizes = values.sizes();
  const auto first = std::find_if(sizes.begin(), sizes.end(), [](int64_t size) { return size != 1; });
  return first == sizes.begin() ? values : ops::reshape(values, Ints(sizes.subspan(size_t(first - sizes.begin()))));
}

int64_t sizeAlong(const char* name, const Tensor& tensor, int64_t dim) {
  if (tensor.dim() == 0) throw Error(std::string(name) + ": a 0-dim tensor has no parts");
  return tensor.size(dim);
}

}  // namespace

Tensor index(const Tensor& self, std::initializer_list<Index> indices) {
  Applied applied(self, indices);
  if (applied.tensors.empty()) return applied.sliced.isSame(self) ? ops::view(self, Ints(self.sizes())) : applied.sliced;
  std::vector<Tensor> in = {applied.sliced};
  in.insert(in.end(), applied.tensors.begin(), applied.tensors.end());
  return call(Op::index, in);
}

void index_put_(const Tensor& self, std::initializer_list<Index> indices, const Tensor& values) {
  Applied applied(self, indices);
  if (applied.tensors.empty()) {
    const Tensor rest[] = {withoutLeadingOnes(values)};
    return callInPlace(Op::copy, applied.sliced, rest);
  }
  std::vector<Tensor> rest = {withoutLeadingOnes(values).to(self.dtype())};
  rest.insert(rest.end(), applied.tensors.begin(), applied.tensors.end());
  callInPlace(Op::index_put, applied.sliced, rest);
}

std::vector<Tensor> split(const Tensor& tensor, const std::vector<int64_t>& sizes, int64_t dim) {
  const int64_t whole = sizeAlong("split", tensor, dim);
  int64_t start = 0;
  for (int64_t size : sizes) start += size < 0 ? whole + 1 : size;
  if (start != whole) throw Error("split: sizes " + toText(sizes) + " do not sum to the " + std::to_string(whole) + " elements of dimension " + std::to_string(dim) + " of shape " + toText(tensor.sizes()));
  std::vector<Tensor> result;
  start = 0;
  for (int64_t size : sizes) result.push_back(ops::narrow(tensor, {dim, start, size})), start += size;
  return result;
}

std::vector<Tensor> split(const Tensor& tensor, int64_t size, int64_t dim) {
  const int64_t whole = sizeAlong("split", tensor, dim);
  if (size < 0 || (size == 0 && whole > 0)) throw Error("split: the size of a part must be positive, not " + std::to_string(size));
  std::vector<int64_t> sizes;
  for (int64_t left = whole; left > 0; left -= size) sizes.push_back(std::min(size, left));
  if (sizes.empty()) sizes.push_back(whole);
  return split(tensor, sizes, dim);
}

std::vector<Tensor> chunk(const Tensor& tensor, int64_t chunks, int64_t dim) {
  const int64_t whole = sizeAlong("chunk", tensor, dim);
  if (chunks <= 0) throw Error("chunk: the number of chunks must be positive, not " + std::to_string(chunks));
  const int64_t size = (whole + chunks - 1) / chunks;
  return size == 0 ? split(tensor, std::vector<int64_t>(size_t(chunks), 0), dim) : split(tensor, size, dim);
}

std::vector<Tensor> unbind(const Tensor& tensor, int64_t dim) {
  std::vector<Tensor> result;
  for (int64_t i = 0, n = sizeAlong("unbind", tensor, dim); i < n; ++i) result.push_back(ops::select(tensor, {dim, i}));
  return result;
}

}  // namespace rt
