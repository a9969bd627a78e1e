// Statements: blocks, declarations, branches, returns.
#include "analyzer/facts/torch.h"
#include "analyzer/rewrite/cases.h"
#include "analyzer/rewrite/lower-expression.h"
#include "analyzer/rewrite/lower.h"
#include "analyzer/rewrite/writes.h"

namespace lint {

using namespace clang;

bool Lowering::statement(const Stmt* child) {
  if (child != target_) return statementKind(child);
  inTarget_ = true;
  bool done = false;
  if (candidate_) {
    candidate_->lower(*this);
    done = !refusal_;
  } else {
    done = statementKind(child) && !refusal_;
  }
  inTarget_ = choice_.has_value();  // what used to be left out now always runs
  return done;
}

bool Lowering::statementKind(const Stmt* child) {
  if (auto* block = dyn_cast<CompoundStmt>(child)) return compound(block);
  if (auto* branch = dyn_cast<IfStmt>(child)) return ifStatement(branch);
  if (auto* choice = dyn_cast<SwitchStmt>(child)) return switchStatement(choice);
  if (auto* leave = dyn_cast<ReturnStmt>(child)) return returnStatement(leave);
  if (auto* loop = dyn_cast<ForStmt>(child)) return forStatement(loop);
  if (auto* loop = dyn_cast<CXXForRangeStmt>(child)) return rangeFor(loop);
  if (auto* expr = dyn_cast<Expr>(child)) return effect(strip(expr));
  if (isa<NullStmt>(child)) return true;
  if (auto* attributed = dyn_cast<AttributedStmt>(child)) return statement(attributed->getSubStmt());
  if (auto mode = gradModeSetBy(child, context_)) {
    setGradMode(*mode);
    return true;
  }
  auto* declarations = dyn_cast<DeclStmt>(child);
  if (!declarations) return refuse("'" + text(child) + "' leaves the branch or loops", child) >= 0;
  for (const Decl* decl : declarations->decls()) {
    auto* variable = dyn_cast<VarDecl>(decl);
    if (!variable ? !isa<TypedefNameDecl, UsingDecl, StaticAssertDecl>(decl) : !declaration(variable)) return false;
  }
  return true;
}

void Lowering::setGradMode(bool on) {
  rt::Step mode{.kind = rt::Step::Kind::gradMode, .value = rt::Scalar(on)};
  emit(std::move(mode));
  state_.gradients = on;
}

// A guard holds until its block ends.
bool Lowering::compound(const CompoundStmt* block) {
  bool gradients = state_.gradients;
  std::vector<const Stmt*> children(block->body_begin(), block->body_end());
  bool done = statements(children);
  if (state_.gradients != gradients) setGradMode(gradients);
  return done;
}

bool Lowering::statements(llvm::ArrayRef<const Stmt*> children) {
  for (size_t i = 0; i < children.size(); ++i) {
    const Stmt* child = children[i];
    auto* branch = dyn_cast<IfStmt>(child);
    if (branch && !frames_.empty() && child != target_ && leaves(branch)) return branchThenRest(branch, children.drop_front(i + 1));
    if (statement(child)) {
      if (state_.stopped) return true;
      continue;
    }
    if (inTarget_ || isRepeated() || contains(child, target_)) return false;
    if (!fromTarget_) {
      forgetWritesOf(child);
    } else {
      stopHere(child);
      return !refusal_;
    }
  }
  return true;
}

// In a function that is inlined, `if (c) return a; rest` is `if (c) result = a; else { rest }`.
bool Lowering::branchThenRest(const IfStmt* branch, llvm::ArrayRef<const Stmt*> rest) {
  if (branch->getInit() || branch->getConditionVariable() || branch->isConstexpr()) return false;
  rt::Slot condition = expression(branch->getCond());
  if (condition < 0 || isTensorSlot(condition)) return false;
  if (auto taken = decided(condition)) {
    const Stmt* child = *taken ? branch->getThen() : branch->getElse();
    if (child && !statement(child)) return false;
    return state_.stopped || (!(child && leaves(child)) && statements(rest));
  }
  rt::Step step{.kind = rt::Step::Kind::branch, .args = {condition}, .where = nextBranch()};
  bool allStop = true;
  auto armAndRest = [&](const Stmt* child) {
    if (child && !statement(child)) return false;
    if (!state_.stopped && ((child && leaves(child)) || !statements(rest))) return false;
    allStop &= std::exchange(state_.stopped, false);
    return true;
  };
  if (!arm(step.then, [&] { return armAndRest(branch->getThen()); })) return false;
  if (!arm(step.otherwise, [&] { return armAndRest(branch->getElse()); })) return false;
  state_.stopped = allStop;
  emit(std::move(step));
  return true;
}

bool Lowering::declaration(const VarDecl* decl) {
  if (auto* decomposition = dyn_cast<DecompositionDecl>(decl)) return bindings(decomposition);
  if (candidate_)
    if (auto it = candidate_->redeclared.find(decl); it != candidate_->redeclared.end()) {
      rt::Slot value = it->second(*this);
      if (value < 0) return false;
      declare(decl, value);
      redeclared_.insert(decl);
      return true;
    }
  bool tensor = isTensor(decl->getType());
  auto type = hostTypeOf(decl->getType());
  const Expr* init = decl->getInit();
  if ((!tensor && !type) || decl->isStaticLocal()) {
    auto* made = dyn_cast_or_null<CallExpr>(strip(init));
    if (made && ExpressionLowering(*this).tuple(made, state_.tuples[decl])) return true;
    state_.tuples.erase(decl);
    return isa_and_nonnull<LambdaExpr>(strip(init)) || (!inTarget_ && !fromTarget_ && !isRepeated());
  }
  state_.forgotten.erase(decl);
  state_.references.erase(decl);
  auto* construct = dyn_cast_or_null<CXXConstructExpr>(strip(init));
  if (!init || (construct && construct->getNumArgs() == 0)) {
    state_.variables[decl] = fresh(decl->getNameAsString(), tensor, type.value_or(rt::HostType::float64));
    return true;
  }
  if (const ValueDecl* place = decl->getType()->isLValueReferenceType() ? placeOf(init) : nullptr) {
    if (variable(place) < 0) return false;
    state_.references[decl] = place;
    return true;
  }
  rt::Slot value = expression(init);
  if (value < 0) return false;
  if (isTensorSlot(value) != tensor) return refuse("'" + decl->getNameAsString() + "' needs a number on the host", decl->getInit()) >= 0;
  if (type) value = converted(value, *type);
  state_.variables[decl] = fresh(decl->getNameAsString(), tensor, type.value_or(rt::HostType::float64));
  assign(decl, value);
  return true;
}

// auto [values, places] = x.max(1);
bool Lowering::bindings(const DecompositionDecl* decl) {
  auto* made = dyn_cast_or_null<CallExpr>(strip(decl->getInit()));
  std::vector<rt::Slot> parts;
  if (!made || !ExpressionLowering(*this).tuple(made, parts) || parts.size() != decl->bindings().size()) return !inTarget_ && !fromTarget_ && !isRepeated();
  for (size_t i = 0; i < parts.size(); ++i) declare(decl->bindings()[i], parts[i]);
  return true;
}

bool Lowering::arm(rt::Block& into, llvm::function_ref<bool()> lower) {
  rt::Block* outer = std::exchange(block_, &into);
  ++arms_;
  bool gradients = state_.gradients;
  bool done = lower();
  if (state_.gradients != gradients) setGradMode(gradients);
  if (!done) state_.stopped = false;
  --arms_;
  block_ = outer;
  return done;
}

bool Lowering::ifStatement(const IfStmt* branch) {
  if (branch->isConstexpr()) {
    auto taken = branch->getNondiscardedCase(context_);
    return taken && (!*taken || statement(*taken));
  }
  if (branch->getConditionVariable()) return refuse("the condition declares something", branch) >= 0;
  if (branch->getInit() && !statement(branch->getInit())) return false;
  rt::Slot condition = expression(branch->getCond());
  if (condition < 0 || isTensorSlot(condition)) return false;
  if (auto taken = decided(condition)) {
    const Stmt* child = *taken ? branch->getThen() : branch->getElse();
    return !child || statement(child);
  }
  rt::Step step{.kind = rt::Step::Kind::branch, .args = {condition}, .where = nextBranch()};
  bool before = std::exchange(state_.stopped, false);
  auto lowerArm = [&](const Stmt* child) { return [&, child] { return !child || statement(child); }; };
  if (!arm(step.then, lowerArm(branch->getThen()))) return false;
  bool thenStops = std::exchange(state_.stopped, false);
  if (!arm(step.otherwise, lowerArm(branch->getElse()))) return false;
  state_.stopped = before || (thenStops && state_.stopped && branch->getElse());
  emit(std::move(step));
  return true;
}

// An if-else chain over the cases, the default last.
bool Lowering::switchStatement(const SwitchStmt* choice) {
  auto cases = casesOf(choice);
  if (!cases) return refuse("'switch' with cases that fall through", choice) >= 0;
  auto type = hostTypeOf(choice->getCond()->getType());
  rt::Slot value = expression(choice->getCond());
  if (value < 0 || isTensorSlot(value) || !type) return false;
  bool allStop = !cases->empty() && cases->back().isDefault;
  std::function<bool(size_t)> from = [&](size_t i) {
    if (i == cases->size()) return true;
    const Case& one = (*cases)[i];
    auto body = [&] {
      bool done = statements(one.body);
      allStop &= std::exchange(state_.stopped, false);
      return done;
    };
    if (one.isDefault) return body();
    rt::Slot hit = -1;
    for (const Expr* label : one.values) {
      rt::Slot same = host(rt::HostOp::eq, *type, {value, converted(expression(label), *type)});
      // `|` of two booleans as C++ has it: their sum is not 0.
      auto number = [&](rt::Slot truth) { return converted(truth, rt::HostType::int32); };
      auto either = [&] { return host(rt::HostOp::add, rt::HostType::int32, {number(hit), number(same)}); };
      hit = hit < 0 ? same : converted(either(), rt::HostType::boolean);
    }
    if (hit < 0) return false;
    if (auto taken = decided(hit)) return *taken ? body() : from(i + 1);
    rt::Step step{.kind = rt::Step::Kind::branch, .args = {hit}, .where = nextBranch()};
    if (!arm(step.then, body) || !arm(step.otherwise, [&] { return from(i + 1); })) return false;
    emit(std::move(step));
    return true;
  };
  if (!from(0)) return false;
  state_.stopped = allStop;
  return true;
}

bool Lowering::returnStatement(const ReturnStmt* leave) {
  const Expr* value = strip(leave->getRetValue());
  if (!frames_.empty()) {
    state_.stopped = true;
    rt::Slot result = value ? expression(value) : -1, into = frames_.back().result;
    if (into < 0) return !value;
    if (result < 0 || isTensorSlot(result) != isTensorSlot(into)) return false;
    rt::Step step{.kind = rt::Step::Kind::assign, .dst = into, .args = {converted(result, lowered_.program.slots[into].type)}};
    emit(std::move(step));
    return true;
  }
  if (!value) {
    finish(-1);
    return true;
  }
  if (!isTensor(value->getType()) && !hostTypeOf(value->getType())) return refuse("'" + text(leave) + "' returns something that is not modelled", leave) >= 0;
  rt::Slot slot = expression(value);
  if (slot < 0) return false;
  finish(slot);
  return true;
}

}  // namespace lint
