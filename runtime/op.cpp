#include "runtime/op.h"

#include <array>
#include <iterator>

namespace rt {
namespace {

constexpr bool same(std::string_view a, std::string_view b) { return a == b; }
constexpr bool hasGradient(std::string_view a, std::string_view b = "none", std::string_view c = "none") {
  return a != "none" || b != "none" || c != "none";
}

constexpr OpInfo infos[] = {
#define UNARY(name, result, domain, safe, forward, ga) \
  {#name, OpKind::unary, 1, 1, ResultRule::result, #domain, same(#domain, "true"), #safe, #forward, {#ga, "none", "none"}, hasGradient(#ga)},
#define BINARY(name, result, domain, safe, forward, ga, gb) \
  {#name, OpKind::binary, 2, 2, ResultRule::result, #domain, same(#domain, "true"), #safe, #forward, {#ga, #gb, "none"}, hasGradient(#ga, #gb)},
#define TERNARY(name, result, domain, safe, forward, ga, gb, gc) \
  {#name, OpKind::ternary, 3, 3, ResultRule::result, #domain, same(#domain, "true"), #safe, #forward, {#ga, #gb, #gc}, hasGradient(#ga, #gb, #gc)},
#define REDUCE(name, result, ga) {#name, OpKind::reduce, 1, 1, ResultRule::result, "true", true, "0", "", {#ga, "none", "none"}, hasGradient(#ga)},
#define VIEW(name, ga) {#name, OpKind::view, 1, 1, ResultRule::same, "true", true, "0", "", {#ga, "none", "none"}, hasGradient(#ga)},
#define KERNEL(name, result, minimum, maximum, ga, gb, gc) \
  {#name, OpKind::kernel, minimum, maximum, ResultRule::result, "true", true, "0", "", {#ga, #gb, #gc}, hasGradient(#ga, #gb, #gc)},
#define CREATE(name, minimum, maximum) {#name, OpKind::create, minimum, maximum, ResultRule::same, "true", true, "0", "", {"none", "none", "none"}, false},
#include "runtime/ops.def"
};

constexpr const char* dtypeNames[] = {
#define DTYPE(name, type, kind, constant) #name,
#include "runtime/dtypes.def"
};
constexpr DTypeKind dtypeKinds[] = {
#define DTYPE(name, type, kind, constant) DTypeKind::kind,
#include "runtime/dtypes.def"
};
constexpr const char* kindNames[] = {"unary", "binary", "ternary", "reduction", "view", "kernel", "creation"};
constexpr const char* ruleNames[] = {"same", "same, not bool", "floating", "bool", "bool or integer"};

}  // namespace

const OpInfo& info(Op op) { return infos[static_cast<size_t>(op)]; }
const char* dtypeName(DType dtype) { return dtypeNames[static_cast<size_t>(dtype)]; }
DTypeKind kindOf(DType dtype) { return dtypeKinds[static_cast<size_t>(dtype)]; }

std::optional<Op> opNamed(std::string_view name) {
  for (size_t i = 0; i < std::size(infos); ++i)
    if (infos[i].name == name) return static_cast<Op>(i);
  return {};
}

std::string opsPage() {
  std::string page = "# Ops of the reference runtime\n\nPrinted by `torch-tidy --ops-page` from `runtime/ops.def`.\n";
  for (size_t kind = 0; kind < std::size(kindNames); ++kind) {
    page += "\n## " + std::string(kindNames[kind]) + "\n\n| op | result dtype | finite where | forward | gradients |\n|---|---|---|---|---|\n";
    for (const OpInfo& op : infos) {
      if (static_cast<size_t>(op.kind) != kind) continue;
      std::string gradients;
      int count = op.maxTensors < 0 || op.maxTensors > 3 ? 3 : op.maxTensors;
      for (int i = 0; i < count; ++i) gradients += (i ? "; " : "") + std::string(op.gradients[i]);
      auto code = [](std::string text) {
        std::string escaped;
        for (char c : text) escaped += c == '|' ? "\\|" : std::string(1, c);
        return text.empty() ? escaped : "`" + escaped + "`";
      };
      page += "| " + code(op.name) + " | " + ruleNames[static_cast<size_t>(op.result)] + " | " + (op.entire ? "everywhere" : code(op.domain)) + " | " +
              code(op.forward) + " | " + (op.differentiable ? code(gradients) : "none") + " |\n";
    }
  }
  return page;
}

}  // namespace rt
