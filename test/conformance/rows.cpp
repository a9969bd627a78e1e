// The list of rows that can be drawn, and LibTorch's overloads by name, for the elementwise ones.
#include "test/conformance/samples.h"

#include <ATen/ScalarOps.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <algorithm>
#include <map>

namespace samples {
namespace {

constexpr size_t opCount = 0
#define COUNT(name, ...) + 1
#define UNARY COUNT
#define BINARY COUNT
#define TERNARY COUNT
#define REDUCE COUNT
#define VIEW COUNT
#define KERNEL COUNT
#define CREATE COUNT
#include "runtime/ops.def"
#undef COUNT
    ;

std::vector<Row>& described() {
  static std::vector<Row> list;
  return list;
}

bool isElementwise(const rt::OpInfo& row) { return row.kind == rt::OpKind::unary || row.kind == rt::OpKind::binary || row.kind == rt::OpKind::ternary; }

// The letters that a parameter takes, or nothing if it is neither a tensor nor a number.
std::string lettersOf(const c10::Argument& parameter) {
  c10::TypePtr type = parameter.type();
  std::string absent;
  if (auto optional = type->cast<c10::OptionalType>()) type = optional->getElementType(), absent = "u";
  if (type->kind() == c10::TypeKind::TensorType) return "t" + absent;
  return type->kind() == c10::TypeKind::NumberType ? "n" + absent : "";
}

std::vector<std::string> patternsOf(const c10::FunctionSchema& schema, size_t arity) {
  std::vector<std::string> patterns = {""};
  const auto& parameters = schema.arguments();
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].is_out()) return {};
    if (i >= arity) {
      if (!parameters[i].default_value()) return {};
      continue;
    }
    std::vector<std::string> longer;
    for (const std::string& pattern : patterns)
      for (char letter : lettersOf(parameters[i])) longer.push_back(pattern + letter);
    patterns = std::move(longer);
  }
  bool one = schema.returns().size() == 1 && schema.returns()[0].type()->kind() == c10::TypeKind::TensorType;
  return one && parameters.size() >= arity ? patterns : std::vector<std::string>{};
}

using Table = std::map<std::string, c10::OperatorHandle>;  // "add_ tn" -> the overload

Table tableOfOverloads() {
  Table table;
  std::map<std::string, size_t> arities;
  for (size_t i = 0; i < opCount; ++i)
    if (const rt::OpInfo& row = rt::info(Op(i)); isElementwise(row)) arities[std::string("aten::") + row.name] = size_t(row.minTensors);
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
    bool inPlace = !name.name.empty() && name.name.back() == '_';
    auto found = arities.find(inPlace ? name.name.substr(0, name.name.size() - 1) : name.name);
    if (found == arities.end()) continue;
    auto handle = c10::Dispatcher::singleton().findSchema(name);
    if (!handle) continue;
    for (const std::string& pattern : patternsOf(handle->schema(), found->second)) table.emplace(name.name.substr(6) + " " + pattern, *handle);
  }
  return table;
}

const Table& overloads() {
  static const Table table = tableOfOverloads();
  return table;
}

std::string keyOf(Op op, bool inPlace, const std::string& pattern) { return std::string(rt::info(op).name) + (inPlace ? "_ " : " ") + pattern; }

