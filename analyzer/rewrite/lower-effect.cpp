// Expressions that stand for their effect: assignments, writes in place, throws.
#include "analyzer/facts/torch.h"
#include "analyzer/rewrite/lower-expression.h"
#include "analyzer/rewrite/lower.h"
#include "analyzer/rewrite/writes.h"

#include <map>

namespace lint {

using namespace clang;

bool Lowering::effect(const Expr* expr) {
  if (auto* assignment = dyn_cast<CXXOperatorCallExpr>(expr); assignment && assignment->getOperator() == OO_Equal && isTensor(assignment->getArg(0)->getType())) {
    if (writesInPlace(expr)) return copyInto(assignment);
    if (!placeOf(assignment->getArg(0))) return refuse("'" + text(expr) + "' may have side effects", expr) >= 0;
    rt::Slot value = expression(assignment->getArg(1));
    assign(assignment->getArg(0), value);
    return value >= 0 && !refusal_;
  }
  if (auto* assignment = dyn_cast<CompoundAssignOperator>(expr)) return compoundAssignment(assignment);
  if (auto* assignment = dyn_cast<BinaryOperator>(expr); assignment && assignment->getOpcode() == BO_Assign && placeOf(assignment->getLHS())) {
    rt::Slot value = expression(assignment->getRHS());
    assign(assignment->getLHS(), value);
    return value >= 0 && !refusal_;
  }
  if (auto* change = dyn_cast<UnaryOperator>(expr); change && change->isIncrementDecrementOp()) return increment(change);
  if (auto* conversion = dyn_cast<CastExpr>(expr); conversion && conversion->getCastKind() == CK_ToVoid) return effect(strip(conversion->getSubExpr()));
  auto* call = dyn_cast<CallExpr>(expr);
  bool ends = call && call->getDirectCallee() && call->getDirectCallee()->isNoReturn();  // what TORCH_CHECK calls
  if (ends || isa<CXXThrowExpr>(expr)) {
    rt::Step step{.kind = rt::Step::Kind::fail, .text = text(expr)};
    emit(std::move(step));
    return true;
  }
  if (writesInPlace(expr)) return inPlace(expr);
  if (ExpressionLowering(*this).lower(expr) >= 0) return true;
  rt::Slot ignored = -1;
  if (!refusal_ && call && inlined(call, ignored)) return true;
  return refuse(ExpressionLowering(*this).reasonFor(expr), expr) >= 0;
}

// `n += x` computes in the type that C++ gives the sum, then converts to that of n.
bool Lowering::compoundAssignment(const CompoundAssignOperator* assignment) {
  auto op = ExpressionLowering::hostOp(BinaryOperator::getOpForCompoundAssignment(assignment->getOpcode()));
  auto computed = hostTypeOf(assignment->getComputationLHSType());
  if (!op || !computed || !placeOf(assignment->getLHS())) return refuse("'" + text(assignment) + "' is not modelled", assignment) >= 0;
  rt::Slot left = converted(expression(assignment->getLHS()), *computed), right = converted(expression(assignment->getRHS()), *computed);
  rt::Slot value = left < 0 || right < 0 ? -1 : host(*op, *computed, {left, right});
  assign(assignment->getLHS(), value);
  return value >= 0 && !refusal_;
}

bool Lowering::increment(const UnaryOperator* change) {
  auto type = hostTypeOf(change->getSubExpr()->getType());
  if (!type || !placeOf(change->getSubExpr())) return false;
  rt::Slot value = host(change->isIncrementOp() ? rt::HostOp::add : rt::HostOp::sub, *type,
                        {expression(change->getSubExpr()), converted(constant(rt::Scalar(1), rt::HostType::int32), *type)});
  assign(change->getSubExpr(), value);
  return value >= 0;
}

// `x[0] = y`, `x.index({...}) = y`
bool Lowering::copyInto(const CXXOperatorCallExpr* assignment) {
  rt::Slot into = expression(assignment->getArg(0));
  const Expr* value = written(assignment->getArg(1));
  rt::Slot from = into < 0 ? -1 : expression(value);
  if (from < 0) return refuse("'" + text(assignment) + "' writes in place", assignment) >= 0;
  inPlace(*rt::opNamed(isTensorSlot(from) ? "copy" : "fill"), {into, from});
  return true;
}

// x.index_put_({...}, v): into a view, or by the op.
bool Lowering::indexPut(const CXXMemberCallExpr* call) {
  ExpressionLowering lowering(*this);
  const Expr* object = call->getImplicitObjectArgument();
  rt::Slot self = expression(object), value = self < 0 ? -1 : expression(written(call->getArg(1)));
  if (value < 0) return false;
  if (rt::Slot view = lowering.viewAt(self, call->getArg(0)); view >= 0) {
    inPlace(*rt::opNamed(isTensorSlot(value) ? "copy" : "fill"), {view, value});
    return true;
  }
  std::vector<rt::Slot> args = {self, isTensorSlot(value) ? value : this->call(*rt::opNamed("new_full"), {self, value})};
  if (!lowering.tensorIndices(call->getArg(0), args)) return false;
  inPlace(*rt::opNamed("index_put"), args);
  return true;
}

bool Lowering::inPlace(const Expr* expr) {
  static const std::map<OverloadedOperatorKind, const char*> names = {
      {OO_PlusEqual, "add"}, {OO_MinusEqual, "sub"}, {OO_StarEqual, "mul"}, {OO_SlashEqual, "div"}, {OO_AmpEqual, "bitwise_and"}, {OO_PipeEqual, "bitwise_or"}};
  auto notModelled = [&] { return refuse("'" + text(expr) + "' writes in place", expr) >= 0; };
  rt::Step step{.kind = rt::Step::Kind::inPlace};
  ExpressionLowering lowering(*this);
  if (auto* op = dyn_cast<CXXOperatorCallExpr>(expr)) {
    auto name = names.find(op->getOperator());
    if (name == names.end()) return notModelled();
    step.op = *rt::opNamed(name->second);
    step.args.push_back(expression(op->getArg(0)));
    if (step.args[0] < 0 || !lowering.arguments(op, 1, step)) return notModelled();
  } else {
    auto* call = dyn_cast<CXXMemberCallExpr>(expr);
    if (!call || !isTensor(call->getObjectType())) return notModelled();
    llvm::StringRef name = call->getMethodDecl()->getName();
    if (name == "index_put_") return indexPut(call) || notModelled();
    auto row = ExpressionLowering::opCalled(name.drop_back(), 2);
    if (!name.ends_with("_") || !row) return notModelled();
    step.op = *row;
    step.args.push_back(expression(call->getImplicitObjectArgument()));
    if (step.args[0] < 0 || !lowering.arguments(call, 0, step)) return notModelled();
  }
  emit(std::move(step));
  return true;
}

}  // namespace lint
