// What the generator knows of a row of ops.def: how to draw its arguments, wrong ones too, and the LibTorch call that it
// stands for. Elementwise rows need nothing here: they are drawn and called by name. The others have a line in rows/.
#pragma once

#include "runtime/tensor.h"

#include <ATen/ATen.h>
#include <torch/version.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace samples {

using rt::DType;
using rt::Op;

/// A tensor in a storage of its own, a C++ number, an absent tensor, or what an earlier step of the program gave (`from`;
/// shape and dtype then say what that was).
struct Argument {
  enum class Kind : uint8_t { tensor, number, undefined };
  Kind kind = Kind::tensor;
  int from = -1;
  std::vector<int64_t> shape, strides;  // strides and offset in elements
  int64_t offset = 0;
  DType dtype = DType::float32;
  std::vector<rt::Scalar> values;       // of the whole storage, each one a value of the dtype; a number has one
  bool requiresGrad = false;

  int64_t rank() const { return int64_t(shape.size()); }
  int64_t size(int64_t d) const { return shape[size_t(d)]; }
};

struct Row;

/// One line of a program. `inPlace` writes into the first argument; `backward` starts at it; `input` is it.
struct Step {
  enum class Kind : uint8_t { call, inPlace, backward, input };
  Kind kind = Kind::call;
  const Row* row = nullptr;         // of a call
  std::vector<Argument> arguments = {};
  rt::Attributes attributes = {};   // of a backward step: ints[0] chooses the cotangent
  bool grad = true;                 // false: under NoGradGuard
  int when = -1;                    // runs only if the first element of what that step gave is above 0: a branch on the host

  rt::Ints& ints() { return attributes.ints; }
};
using Program = std::vector<Step>;

/// What exact values are for: sums and products of some of them are exact in each dtype, so that the order in which a
/// kernel adds does not show.
enum class Values : uint8_t { any, exact };

/// A source of arguments, the same for the same seed. In a program it prefers what earlier steps gave.
class Draw {
 public:
  explicit Draw(uint64_t seed) : state_(seed) {}

  uint64_t next();
  int64_t between(int64_t lowest, int64_t highest);
  bool chance(int percent) { return between(0, 99) < percent; }
  template <typename T> T oneOf(std::initializer_list<T> choices) { return choices.begin()[between(0, int64_t(choices.size()) - 1)]; }

  DType dtype();
  DType floating();
  DType integer();                                    // with bool
  std::vector<int64_t> shape(int lowestRank = 0, int highestRank = 5);
  std::vector<int64_t> broadcastPart(std::vector<int64_t> of);

  Argument tensor(std::vector<int64_t> shape, DType, Values = Values::any);
  /// Rank and dtype as they come; in a program, mostly an earlier result of such a rank.
  Argument some(int lowestRank = 0, int highestRank = 5, Values = Values::any);
  Argument someFloating(int lowestRank = 0, int highestRank = 5, Values = Values::any);
  Argument index(std::vector<int64_t> shape, int64_t limit, bool negative = false);  // int64, mostly in [0, limit)
  Argument number(DType);                             // that suits a tensor of the dtype, mostly
  static Argument undefined();

  int64_t dim(const Argument&, int64_t more = 0);     // mostly in range, negative at times, wrong at times
  std::vector<int64_t> dims(const Argument&, bool all = true);  // none (if `all`), one or several
  bool wrong() { return chance(4); }                  // whether to draw something that is refused

  /// What earlier steps gave; set by the program generator.
  std::vector<Argument> earlier;
  bool plain = false;                                 // only small exact values

 private:
  rt::Scalar value(DType, int pool);
  void layout(Argument&);
  int poolOf(DType, Values);

  uint64_t state_;
};

/// LibTorch's side of a row: `t` are the tensors (numbers as wrapped 0-dim tensors, see number()), `a` the attributes.
using Tensors = const std::vector<at::Tensor>&;
using Call = at::Tensor (*)(Tensors t, const rt::Attributes& a);

struct Row {
  Op op;
  void (*draw)(Draw&, Step&) = nullptr;
  Call theirs = nullptr;
  const char* text = "";            // of the call, for the snippet
  Call inPlace = nullptr;           // t[0] is written
  const char* inPlaceText = "";
  bool sums = false;                // results are sums over elements: ulps are of the sum of magnitudes
  double least = 0;                 // of those magnitudes: what a last step takes from, as 1 in 1 - cosine
  bool updates = false;             // arguments are written too: running statistics
  bool finite = false;              // cotangents are finite: what NaN reaches differs between LibTorch's own kernels
};

#define THEIRS(...) [](samples::Tensors t, const rt::Attributes& a) -> at::Tensor { (void)t, (void)a; return __VA_ARGS__; }, #__VA_ARGS__
/// A row; a row with an in-place form too; a row that has only that.
#define ROW(name, draw, ...) {rt::Op::name, draw, THEIRS(__VA_ARGS__)}
#define SUM_ROW(name, draw, ...) {rt::Op::name, draw, THEIRS(__VA_ARGS__), nullptr, "", true}
#define FINITE_ROW(name, draw, ...) {rt::Op::name, draw, THEIRS(__VA_ARGS__), nullptr, "", true, 0, false, true}
#define BOTH_ROW(name, draw, call, inPlaceCall) {rt::Op::name, draw, THEIRS(call), THEIRS(inPlaceCall)}
#define IN_PLACE_ROW(name, draw, ...) {rt::Op::name, draw, nullptr, "", THEIRS(__VA_ARGS__)}

/// Each file in rows/ has one of these.
struct Family {
  Family(std::initializer_list<Row>);
};

/// Every row that can be drawn, in the order of ops.def; those of ops.def that cannot.
const std::vector<Row>& rows();
std::vector<std::string> missingRows();

/// aten's operator for this row, in place or not, whose parameters are as in `pattern`: t tensor, n number, u absent.
bool hasOverload(Op, bool inPlace, const std::string& pattern);
at::Tensor callByName(Op, bool inPlace, Tensors);

// Helpers for the calls of rows/.
at::ScalarType torchType(DType);
inline at::Scalar number(const at::Tensor& t) { return t.item(); }
// The types that a release has in these places, and the release itself.
#if TORCH_VERSION_MAJOR >= 2
template <typename T> using Optional = std::optional<T>;
using StringView = std::string_view;
using Correction = at::Scalar;
using WarningGuard = c10::WarningUtils::WarningHandlerGuard;
#else
template <typename T> using Optional = c10::optional<T>;
using StringView = c10::string_view;
using Correction = int64_t;
using WarningGuard = c10::Warning::WarningHandlerGuard;
#endif
constexpr rt::Semantics release{TORCH_VERSION_MAJOR, TORCH_VERSION_MINOR};
inline Optional<at::ScalarType> dtypeOf(const rt::Attributes& a) { return a.dtype ? Optional<at::ScalarType>(torchType(*a.dtype)) : Optional<at::ScalarType>(); }
inline at::ScalarType dtypeOr(const rt::Attributes& a, at::ScalarType otherwise) { return a.dtype ? torchType(*a.dtype) : otherwise; }
inline at::IntArrayRef intsOf(const rt::Attributes& a) { return {a.ints.begin(), a.ints.size()}; }
inline bool isNumber(const at::Tensor& t) { return t.unsafeGetTensorImpl()->is_wrapped_number(); }

}  // namespace samples
