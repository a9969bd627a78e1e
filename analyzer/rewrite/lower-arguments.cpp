// What the parameters of LibTorch's functions mean to a row: by their type, and by calls.def where that does not tell.
#include "analyzer/rewrite/lower-expression.h"

#include "analyzer/facts/torch.h"

#include <map>

namespace lint {

using namespace clang;
using rt::HostType;
using rt::Slot;

namespace {

enum class Role : uint8_t { real, integer, operand, ignored };

struct ParameterRow {
  const char* op;
  const char* parameter;
  Role role;
  unsigned place = 0;
  int64_t otherwise = 0;
};

constexpr ParameterRow makeRow(const char* op, const char* parameter, std::string_view role, int64_t otherwise) {
  if (role == "real 0") return {op, parameter, Role::real, 0, 0};
  if (role == "real 1") return {op, parameter, Role::real, 1, 0};
  if (role == "integer") return {op, parameter, Role::integer, 0, otherwise};
  return {op, parameter, role == "operand" ? Role::operand : Role::ignored, 0, 0};
}

constexpr ParameterRow parameterRows[] = {
#define PARAMETER(op, parameter, role, otherwise) makeRow(#op, #parameter, #role, otherwise),
#include "analyzer/rewrite/calls.def"
};

const ParameterRow* rowOf(rt::Op op, const ParmVarDecl* parameter) {
  for (const ParameterRow& row : parameterRows)
    if (rt::info(op).name == std::string_view(row.op) && parameter->getName() == row.parameter) return &row;
  return nullptr;
}

bool isIntArray(const std::string& type) {
  return type.find("ArrayRef<long>") != std::string::npos || type.find("ArrayRef<int64_t>") != std::string::npos ||
         type.find("ArrayRef<class c10::SymInt>") != std::string::npos || type.find("ArrayRef<c10::SymInt>") != std::string::npos ||
         type.find("OptionalArrayRef<") != std::string::npos;
}

bool isTensorArray(const std::string& type) {
  return type.find("ArrayRef<class at::Tensor>") != std::string::npos || type.find("ArrayRef<at::Tensor>") != std::string::npos ||
         type.find("IListRef<") != std::string::npos;
}

bool isNumber(const Expr* expr) { return hostTypeOf(expr->getType()).has_value(); }

// Rows whose dtype is an argument; of others (view) a dtype means something else.
bool takesDType(rt::Op op) {
  static constexpr llvm::StringLiteral names[] = {"sum", "mean", "nansum", "prod", "softmax", "log_softmax", "cumsum", "cumprod", "to", "zeros_like", "ones_like", "full_like", "norm"};
  return llvm::is_contained(names, llvm::StringRef(rt::info(op).name));
}

}  // namespace

bool ExpressionLowering::arguments(const CallExpr* call, unsigned first, rt::Step& step) {
  const FunctionDecl* callee = call->getDirectCallee();
  if (!callee) return false;
  // A member operator's object is its first argument but no parameter.
  unsigned shift = isa<CXXOperatorCallExpr>(call) && isa<CXXMethodDecl>(callee) ? 1 : 0;
  for (unsigned i = first; i < call->getNumArgs(); ++i) {
    if (i < shift) {
      Slot self = into_.expression(call->getArg(i));
      if (self < 0) return false;
      step.args.push_back(self);
      continue;
    }
    if (i - shift >= callee->getNumParams() || !argument(call->getArg(i), callee->getParamDecl(i - shift), step)) return false;
  }
  return true;
}

bool ExpressionLowering::argument(const Expr* value, const ParmVarDecl* parameter, rt::Step& step) {
  std::string type = typeName(parameter->getType());
  bool defaulted = isa<CXXDefaultArgExpr>(value);
  const Expr* inner = written(value);
  bool absent = isAbsent(inner);
  auto push = [](std::vector<Slot>& to, Slot slot) {
    if (slot >= 0) to.push_back(slot);
    return slot >= 0;
  };
  if (const ParameterRow* row = rowOf(step.op, parameter)) {
    bool scalarDefault = defaulted && !isNumber(inner);  // Scalar p = 2: the row's own default
    switch (row->role) {
      case Role::ignored: return true;
      case Role::operand: return push(step.args, absent || scalarDefault ? into_.undefinedTensor() : isNumber(inner) ? into_.expression(inner) : -1);
      case Role::integer: {
        if (absent) return push(step.ints, into_.constant(rt::Scalar(row->otherwise), HostType::int64));
        return isNumber(inner) && push(step.ints, into_.converted(into_.expression(inner), HostType::int64));
      }
      case Role::real:
        if (defaulted || absent) return true;
        // A real that stands behind one that was left out: the row's default of that one is not known here.
        return step.reals.size() == row->place && isNumber(inner) && push(step.reals, into_.converted(into_.expression(inner), HostType::float64));
    }
  }
  if (type.find("ScalarType") != std::string::npos || type.find("TypeMeta") != std::string::npos) return absent || (takesDType(step.op) && dtype(inner, step));
  if (type.find("TensorOptions") != std::string::npos) return takesDType(step.op) ? options(value, step) : defaulted;
  if (isTensorArray(type)) return tensorList(inner, step.args);
  if (isIntArray(type)) return absent || intList(inner, step.ints);
  if (type.find("Scalar") != std::string::npos || type.find("at::Tensor") != std::string::npos) {
    if (absent) return push(step.args, into_.undefinedTensor());
    if (defaulted) return type.find("Scalar") != std::string::npos || push(step.args, into_.undefinedTensor());  // alpha = 1: the row's own default
    return (isNumber(inner) || isTensor(inner->getType())) && push(step.args, into_.expression(inner));
  }
  if (parameter->getType().getNonReferenceType()->isBooleanType()) {
    bool flag = false;
    if (!inner->EvaluateAsBooleanCondition(flag, context_)) return false;
    if (parameter->getName() != "keepdim") return defaulted;
    step.keepdim |= flag;
    return true;
  }
  if (absent) return true;
  if (isNumber(inner) && (type == "long" || type.find("optional<long>") != std::string::npos || type.find("SymInt") != std::string::npos))
    return push(step.ints, into_.expression(inner));
  return defaulted;
}

bool ExpressionLowering::intList(const Expr* list, std::vector<Slot>& into) {
  list = written(list);
  auto* elements = dyn_cast<InitListExpr>(list);
  if (!elements) {
    if (auto* construct = dyn_cast<CXXConstructExpr>(list); construct && construct->getNumArgs() == 0) return true;  // IntArrayRef dim = {}
    if (!isNumber(list)) return false;
    Slot slot = into_.expression(list);
    into.push_back(slot);
    return slot >= 0;
  }
  for (const Expr* element : elements->inits()) {
    const Expr* value = written(element);
    Slot slot = isNumber(value) ? into_.expression(value) : -1;
    if (slot < 0) return false;
    into.push_back(slot);
  }
  return true;
}

bool ExpressionLowering::tensorList(const Expr* list, std::vector<Slot>& into) {
  auto* elements = dyn_cast<InitListExpr>(written(list));
  if (!elements) return false;
  for (const Expr* element : elements->inits()) {
    Slot slot = isTensor(element->getType()) ? into_.expression(element) : -1;
    if (slot < 0) return false;
    into.push_back(slot);
  }
  return true;
}

// torch::kFloat, x.dtype(), x.scalar_type()
bool ExpressionLowering::dtype(const Expr* expr, rt::Step& step) {
  static const std::map<llvm::StringRef, rt::DType> names = {
#define DTYPE(name, type, kind, constant) {#constant, rt::DType::name},
#include "runtime/dtypes.def"
      {"kI64", rt::DType::int64}, {"kI32", rt::DType::int32}, {"kF32", rt::DType::float32}, {"kF64", rt::DType::float64},
      {"kFloat32", rt::DType::float32}, {"kFloat64", rt::DType::float64}, {"kInt64", rt::DType::int64}, {"kInt32", rt::DType::int32},
      {"kFloat16", rt::DType::float16}, {"kByte", rt::DType::uint8}, {"kChar", rt::DType::int8}, {"kShort", rt::DType::int16},
      {"Float", rt::DType::float32}, {"Double", rt::DType::float64}, {"Half", rt::DType::float16}, {"BFloat16", rt::DType::bfloat16},
      {"Long", rt::DType::int64}, {"Int", rt::DType::int32}, {"Bool", rt::DType::boolean}, {"Byte", rt::DType::uint8},
  };
  expr = written(expr);
  if (auto* call = dyn_cast<CXXMemberCallExpr>(expr); call && isTensor(call->getObjectType()) && torchCallee(call) &&
                                                      (torchCallee(call)->getName() == "dtype" || torchCallee(call)->getName() == "scalar_type"))
    return (step.dtypeOf = into_.expression(call->getImplicitObjectArgument())) >= 0;
  auto* use = dyn_cast<DeclRefExpr>(expr);
  if (!use || !isTorch(use->getDecl()) || !use->getDecl()->getDeclName().isIdentifier()) return false;
  auto it = names.find(use->getDecl()->getName());
  if (it == names.end()) return false;
  step.dtype = it->second;
  return true;
}

// TensorOptions: a dtype, or the options of a tensor, with or without another dtype. A device changes no number.
bool ExpressionLowering::options(const Expr* expr, rt::Step& step) {
  if (isa<CXXDefaultArgExpr>(expr)) return true;
  expr = written(expr);
  if (typeName(expr->getType()).find("c10::Device") != std::string::npos) return true;
  if (dtype(expr, step)) return true;
  auto* call = dyn_cast<CallExpr>(expr);
  const FunctionDecl* callee = call ? torchCallee(call) : nullptr;
  if (!callee) {
    auto* construct = dyn_cast<CXXConstructExpr>(expr);
    return construct && construct->getNumArgs() == 0;
  }
  auto* member = dyn_cast<CXXMemberCallExpr>(call);
  llvm::StringRef name = callee->getName();
  if (member && name == "options" && isTensor(member->getObjectType())) return (step.dtypeOf = into_.expression(member->getImplicitObjectArgument())) >= 0;
  if (member && name == "device" && isTensor(member->getObjectType())) return true;
  if (member && !options(member->getImplicitObjectArgument(), step)) return false;
  if (name != "dtype") return name == "device" || name == "TensorOptions";
  step.dtypeOf = -1;
  return call->getNumArgs() == 1 && dtype(call->getArg(0), step);
}

// zeros({2, 3}, x.options()), full({}, 0.5, x.options()); the `_like` forms are ordinary rows.
Slot ExpressionLowering::creation(const CallExpr* call, llvm::StringRef name) {
  bool filled = name == "full";
  if (name != "zeros" && name != "ones" && !filled) return -1;
  if (isa<CXXMemberCallExpr>(call) || call->getNumArgs() < (filled ? 2u : 1u)) return -1;
  rt::Step step{.kind = rt::Step::Kind::call, .op = *rt::opNamed(std::string_view(name))};
  if (!intList(call->getArg(0), step.ints)) return -1;
  for (unsigned i = filled ? 2 : 1; i < call->getNumArgs(); ++i)
    if (!options(call->getArg(i), step)) return -1;
  if (filled) {
    const Expr* value = written(call->getArg(1));
    Slot fill = isNumber(value) ? into_.expression(value) : -1;
    if (fill < 0) return -1;
    step.args.push_back(fill);
  }
  step.dst = into_.fresh(std::string(name), true);
  Slot result = step.dst;
  into_.emit(std::move(step));
  return result;
}

}  // namespace lint