// Operands of one dtype or of several, which broadcast; numbers where there is an overload for them.
void drawElementwise(Draw& draw, Step& step) {
  const Op op = step.row->op;
  const size_t arity = size_t(rt::info(op).minTensors);
  const bool inPlace = step.kind == Step::Kind::inPlace;
  std::string pattern(arity, 't');
  for (size_t i = 0; i < arity; ++i)
    if (draw.chance(20)) pattern[i] = arity == 3 && draw.chance(30) ? 'u' : 'n';
  if (draw.chance(10) && arity == 3) pattern = "tnn";
  if (!hasOverload(op, inPlace, pattern)) pattern = std::string(arity, 't');
  if (!hasOverload(op, inPlace, pattern)) pattern = "t" + std::string(arity - 1, 'n');

  Argument first = draw.some();
  const std::vector<int64_t> whole = first.shape;
  const DType common = first.dtype;
  for (size_t i = 0; i < arity; ++i) {
    DType dtype = draw.chance(75) ? common : draw.dtype();
    if (op == Op::where && i == 0 && !draw.wrong()) dtype = DType::boolean;
    if (pattern[i] == 'n') step.arguments.push_back(draw.number(common));
    else if (pattern[i] == 'u') step.arguments.push_back(Draw::undefined());
    else if (i == 0 && dtype == common && (inPlace || draw.chance(70))) step.arguments.push_back(first);
    else step.arguments.push_back(draw.tensor(draw.broadcastPart(whole), dtype, arity > 1 && draw.chance(50) ? Values::exact : Values::any));
  }
}

}  // namespace

Family::Family(std::initializer_list<Row> rows) { described().insert(described().end(), rows.begin(), rows.end()); }

const std::vector<Row>& rows() {
  static const std::vector<Row> list = [] {
    std::vector<Row> all = described();
    for (size_t i = 0; i < opCount; ++i) {
      const Op op = Op(i);
      bool has = std::any_of(all.begin(), all.end(), [&](const Row& row) { return row.op == op; });
      const std::string tensors(size_t(std::max(rt::info(op).minTensors, 0)), 't');
      if (!has && isElementwise(rt::info(op)) && (hasOverload(op, false, tensors) || hasOverload(op, false, "t" + std::string(tensors.size() - 1, 'n'))))
        all.push_back({op, drawElementwise});
    }
    std::sort(all.begin(), all.end(), [](const Row& a, const Row& b) { return a.op < b.op; });
    return all;
  }();
  return list;
}

// native_batch_norm crashes in LibTorch 1 on statistics that it does not look at.
static bool isOfLater(Op op) { return release.major < 2 && (op == Op::rms_norm || op == Op::_prelu_kernel || op == Op::native_batch_norm); }

std::vector<std::string> missingRows() {
  std::vector<std::string> missing;
  for (size_t i = 0; i < opCount; ++i) {
    if (isOfLater(Op(i))) continue;
    if (std::none_of(rows().begin(), rows().end(), [&](const Row& row) { return row.op == Op(i); })) missing.push_back(rt::info(Op(i)).name);
  }
  return missing;
}

bool hasOverload(Op op, bool inPlace, const std::string& pattern) { return overloads().count(keyOf(op, inPlace, pattern)) > 0; }

at::Tensor callByName(Op op, bool inPlace, Tensors tensors) {
  std::string pattern;
  for (const at::Tensor& tensor : tensors) pattern += !tensor.defined() ? 'u' : isNumber(tensor) ? 'n' : 't';
  auto found = overloads().find(keyOf(op, inPlace, pattern));
  if (found == overloads().end()) throw std::logic_error("aten has no " + keyOf(op, inPlace, pattern));
  std::vector<c10::IValue> stack;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (pattern[i] == 'u') stack.emplace_back();
    else if (pattern[i] == 'n') stack.emplace_back(number(tensors[i]));
    else stack.emplace_back(tensors[i]);
  }
  const auto& parameters = found->second.schema().arguments();
  for (size_t i = tensors.size(); i < parameters.size(); ++i) stack.push_back(*parameters[i].default_value());
  found->second.callBoxed(&stack);
  return stack.back().toTensor();
}

at::ScalarType torchType(DType dtype) {
  using at::kBool, at::kByte, at::kChar, at::kShort, at::kInt, at::kLong, at::kHalf, at::kBFloat16, at::kFloat, at::kDouble;
  constexpr at::ScalarType kUInt8 = kByte, kInt8 = kChar, kInt16 = kShort;  // as torch:: names them
  static constexpr at::ScalarType types[] = {
#define DTYPE(name, type, kind, constant) constant,
#include "runtime/dtypes.def"
  };
  return types[size_t(dtype)];
}

}  // namespace samples
