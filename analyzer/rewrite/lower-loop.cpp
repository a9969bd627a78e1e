// Loops whose rounds are known are unrolled.
#include "analyzer/facts/torch.h"
#include "analyzer/rewrite/lower.h"
#include "analyzer/rewrite/writes.h"

namespace lint {

using namespace clang;

namespace {

constexpr size_t mostRounds = 16;

std::optional<int64_t> integer(const Expr* expr, ASTContext& context) {
  Expr::EvalResult result;
  if (!expr || expr->isValueDependent() || !expr->EvaluateAsInt(result, context)) return {};
  return result.Val.getInt().getExtValue();
}

bool names(const Expr* expr, const VarDecl* variable) {
  auto* use = dyn_cast<DeclRefExpr>(expr->IgnoreParenImpCasts());
  return use && use->getDecl() == variable;
}

std::optional<int64_t> stepOf(const Expr* increment, const VarDecl* variable, ASTContext& context) {
  increment = increment ? increment->IgnoreParenImpCasts() : nullptr;
  if (auto* unary = dyn_cast_or_null<UnaryOperator>(increment); unary && unary->isIncrementDecrementOp() && names(unary->getSubExpr(), variable))
    return unary->isIncrementOp() ? 1 : -1;
  auto* assignment = dyn_cast_or_null<CompoundAssignOperator>(increment);
  if (!assignment || !names(assignment->getLHS(), variable)) return {};
  auto by = integer(assignment->getRHS(), context);
  if (by && assignment->getOpcode() == BO_AddAssign) return *by;
  if (by && assignment->getOpcode() == BO_SubAssign) return -*by;
  return {};
}

bool holds(BinaryOperatorKind kind, int64_t a, int64_t b) {
  switch (kind) {
    case BO_LT: return a < b;
    case BO_LE: return a <= b;
    case BO_GT: return a > b;
    case BO_GE: return a >= b;
    case BO_NE: return a != b;
    default: return false;
  }
}

// The values that the counter of `for (int i = 0; i < 3; ++i)` takes.
std::optional<std::vector<int64_t>> countedBy(const ForStmt* loop, const VarDecl* variable, ASTContext& context) {
  auto* condition = dyn_cast_or_null<BinaryOperator>(loop->getCond() ? loop->getCond()->IgnoreParenImpCasts() : nullptr);
  auto value = integer(variable->getInit(), context);
  auto by = stepOf(loop->getInc(), variable, context);
  if (!value || !by || !condition || !condition->isComparisonOp() || !names(condition->getLHS(), variable)) return {};
  auto bound = integer(condition->getRHS(), context);
  std::vector<int64_t> values;
  for (int64_t i = *value; bound && holds(condition->getOpcode(), i, *bound); i += *by) {
    values.push_back(i);
    if (values.size() > mostRounds) return {};
  }
  return bound ? std::optional(values) : std::nullopt;
}

}  // namespace

bool Lowering::rounds(const Stmt* body, const VarDecl* variable, size_t count, llvm::function_ref<rt::Slot(size_t)> value) {
  if (count > mostRounds || leaves(body) || writtenBy(body).count(variable) || contains(body, target_)) return false;
  ++repeated_;
  bool done = wholly([&] {
    for (size_t i = 0; i < count; ++i) {
      rt::Slot slot = local(variable->getNameAsString(), value(i));
      if (slot < 0) return false;
      state_.variables[variable] = slot;
      if (!statement(body)) return false;
    }
    return true;
  });
  --repeated_;
  return done;
}

bool Lowering::forStatement(const ForStmt* loop) {
  auto* declarations = dyn_cast_or_null<DeclStmt>(loop->getInit());
  auto* variable = declarations && declarations->isSingleDecl() ? dyn_cast<VarDecl>(declarations->getSingleDecl()) : nullptr;
  auto type = variable ? hostTypeOf(variable->getType()) : std::nullopt;
  auto values = type ? countedBy(loop, variable, context_) : std::nullopt;
  if (!values) return refuse("a loop whose rounds are not known", loop) >= 0;
  return rounds(loop->getBody(), variable, values->size(), [&](size_t i) { return constant(rt::Scalar((*values)[i]), *type); });
}

// for (const auto& t : {a, b})
bool Lowering::rangeFor(const CXXForRangeStmt* loop) {
  auto* elements = dyn_cast<InitListExpr>(written(loop->getRangeInit()));
  const VarDecl* variable = loop->getLoopVariable();
  bool known = elements && (isTensor(variable->getType()) || hostTypeOf(variable->getType()));
  if (!known) return refuse("a loop whose rounds are not known", loop) >= 0;
  return rounds(loop->getBody(), variable, elements->getNumInits(), [&](size_t i) { return expression(elements->getInit(i)); });
}

}  // namespace lint
