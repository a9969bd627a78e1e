#include "analyzer/rewrite/arms.h"

#include "analyzer/facts/torch.h"
#include "analyzer/rewrite/lower-expression.h"
#include "analyzer/rewrite/writes.h"
#include "analyzer/source/range.h"

namespace lint {

using namespace clang;

namespace {

Refusal refusal(std::string reason, const Stmt* at) { return {std::move(reason), at->getBeginLoc()}; }

std::string shown(const Stmt* node, ASTContext& context) {
  std::string line = oneLine(textOf(context.getSourceManager(), context.getLangOpts(), node->getSourceRange()));
  return line.size() > 60 ? line.substr(0, 57) + "..." : line;
}

std::vector<const Stmt*> statementsOf(const Stmt* arm) {
  auto* block = dyn_cast_or_null<CompoundStmt>(arm);
  if (!block) return arm ? std::vector<const Stmt*>{arm} : std::vector<const Stmt*>{};
  std::vector<const Stmt*> all;
  for (const Stmt* child : block->body())
    for (const Stmt* inner : isa<CompoundStmt>(child) ? statementsOf(child) : std::vector<const Stmt*>{child})
      if (!isa<NullStmt>(inner)) all.push_back(inner);
  return all;
}

std::optional<double> numberOf(const Expr* expr, ASTContext& context) {
  Expr::EvalResult result;
  if (!expr || !hostTypeOf(expr->getType()) || expr->isValueDependent() || !expr->EvaluateAsRValue(result, context)) return {};
  if (result.Val.isInt()) return double(result.Val.getInt().getExtValue());
  if (!result.Val.isFloat()) return {};
  llvm::APFloat value = result.Val.getFloat();
  bool lost = false;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lost);
  return value.convertToDouble();
}

// x.mul_(y) as x.mul(y), x += y as x + y; x.zero_() and x.fill_(v) by their number.
std::variant<ArmStep, Refusal> inPlaceStep(const Expr* expr, ASTContext& context) {
  ArmStep step;
  step.whole = expr;
  step.inPlace = true;
  step.value.lower = [expr](Lowering& into) { return ExpressionLowering(into).withoutWriting(expr); };
  if (auto* op = dyn_cast<CXXOperatorCallExpr>(expr)) {
    OverloadedOperatorKind plain = withoutAssignment(op->getOperator());
    step.place = op->getArg(0);
    Term left = sourceTerm(step.place, context), right = sourceTerm(op->getArg(1), context);
    step.value.text = left.operand() + " " + getOperatorSpelling(plain) + " " + right.operand();
    step.value.atom = false;
    step.value.whole = left.whole && right.whole;
    return step;
  }
  auto* call = dyn_cast<CXXMemberCallExpr>(expr);
  if (!call || !isTensor(call->getObjectType())) return refusal("'" + shown(expr, context) + "' writes in place", expr);
  step.place = call->getImplicitObjectArgument();
  llvm::StringRef method = call->getMethodDecl()->getName();
  if (method == "zero_") step.number = 0;
  if (method == "fill_") step.number = numberOf(written(call->getArg(0)), context);
  if (!step.number && (!ExpressionLowering::opCalled(method.drop_back(), 2) || method == "fill_" || method == "copy_" || method == "index_put_"))
    return refusal("'" + shown(expr, context) + "' writes in place", expr);
  Term object = sourceTerm(step.place, context);
  auto* named = cast<MemberExpr>(call->getCallee()->IgnoreParens());
  std::string rest = textOf(context.getSourceManager(), context.getLangOpts(), {named->getMemberLoc(), call->getEndLoc()});
  step.value.whole = object.whole && llvm::StringRef(rest).starts_with(method);
  step.value.text = object.operand() + "." + method.drop_back().str() + rest.substr(std::min(rest.size(), method.size()));
  return step;
}

// torch::full_like(x, 3), torch::zeros_like(x)
std::optional<double> uniformValue(const Expr* value, ASTContext& context) {
  auto* call = dyn_cast<CallExpr>(strip(value));
  const FunctionDecl* callee = call ? torchCallee(call) : nullptr;
  if (!callee || isa<CXXMemberCallExpr>(call)) return {};
  if (callee->getName() == "zeros_like") return 0;
  if (callee->getName() == "ones_like") return 1;
  return callee->getName() == "full_like" ? numberOf(written(call->getArg(1)), context) : std::nullopt;
}

std::variant<ArmStep, Refusal> stepOf(const Stmt* statement, ASTContext& context) {
  auto* expr = dyn_cast<Expr>(statement);
  if (!expr) return refusal("an arm does more than give tensors new values", statement);
  expr = strip(expr);
  auto* op = dyn_cast<CXXOperatorCallExpr>(expr);
  bool assigns = op && op->getOperator() == OO_Equal && placeOf(op->getArg(0)) && isTensor(op->getArg(0)->getType());
  if (assigns) {
    if (!isTensor(op->getArg(1)->getType())) return refusal("an arm assigns a number to a tensor", statement);
    return ArmStep{.place = op->getArg(0), .value = sourceTerm(op->getArg(1), context), .whole = op->getArg(1), .number = uniformValue(op->getArg(1), context)};
  }
  auto* assignment = dyn_cast<BinaryOperator>(expr);
  if (assignment && assignment->getOpcode() == BO_Assign && placeOf(assignment->getLHS()) && hostTypeOf(assignment->getLHS()->getType()))
    return ArmStep{.place = assignment->getLHS(), .value = sourceTerm(assignment->getRHS(), context), .whole = assignment->getRHS()};
  if (writesInPlace(expr) && !(op && op->getOperator() == OO_Equal)) return inPlaceStep(expr, context);
  auto* call = dyn_cast<CallExpr>(expr);
  const FunctionDecl* callee = call ? call->getDirectCallee() : nullptr;
  if (callee && callee->getDeclName().isIdentifier()) return refusal("'" + callee->getNameAsString() + "' may have side effects", statement);
  return refusal("an arm does something other than give a tensor a new value", statement);
}

}  // namespace

