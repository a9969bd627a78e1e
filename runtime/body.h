// What a Tensor handle points to. Only the files that implement tensors include this.
#pragma once

#include "runtime/half.h"
#include "runtime/tensor.h"

#include <cstddef>
#include <functional>

namespace rt {

/// Bytes on one device, shared by views. Small ones live inside: verification makes thousands of tiny tensors.
class Storage {
 public:
  Storage(size_t bytes, Device);
  /// Someone else's bytes; `release`, if there is one, is called at the end.
  Storage(void* data, size_t bytes, Device, std::function<void(void*)> release);
  ~Storage();
  Storage(const Storage&) = delete;

  std::byte* data;
  size_t bytes;
  Device device;
  uint32_t version = 0;  // of the contents

 private:
  alignas(16) std::byte small_[64];
  std::function<void(void*)> release_;  // of bytes that are someone else's
};

struct Node;  // autograd.h

class TensorBody {
 public:
  TensorBody() {}  // not defaulted: make_shared would clear it first
  std::shared_ptr<Storage> storage;
  Dims sizes, strides;
  int64_t offset = 0;
  DType dtype = DType::float32;
  bool wrapped = false, requiresGrad = false;
  bool inference = false;             // made in inference mode: no version, no gradient
  bool madeWithoutGrad = false;       // a view that was made while no gradients were recorded
  uint32_t nodeVersion = 0;           // of a view: the version at which `node` was right
  std::shared_ptr<Node> node;         // how this was computed; null for leaves. Of a view: ask historyOf
  std::shared_ptr<TensorBody> base;   // of a view: the tensor that is no view itself
  Tensor grad;

  /// As LibTorch has it, a view requires gradients whenever its base does.
  bool needsGrad() const { return requiresGrad || node || (base && base->needsGrad()); }
  int64_t numel() const { return numelOf(sizes); }
  bool contiguous() const;
  template <typename S> S* data() const { return reinterpret_cast<S*>(storage->data) + offset; }
};

/// Whether the LibTorch release that is imitated is this one or a later.
bool since(int major, int minor);

struct Backend;
/// The table of a device; throws rt::Error when this build has none for it.
const Backend& backendOf(Device);
inline size_t sizeOf(DType dtype) {
  constexpr size_t sizes[] = {
#define DTYPE(name, type, kind, constant) sizeof(type),
#include "runtime/dtypes.def"
  };
  return sizes[static_cast<size_t>(dtype)];
}
/// Where its first element is.
void* dataOf(const Tensor&);
Tensor emptyTensor(const Dims& sizes, DType, Device = Device::cpu);
Tensor emptyStrided(const Dims& sizes, const Dims& strides, DType, Device = Device::cpu);
/// Without gaps, in the tensor's own order of dimensions in memory: what LibTorch's preserve_format and TensorIterator make.
Dims denseStridesLike(const Tensor&);
/// The strides of a result that LibTorch's TensorIterator makes from operands of these strides, each broadcast to `shape`.
Dims iteratedStrides(const Dims& shape, std::span<const Dims* const> operands);
/// A dense copy in the tensor's own memory order, converted to the dtype. No gradient.
Tensor convertedCopy(const Tensor&, DType);
/// The node that computed a tensor. That of a view is made anew, from its base, once either was written to in place.
const std::shared_ptr<Node>& historyOf(const Tensor&);
/// Another handle on the same bytes, without history.
Tensor alias(const Tensor&);
/// Contiguous, of this dtype, on its device; the tensor itself if it is that already. No gradient.
Tensor plain(const Tensor&, DType);
/// Writes the values of `from`, which broadcasts to `to`, converting them. No gradient, no version.
void copyInto(const Tensor& to, const Tensor& from);
/// Throws rt::Error unless the number fits: "value cannot be converted to type int32 without overflow".
void checkFits(const Tensor& number, DType);

/// Calls f.operator()<S>() with the C++ type of a dtype.
template <typename F> decltype(auto) withType(DType dtype, F&& f) {
  switch (dtype) {
#define DTYPE(name, type, kind, constant) case DType::name: return f.template operator()<type>();
#include "runtime/dtypes.def"
  }
  __builtin_unreachable();
}

// The kinds of rows; each makes its result without recording a gradient.
using Tensors = std::span<const Tensor>;
Tensor elementwise(Op, Tensors);
/// The row's result on operands that promote to `dtype`, where a number among them makes it another than on tensors alone;
/// undefined where it does not. Throws for numbers that LibTorch does not take.
Tensor withNumbers(Op, Tensors, DType dtype);
bool onlyNumbers(Tensors);
Tensor reduce(Op, const Tensor&, const Attributes&);
/// Whether a number may fill a tensor; throws as checkFits.
void checkFill(const Tensor& value, const Dims& sizes, DType);
/// `recording`: whether gradients are being recorded, which a view remembers.
Tensor viewOf(Op, const Tensor&, const Attributes&, bool recording = true);
Tensor create(Op, Tensors, const Attributes&);

/// The functions of the `by` column.
namespace kernels {
#define KERNEL(name, result, ulps, minimum, maximum, by, ...) Tensor by(Op, Tensors, const Attributes&);
#include "runtime/ops.def"
}  // namespace kernels

/// `dim` counted from the front; throws where the tensor has no such dimension. A 0-dim tensor has one.
size_t dimensionOf(Op, const Tensor&, int64_t dim);
/// Of an index tensor: it says which elements, not where they are. LibTorch takes uint8 for bool.
bool isMask(const Tensor&);

struct Lines;
/// The lines of a dense tensor along dimension d.
Lines linesOf(const Tensor& dense, size_t d);

}  // namespace rt
