#include "runtime/ops-page.h"

#include "runtime/body.h"

#include <cstdio>
#include <iterator>

namespace rt {
namespace {

constexpr const char* kindNames[] = {"unary", "binary", "ternary", "reduction", "view", "kernel", "creation"};

// By ResultRule: what is taken, and what comes of it.
struct Rule { const char *taken, *result; };
constexpr Rule rules[] = {
    {"all", "same"}, {"all but bool", "same"}, {"all", "floating; float32 of integers"}, {"floating", "same"}, {"all", "bool"}, {"bool, integers", "same"}, {"integers", "same"},
};

constexpr const char* intro = R"(# Ops of the reference runtime

Printed by `torch-tidy --ops-page` from `runtime/ops.def`.

- *dtypes* are those that the row takes, *result* is the dtype of what it gives; operands of different dtypes are promoted first,
  as LibTorch does it.
- *finite where*: the domain of the scalar formula over its operands `a`, `b`, `c`.
- *ulps*: how near LibTorch's result is on the CPU. 0 is bit for bit. What sums is told in ulps of the largest magnitude that enters
  the sum, since the order of adding is free. What is known to differ, and why, stands in `test/conformance/known.cpp`; what LibTorch
  leaves open in `test/conformance/undefined.cpp`.
- *device*: `both` computes where its operands are; `composed` is made of other rows, on either.
- *forward*: the scalar formula, in the type `T` that the stored type `S` computes in; `p`, `q`, `r` are C++ numbers behind the
  tensors, with the defaults that are told behind the name.
- *gradients*, of each operand, over the operands, the output `y` and its gradient `g`.
)";

std::string code(const std::string& text) {
  std::string escaped;
  for (char c : text) escaped += c == '|' ? "\\|" : std::string(1, c);
  return text.empty() ? escaped : "`" + escaped + "`";
}

std::string number(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", v);
  return text;
}

std::string nameOf(const OpInfo& op) {
  std::string text = code(op.name);
  for (int i = 0; op.kind <= OpKind::ternary && i < op.maxTensors - op.tensors; ++i) text += (i ? ", " : " ") + number(op.numbers[i]);
  return text;
}

std::string gradientsOf(const OpInfo& op) {
  if (op.composed) return "those of its parts";
  if (!op.differentiable) return "none";
  const int count = op.kind <= OpKind::ternary ? op.tensors : op.maxTensors < 0 || op.maxTensors > 3 ? 3 : op.maxTensors;
  std::string text;
  for (int i = 0; i < count; ++i) text += (i ? "; " : "") + std::string(op.gradients[i]);
  return code(text);
}

std::string rowOf(const OpInfo& op) {
  const Rule& rule = rules[static_cast<size_t>(op.result)];
  const char* device = op.composed ? "composed" : "both";
  return "| " + nameOf(op) + " | " + rule.taken + " | " + rule.result + " | " + (op.entire ? "everywhere" : code(op.domain)) + " | " + number(op.ulps) + " | " + device + " | " + code(op.forward) + " | " +
         gradientsOf(op) + " |\n";
}

}  // namespace

std::string opsPage() {
  std::string page = intro;
  for (size_t kind = 0; kind < std::size(kindNames); ++kind) {
    page += "\n## " + std::string(kindNames[kind]) + "\n\n| op | dtypes | result | finite where | ulps | device | forward | gradients |\n|---|---|---|---|---|---|---|---|\n";
    for (size_t i = 0; i < opCount; ++i)
      if (static_cast<size_t>(info(static_cast<Op>(i)).kind) == kind) page += rowOf(info(static_cast<Op>(i)));
  }
  return page;
}

}  // namespace rt
