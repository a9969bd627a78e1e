// The op table and the dtype table as data: names, arities, domains, formulas. No tensors, no kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rt {

struct Half;
struct BFloat16;

enum class DType : uint8_t {
#define DTYPE(name, type, kind, constant) name,
#include "runtime/dtypes.def"
};

enum class DTypeKind : uint8_t { boolean, integer, floating };
extern const DTypeKind dtypeKinds[];
inline DTypeKind kindOf(DType dtype) { return dtypeKinds[static_cast<size_t>(dtype)]; }
const char* dtypeName(DType);

enum class Op : uint16_t {
#define ROW(name) name,
#define UNARY(name, ...) ROW(name)
#define BINARY(name, ...) ROW(name)
#define TERNARY(name, ...) ROW(name)
#define REDUCE(name, ...) ROW(name)
#define VIEW(name, ...) ROW(name)
#define KERNEL(name, ...) ROW(name)
#define CREATE(name, ...) ROW(name)
#include "runtime/ops.def"
#undef ROW
};

enum class OpKind : uint8_t { unary, binary, ternary, reduce, view, kernel, create };
enum class ResultRule : uint8_t { same, numeric, floating, real, boolean, integral, whole };

struct OpInfo {
  const char* name;
  OpKind kind;
  int minTensors, maxTensors;    // maxTensors -1: any number
  int tensors;                   // of an elementwise row: how many of them are tensors; C++ numbers follow
  double numbers[3];             // their defaults
  ResultRule result;
  double ulps;                   // from LibTorch's CPU result; 0: bit for bit
  const char* domain;            // of the scalar formula; "true" is everything
  bool entire;
  const char* safe;              // a value inside the domain
  const char* forward;
  const char* gradients[3];
  bool differentiable;
  bool composed;                 // of other rows, which have the gradients
  unsigned refused;              // bit i: LibTorch has no gradient for input i, and says so in the forward pass; 2 stands for the rest
};

constexpr size_t opCount = 0
#define ROW(name) +1
#define UNARY(name, ...) ROW(name)
#define BINARY(name, ...) ROW(name)
#define TERNARY(name, ...) ROW(name)
#define REDUCE(name, ...) ROW(name)
#define VIEW(name, ...) ROW(name)
#define KERNEL(name, ...) ROW(name)
#define CREATE(name, ...) ROW(name)
#include "runtime/ops.def"
#undef ROW
    ;

extern const OpInfo opInfos[];
inline const OpInfo& info(Op op) { return opInfos[static_cast<size_t>(op)]; }
std::optional<Op> opNamed(std::string_view);

}  // namespace rt
