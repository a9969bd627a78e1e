// The little language that both C++ (and later Python) model code is lowered to, and that the verifier runs.
//
// A Program is a list of steps over slots. A slot holds a tensor, or a host scalar with its C++ type. Slots are mutable
// variables: assigning a tensor slot rebinds it (LibTorch's Tensor is a handle), an in-place step writes through it.
// Steps run in order; `branch` chooses one of two blocks; `finish` ends the program early.
//
// Running a program can end in three ways: it finishes (outputs are the slots named by `finish`, or `outputs` when the
// last step is passed), it throws (the message is kept), or it is malformed, which is an assert: lowering never builds one.
#pragma once

#include "runtime/tensor.h"

#include <string>
#include <vector>

namespace rt {

/// C++ types of host scalars. `item<T>()` converts with LibTorch's checks (overflow throws, fractions truncate).
enum class HostType : uint8_t { boolean, int32, int64, float32, float64 };

/// Host arithmetic. The operands are converted to `Step::type` first, as the usual arithmetic conversions have decided;
/// comparisons and `logicalNot` give a boolean. Integer division by zero and `mod` by zero end the program with a throw.
enum class HostOp : uint8_t {
  add, sub, mul, div, mod, neg, lt, le, gt, ge, eq, ne, logicalNot, cast,
  abs, min, max, sqrt, exp, log, pow, floor, ceil, isnan, isinf, isfinite,
};

/// What a program may ask of a tensor without reading its data.
enum class Meta : uint8_t { size, dim, numel, defined };

using Slot = int;  // index into Program::slots

struct SlotInfo {
  std::string name;                     // as the source spells it; used in messages
  bool tensor = true;
  HostType type = HostType::float64;    // of a host scalar
};

/// Something the program reads but does not compute: a parameter, a member, the result of an unknown call.
struct Input {
  Slot slot = -1;
  bool parameter = false;               // a module's own tensor: a gradient that turns from undefined into zeros changes training
  bool floatingOnly = false;            // known to be floating point, such as the result of a layer
  bool constant = false;                // never requires a gradient, such as a module's buffer
};

struct Step;
using Block = std::vector<Step>;

struct Step {
  enum class Kind : uint8_t {
    call,      // dst = op(args, attributes)
    inPlace,   // args[0].op_(args[1..], attributes); dst, if any, is bound to args[0]
    assign,    // dst = args[0] (tensors: both slots then name one tensor)
    constant,  // dst = value, a host scalar of type `type`
    host,      // dst = hostOp(args), host scalars
    item,      // dst = args[0].item<type>()
    meta,      // dst = what(args[0] [, args[1] = dimension]), a host scalar
    branch,    // if (args[0]) then else otherwise
    gradMode,  // gradients are recorded from here on iff value is true
    fail,      // throw text
    finish,    // end the program; its outputs are args
  };
  Kind kind = Kind::call;
  Slot dst = -1;
  std::vector<Slot> args{};             // tensors, and host scalars, which enter a tensor op as LibTorch's Scalar;
                                        // -1 is an absent optional tensor
  Op op{};
  std::vector<Slot> ints{};             // host scalar slots that become Attributes::ints, in order
  bool keepdim = false;
  std::optional<DType> dtype{};         // Attributes::dtype
  Slot dtypeOf = -1;                    // Attributes::dtype is that of this tensor: x.to(y.dtype())
  std::vector<Slot> reals{};            // host scalar slots that become Attributes::reals, in order
  HostType type = HostType::float64;
  HostOp hostOp{};
  Meta what{};
  Scalar value{};
  std::string text{};                   // of `fail`
  Block then{}, otherwise{};              // of `branch`
  uint32_t where = 0;                   // an opaque position that the front end understands; branches carry distinct ones
};

struct Program {
  std::vector<SlotInfo> slots;
  std::vector<Input> inputs;
  Block body;
  std::vector<Slot> outputs;            // unless a `finish` step says otherwise
};

/// One value per input, in order.
struct Binding { Tensor tensor; Scalar scalar; };

struct Outcome {
  bool threw = false;
  std::string message;                  // of the throw
  std::vector<Tensor> outputs;          // tensors; host scalar outputs arrive as 0-dim tensors
  std::span<const Slot> slots;          // that `outputs` came from; points into the Program
  std::vector<std::pair<uint32_t, bool>> taken;  // (Step::where, arm) of each branch that ran
};

/// Runs on the bindings' device. Inputs are used as given (their requires_grad, their storage): the caller clones.
Outcome run(const Program&, std::span<const Binding>);

/// The program as readable text, one step a line. For people and for tests.
std::string print(const Program&);

/// What is structurally wrong with the program, empty if nothing: slots that do not exist, a host scalar where a tensor
/// is wanted, a host slot whose type is not that of the step that fills it, two branches with one `where`. What `run`
/// asserts.
std::string malformed(const Program&);

}  // namespace rt
