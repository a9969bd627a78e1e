// The op table and the dtype table as data: names, arities, domains, formulas. No tensors, no kernels.
#pragma once

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
DTypeKind kindOf(DType);
const char* dtypeName(DType);

enum class Op : uint8_t {
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
enum class ResultRule : uint8_t { same, numeric, floating, boolean, integral };

struct OpInfo {
  const char* name;
  OpKind kind;
  int minTensors, maxTensors;    // maxTensors -1: any number
  ResultRule result;
  const char* domain;            // of the scalar formula; "true" is everything
  bool entire;
  const char* safe;              // a value inside the domain
  const char* forward;
  const char* gradients[3];
  bool differentiable;
};

const OpInfo& info(Op);
std::optional<Op> opNamed(std::string_view);

/// docs/ops.md: the table as Markdown.
std::string opsPage();

}  // namespace rt