std::variant<Arm, Refusal> armOf(const Stmt* statement, ASTContext& context) {
  Arm arm;
  for (const Stmt* child : statementsOf(statement)) {
    if (arm.returned) return refusal("code behind 'return'", child);
    if (auto* leave = dyn_cast<ReturnStmt>(child)) {
      if (!leave->getRetValue() || !isTensor(leave->getRetValue()->getType())) return refusal("an arm returns something other than a tensor", child);
      if (!arm.steps.empty()) return refusal("an arm does more than return a tensor", child);
      arm.returned = leave->getRetValue();
      continue;
    }
    if (auto* local = dyn_cast<DeclStmt>(child); local && arm.steps.empty()) {
      arm.locals.push_back(local);
      continue;
    }
    auto step = stepOf(child, context);
    if (auto* refused = std::get_if<Refusal>(&step)) return *refused;
    arm.steps.push_back(std::move(std::get<ArmStep>(step)));
  }
  return arm;
}

std::variant<Chain, Refusal> chainOf(const IfStmt* branch, ASTContext& context) {
  Chain chain;
  for (const Stmt* next = branch; next;) {
    auto* one = dyn_cast<IfStmt>(next);
    if (one && (one->getInit() || one->getConditionVariable())) return refusal("the condition declares a variable", one);
    auto arm = armOf(one ? one->getThen() : next, context);
    if (auto* refused = std::get_if<Refusal>(&arm)) return *refused;
    chain.last = one ? one->getThen() : next;
    if (!one) {
      chain.otherwise = std::move(std::get<Arm>(arm));
      break;
    }
    chain.conditions.push_back(one->getCond());
    chain.arms.push_back(std::move(std::get<Arm>(arm)));
    next = one->getElse();
  }
  return chain;
}

}  // namespace lint
