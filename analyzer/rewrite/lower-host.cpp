// Numbers of the host: constants, C++ arithmetic with its types, <cmath>.
#include "analyzer/rewrite/lower-expression.h"

#include "analyzer/facts/torch.h"
#include "runtime/host.h"

namespace lint {

using namespace clang;
using rt::HostOp;
using rt::HostType;
using rt::Slot;

namespace {

constexpr struct { BinaryOperatorKind kind; HostOp op; } hostRows[] = {
    {BO_Add, HostOp::add}, {BO_Sub, HostOp::sub}, {BO_Mul, HostOp::mul}, {BO_Div, HostOp::div}, {BO_Rem, HostOp::mod}, {BO_LT, HostOp::lt},
    {BO_LE, HostOp::le},   {BO_GT, HostOp::gt},   {BO_GE, HostOp::ge},   {BO_EQ, HostOp::eq},   {BO_NE, HostOp::ne},
};

constexpr struct { const char* name; HostOp op; } hostFunctions[] = {
    {"abs", HostOp::abs},     {"fabs", HostOp::abs},    {"sqrt", HostOp::sqrt},   {"exp", HostOp::exp},   {"log", HostOp::log},
    {"pow", HostOp::pow},     {"floor", HostOp::floor}, {"ceil", HostOp::ceil},   {"isnan", HostOp::isnan}, {"isinf", HostOp::isinf},
    {"isfinite", HostOp::isfinite}, {"min", HostOp::min}, {"max", HostOp::max},
};

}  // namespace

std::optional<HostOp> ExpressionLowering::hostOp(BinaryOperatorKind kind) {
  for (const auto& row : hostRows)
    if (row.kind == kind) return row.op;
  return {};
}

Slot ExpressionLowering::constantOf(const Expr* expr) {
  auto type = hostTypeOf(expr->getType());
  Expr::EvalResult result;
  if (!type || expr->isValueDependent() || !expr->EvaluateAsRValue(result, context_) || result.HasSideEffects) return -1;
  if (into_.candidate_ && into_.contains(expr, into_.target_)) return -1;
  if (result.Val.isInt())
    return *type == HostType::boolean ? into_.constant(rt::Scalar(result.Val.getInt().getBoolValue()), *type)
                                      : into_.constant(rt::Scalar(int64_t(result.Val.getInt().getExtValue())), *type);
  if (!result.Val.isFloat()) return -1;
  llvm::APFloat value = result.Val.getFloat();
  bool lost = false;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lost);
  return into_.constant(rt::Scalar(value.convertToDouble()), *type);
}

// A candidate may have put tensors in the place of the numbers: then the operator is the tensor's.
Slot ExpressionLowering::hostBinary(const BinaryOperator* op) {
  auto code = hostOp(op->getOpcode());
  auto type = hostTypeOf(op->getLHS()->getType());
  if (!code || !type) return -1;
  Slot left = into_.expression(op->getLHS()), right = left < 0 ? -1 : into_.expression(op->getRHS());
  if (right < 0) return -1;
  if (!into_.isTensorSlot(left) && !into_.isTensorSlot(right)) return into_.host(*code, *type, {left, right});
  auto tensorOp = operatorOp(BinaryOperator::getOverloadedOperator(op->getOpcode()), 2);
  if (!tensorOp) return -1;
  bool numberFirst = !into_.isTensorSlot(left) && (*tensorOp == rt::Op::sub || *tensorOp == rt::Op::div || *tensorOp == rt::Op::remainder);
  return numberFirst ? numberBy(*tensorOp, left, right) : into_.call(*tensorOp, {left, right});
}

Slot ExpressionLowering::hostUnary(const UnaryOperator* op) {
  auto type = hostTypeOf(op->getSubExpr()->getType());
  bool negation = op->getOpcode() == UO_LNot, minus = op->getOpcode() == UO_Minus;
  if (!type || (!negation && !minus && op->getOpcode() != UO_Plus)) return -1;
  Slot operand = into_.expression(op->getSubExpr());
  if (operand < 0 || op->getOpcode() == UO_Plus) return operand;
  if (into_.isTensorSlot(operand)) return minus ? into_.call(rt::Op::neg, {operand}) : -1;
  return into_.host(negation ? HostOp::logicalNot : HostOp::neg, *type, {operand});
}

Slot ExpressionLowering::cast(const CastExpr* conversion) {
  auto type = hostTypeOf(conversion->getType());
  if (!type) return -1;
  auto* call = dyn_cast<CXXMemberCallExpr>(strip(conversion->getSubExpr()));
  if (call && conversion->getCastKind() == CK_UserDefinedConversion) return into_.converted(scalarConversion(call), *type);
  Slot value = into_.expression(conversion->getSubExpr());
  if (value >= 0 && into_.isTensorSlot(value) && isa<ExplicitCastExpr>(conversion)) return -1;  // no C++
  if (value >= 0 && into_.isTensorSlot(value) && *type != HostType::float32 && *type != HostType::float64) return -1;  // it would cut off fractions
  return into_.converted(value, *type);
}

Slot ExpressionLowering::hostCall(const CallExpr* call) {
  const FunctionDecl* callee = call->getDirectCallee();
  auto type = hostTypeOf(call->getNumArgs() ? call->getArg(0)->getType() : QualType());
  if (!callee || !type || !callee->getDeclName().isIdentifier() || call->getNumArgs() > 2) return -1;
  if (callee->getName() == "__builtin_expect") return into_.expression(call->getArg(0));  // C10_UNLIKELY
  if (!callee->isInStdNamespace() && !callee->getBuiltinID() && !callee->isExternC()) return -1;
  if (callee->getName() == "abs" && !callee->isInStdNamespace() && *type != HostType::int32) return -1;  // C's abs takes an int
  if (call->getNumArgs() == 2 && hostTypeOf(call->getArg(1)->getType()) != type) type = HostType::float64;  // std::pow(float, int)
  for (const auto& row : hostFunctions)
    if (callee->getName() == row.name && unsigned(rt::arity(row.op)) == call->getNumArgs()) {
      std::vector<Slot> args;
      for (const Expr* argument : call->arguments()) args.push_back(into_.converted(into_.expression(argument), *type));
      return into_.host(row.op, *type, args);
    }
  return -1;
}

}  // namespace lint
