// Tensors with LibTorch's semantics: shapes, strides, dtypes, storage shared between views, version counters, gradients.
//
// The functions here throw rt::Error with the text of the rule that failed: "where: shapes [2, 3] and [4] do not broadcast".
// One thread works on one tensor at a time; there is no other global state than the thread-local grad mode and semantics.
#pragma once

#include "runtime/op.h"
#include "runtime/rules.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace rt {

struct Error : std::runtime_error { using std::runtime_error::runtime_error; };

/// The LibTorch release whose behaviour is imitated. Rows of ops.def that changed say since when.
struct Semantics { int major = 2, minor = 15; };

enum class Device : uint8_t { cpu, cuda };

/// A C++ number as LibTorch's c10::Scalar holds it: the widest type of its kind.
struct Scalar {
  enum class Kind : uint8_t { boolean, integer, floating };
  Kind kind = Kind::floating;
  union { bool b; int64_t i; double d = 0; };
  Scalar() = default;
  Scalar(bool v) : kind(Kind::boolean), b(v) {}
  Scalar(int v) : kind(Kind::integer), i(v) {}
  Scalar(int64_t v) : kind(Kind::integer), i(v) {}
  Scalar(double v) : kind(Kind::floating), d(v) {}
  double toDouble() const { return kind == Kind::floating ? d : kind == Kind::integer ? double(i) : double(b); }
};

/// Non-tensor arguments of an op. Their meaning is the row's: dims of a reduction, the shape of a view, start and length.
struct Attributes {
  Ints ints{};
  bool keepdim = false;
  std::optional<DType> dtype{};
  Reals reals{};

  int64_t integer(size_t i, int64_t otherwise) const { return i < ints.size() ? ints[i] : otherwise; }
  double real(size_t i, double otherwise) const { return i < reals.size() ? reals[i] : otherwise; }
};

class TensorBody;  // body.h

class Tensor {
 public:
  Tensor() = default;                          // undefined, as torch::Tensor() is
  Tensor(Scalar);                              // 0-dim "wrapped number": the weakest class of type promotion
  Tensor(double v) : Tensor(Scalar(v)) {}
  Tensor(int v) : Tensor(Scalar(v)) {}

  bool defined() const { return body_ != nullptr; }
  DType dtype() const;
  Device device() const;
  std::span<const int64_t> sizes() const;
  std::span<const int64_t> strides() const;    // in elements
  int64_t dim() const, numel() const, size(int64_t d) const;
  bool isContiguous() const;
  bool isWrappedNumber() const;
  bool sharesStorage(const Tensor&) const;
  bool isSame(const Tensor&) const;            // one TensorBody
  bool isInference() const;
  uint32_t version() const;                    // counts in-place writes to the storage; throws for inference tensors

  bool requiresGrad() const, isLeaf() const;
  Tensor& setRequiresGrad(bool);               // throws for an integral dtype, or for a non-leaf set to false
  Tensor grad() const;                         // undefined until a backward pass has reached this leaf
  void clearGrad();
  Tensor detach() const;                       // shares storage, no gradient
  Tensor clone() const;                        // differentiable copy
  Tensor to(DType) const, to(Device) const;

  Scalar at(int64_t i) const;                  // element i in logical (row-major) order
  Scalar item() const;                         // throws unless numel() == 1

  explicit Tensor(std::shared_ptr<TensorBody> body) : body_(std::move(body)) {}
  TensorBody* operator->() const { return body_.get(); }  // for the files that include body.h
  const std::shared_ptr<TensorBody>& body() const { return body_; }

 private:
  std::shared_ptr<TensorBody> body_;
};

/// Values are converted to `dtype` as a C++ cast does.
Tensor fromValues(std::span<const Scalar>, std::vector<int64_t> shape, DType, Device = Device::cpu);
/// Strides in elements; no two indices may overlap unless a stride is 0 (an expanded tensor).
Tensor fromStrided(std::span<const Scalar> storage, std::vector<int64_t> shape, std::vector<int64_t> strides, DType);

/// Memory that stays the caller's until `release` has been called, which happens when the last tensor on it goes. Without strides:
/// contiguous.
Tensor fromBlob(void* data, const std::vector<int64_t>& shape, const std::vector<int64_t>& strides, DType, std::function<void(void*)> release = {}, Device = Device::cpu);

/// Runs the row. Scalars are passed as wrapped numbers, absent optional tensors as undefined ones.
Tensor call(Op, std::span<const Tensor>, const Attributes& = {});
/// The in-place form, `self.op_(rest...)`: the result must have self's shape and a dtype that self can hold.
void callInPlace(Op, Tensor self, std::span<const Tensor> rest, const Attributes& = {});

/// Reverse mode. Adds into `.grad()` of every leaf that requires it. A cotangent may be undefined: ones are used.
void backward(std::span<const Tensor> outputs, std::span<const Tensor> cotangents, bool createGraph = false);

/// Scoped, thread-local.
class GradMode { public: explicit GradMode(bool enabled); ~GradMode(); static bool enabled(); private: bool before_; };
/// No gradients, and what is made inside is an inference tensor: it has no version, cannot be saved for a backward pass, and
/// cannot be written to in place outside.
class InferenceMode { public: explicit InferenceMode(bool enabled = true); ~InferenceMode(); static bool enabled(); private: GradMode mode_; bool before_; };
class SemanticsScope { public: explicit SemanticsScope(Semantics); ~SemanticsScope(); static Semantics current(); private: Semantics before_; };

/// "tensor([1, -0, nan], float32)"; at most `limit` elements, then "...". Used in counterexamples.
std::string toString(const Tensor&, int64_t limit = 8);

}  // namespace rt
