// The walk over the body around the target, and the pieces that everything else is built from.
#include "analyzer/rewrite/lower.h"

#include "analyzer/facts/context.h"
#include "analyzer/facts/flow.h"
#include "analyzer/facts/torch.h"
#include "analyzer/rewrite/lower-expression.h"
#include "analyzer/rewrite/writes.h"
#include "analyzer/source/range.h"
#include "runtime/host.h"

#include "clang/AST/ParentMapContext.h"

namespace lint {

using namespace clang;

Lowering::Lowering(ASTContext& context, InputTable& inputs, const Stmt* target, Extent extent)
    : context_(context), inputs_(inputs), target_(target), extent_(extent), body_(enclosingBody(target, context)) {
  if (!body_) return;
  for (const Stmt* child : body_->body())
    if (child == target_ || contains(child, target_)) top_ = child;
}

Lowering::Lowering(ASTContext& context, InputTable& inputs, const FunctionDecl* function)
    : context_(context), inputs_(inputs), target_(function->getBody()), extent_(Extent::wholeBody), body_(dyn_cast<CompoundStmt>(target_)), byName_(true) {}

std::variant<Lowered, Refusal> Lowering::lowerFunction() {
  block_ = &lowered_.program.body;
  inTarget_ = fromTarget_ = true;
  if (!compound(body_)) return refusal_ ? *refusal_ : Refusal{"a statement is not modelled", body_->getBeginLoc()};
  lowered_.program.outputs = observed(/*all=*/true);
  return std::move(lowered_);
}

std::variant<Lowered, Refusal> Lowering::lower(const Candidate* candidate) {
  candidate_ = candidate;
  block_ = &lowered_.program.body;
  if (!top_) return Refusal{"the code around it is not a plain body", target_->getBeginLoc()};
  if (gradientsOffAround()) setGradMode(false);
  for (const Stmt* child : body_->body()) {
    bool isTop = child == top_;
    if (isTop) fromTarget_ = true;
    if (!fromTarget_ && extent_ == Extent::targetOnly) {
      forgetWritesOf(child);
      continue;
    }
    bool lastOne = fromTarget_ && !isTop && extent_ != Extent::wholeBody;
    if (!lastOne && statement(child)) {
      if (state_.stopped) break;
      continue;
    }
    if (isTop) return refusal_ ? *refusal_ : Refusal{"'" + text(child) + "' is not modelled", child->getBeginLoc()};
    if (!fromTarget_) {
      forgetWritesOf(child);
      continue;
    }
    stopHere(child);
    break;
  }
  if (refusal_) return *refusal_;
  if (candidate && redeclared_.size() != candidate->redeclared.size()) return Refusal{"the declaration of a number is out of reach", target_->getBeginLoc()};
  if (choice_ && !state_.stopped) return Refusal{"the code behind it does not end in 'return'", target_->getBeginLoc()};
  lowered_.program.outputs = observed(/*all=*/true);
  return std::move(lowered_);
}

// Lists have a syntactic and a semantic form, which share children: every parent counts.
static bool isInside(const DynTypedNode& inner, const Stmt* outer, ASTContext& context) {
  if (inner.get<Stmt>() == outer) return true;
  return llvm::any_of(context.getParents(inner), [&](const DynTypedNode& parent) { return isInside(parent, outer, context); });
}

bool Lowering::contains(const Stmt* outer, const Stmt* inner) const { return isInside(DynTypedNode::create(*inner), outer, context_); }

bool Lowering::gradientsOffAround() const {
  const Stmt* child = target_;
  std::optional<bool> nearest;
  eachParent(target_, context_, [&](const DynTypedNode& node) {
    if (auto* compound = node.get<CompoundStmt>(); compound && compound != body_) {
      for (const Stmt* statement : compound->body()) {
        if (statement == child) break;
        if (auto mode = gradModeSetBy(statement, context_)) nearest = mode;
      }
    }
    if (auto* statement = node.get<Stmt>()) child = statement;
    return !nearest && !node.get<FunctionDecl>();
  });
  return nearest && !*nearest;
}

// The program ends before a statement that is not modelled. What the rest does with the values is unknown, but for one
// thing it is the same in both programs: writing in place, since the two may share storage with different tensors.
void Lowering::stopHere(const Stmt* before) {
  if (refusal_) return;
  for (const ValueDecl* decl : tensorNow_)
    for (const DeclRefExpr* use : usesOf(cast<VarDecl>(decl)))
      if (!context_.getSourceManager().isBeforeInTranslationUnit(use->getBeginLoc(), before->getBeginLoc())) {
        refusal_ = Refusal{"the code that uses '" + decl->getNameAsString() + "' is not modelled", use->getBeginLoc()};
        return;
      }
  if (const Stmt* write = writeInPlaceAfter(target_->getEndLoc(), body_, context_.getSourceManager())) {
    refusal_ = Refusal{"'" + text(write) + "' writes in place to a tensor that may share its memory with a result", write->getBeginLoc()};
    return;
  }
  if (choice_) {
    refusal_ = Refusal{"the code behind the early return is not modelled to its end", target_->getEndLoc()};
    return;
  }
  rt::Step step{.kind = rt::Step::Kind::finish, .args = observed(true)};
  emit(std::move(step));
  state_.stopped = true;
}

std::vector<rt::Slot> Lowering::observed(bool all) {
  std::vector<rt::Slot> slots;
  for (const ValueDecl* decl : state_.assigned) {
    auto* local = dyn_cast<VarDecl>(decl);
    bool lasting = !local || local->hasGlobalStorage() || local->getType()->isLValueReferenceType();
    if (all || lasting) slots.push_back(variable(decl));
  }
  return slots;
}

void Lowering::finish(rt::Slot value) {
  if (choice_ && value >= 0) value = call(*rt::opNamed("where"), {choice_->condition, choice_->value(*this), value});
  // What has no name of its own is "the result", not the op that made it.
  bool named = llvm::any_of(state_.variables, [&](const auto& variable) { return variable.second == value; });
  if (value >= 0 && !named) value = local("", value);
  rt::Step step{.kind = rt::Step::Kind::finish};
  if (value >= 0) step.args.push_back(value);
  for (rt::Slot slot : observed(/*all=*/false)) step.args.push_back(slot);
  emit(std::move(step));
  state_.stopped = true;
}

void Lowering::chooseAtReturn(rt::Slot condition, std::function<rt::Slot(Lowering&)> value) { choice_ = Choice{condition, std::move(value)}; }

bool Lowering::wholly(llvm::function_ref<bool()> lower) {
  State before = state_;
  size_t steps = block_->size(), drawn = lowered_.drawn.size();
  if (lower()) return true;
  state_ = std::move(before);
  block_->resize(steps);
  lowered_.drawn.resize(drawn);
  return false;
}

bool Lowering::losesSightOf(const Stmt* node) {
  for (const ValueDecl* decl : tensorNow_)
    for (const DeclRefExpr* use : usesOf(cast<VarDecl>(decl)))
      if (contains(node, use)) {
        if (!refusal_) refusal_ = Refusal{"the code that uses '" + decl->getNameAsString() + "' is not modelled", use->getBeginLoc()};
        return true;
      }
  return false;
}

void Lowering::forgetWritesOf(const Stmt* child) {
  if (losesSightOf(child)) return;
  for (const ValueDecl* decl : writtenBy(child)) {
    const ValueDecl* named = origin(decl);
    state_.variables.erase(named);
    state_.tuples.erase(named);
    state_.forgotten[named] = child;
  }
}

void Lowering::assign(const Expr* place, rt::Slot value) {
  if (const ValueDecl* decl = placeOf(place)) assign(decl, value);
}

void Lowering::assign(const ValueDecl* decl, rt::Slot value) {
  if (value < 0) return;
  decl = origin(decl);
  rt::Slot slot = variable(decl);
  if (slot < 0) return;
  if (isTensorSlot(slot) != isTensorSlot(value)) {
    if (!refusal_) refusal_ = Refusal{"'" + decl->getNameAsString() + "' cannot hold both a number and a tensor", target_->getBeginLoc()};
    return;
  }
  if (!isTensorSlot(slot)) value = converted(value, lowered_.program.slots[slot].type);
  rt::Step step{.kind = rt::Step::Kind::assign, .dst = slot, .args = {value}};
  emit(std::move(step));
  known_.erase(slot);
  bool inside = inTarget_ && context_.getSourceManager().isPointWithin(decl->getLocation(), target_->getBeginLoc(), target_->getEndLoc());
  if (fromTarget_ && !inside && !isOwnLocal(decl) && !llvm::is_contained(state_.assigned, decl)) state_.assigned.push_back(decl);
}

void Lowering::declare(const ValueDecl* decl, rt::Slot value) {
  state_.variables[decl] = local(decl->getNameAsString(), value);
  if (value >= 0 && isTensorSlot(value) && hostTypeOf(decl->getType()) && isa<VarDecl>(decl)) tensorNow_.insert(decl);
}

rt::Slot Lowering::standing(const std::map<const ValueDecl*, rt::Slot>& values, llvm::function_ref<rt::Slot()> lower) {
  std::map<const ValueDecl*, rt::Slot> before = state_.variables;
  for (auto [decl, slot] : values) state_.variables[origin(decl)] = slot;
  rt::Slot result = lower();
  for (auto [decl, slot] : values) {
    auto it = before.find(origin(decl));
    if (it == before.end()) state_.variables.erase(origin(decl));
    else state_.variables[origin(decl)] = it->second;
  }
  return result;
}

void Lowering::onlyIf(const Expr* condition, llvm::function_ref<void()> then) {
  rt::Slot value = expression(condition);
  if (value < 0 || isTensorSlot(value)) return void(refuse("the host's part of the condition is not modelled", condition));
  rt::Step step{.kind = rt::Step::Kind::branch, .args = {value}, .where = nextBranch()};
  arm(step.then, [&] { return then(), true; });
  emit(std::move(step));
}

// Of a function that is being inlined: gone when it returns.
bool Lowering::isOwnLocal(const ValueDecl* decl) const {
  return llvm::any_of(frames_, [&](const Frame& frame) { return decl->getDeclContext() == frame.function; });
}

const ValueDecl* Lowering::origin(const ValueDecl* decl) const {
  for (auto it = state_.references.find(decl); it != state_.references.end(); it = state_.references.find(decl)) decl = it->second;
  return decl;
}

rt::Slot Lowering::variable(const ValueDecl* decl) {
  decl = origin(decl);
  if (auto it = state_.variables.find(decl); it != state_.variables.end()) return it->second;
  auto type = hostTypeOf(decl->getType());
  if ((!isTensor(decl->getType()) && !type) || isOwnLocal(decl)) return -1;
  auto since = state_.forgotten.find(decl);
  bool buffer = isBuffer(decl);
  InputTable::Entry entry{.name = decl->getNameAsString(), .tensor = !type, .type = type.value_or(rt::HostType::float64),
                          .parameter = isa<FieldDecl>(decl) && !buffer, .constant = buffer};
  InputTable::Key key = byName_ ? inputs_.keyOf(entry.name) : InputTable::Key{decl, since == state_.forgotten.end() ? nullptr : since->second};
  return state_.variables[decl] = input(key, std::move(entry));
}

rt::Slot Lowering::input(InputTable::Key key, InputTable::Entry entry) {
  int index = inputs_.add(key, entry);
  auto it = lowered_.inputs.find(index);
  if (it == lowered_.inputs.end()) it = lowered_.inputs.emplace(index, fresh(entry.name, entry.tensor, entry.type)).first;
  return it->second;
}

rt::Slot Lowering::freeInput(const Expr* expr) {
  auto type = hostTypeOf(expr->getType());
  if (isRepeated() || (!type && !isTensor(expr->getType())) || losesSightOf(expr)) return -1;
  return input({expr, nullptr}, {.name = text(expr), .tensor = !type, .type = type.value_or(rt::HostType::float64)});
}

rt::Slot Lowering::expression(const Expr* expr) {
  expr = strip(expr);
  if (!expr) return -1;
  if (expr == target_) {
    bool outer = std::exchange(inTarget_, true);
    rt::Slot slot = candidate_ ? candidate_->lower(*this) : ExpressionLowering(*this).lower(expr);
    inTarget_ = outer;
    if (slot < 0 && !refusal_) refusal_ = Refusal{"'" + text(expr) + "' is not modelled", expr->getBeginLoc()};
    return slot;
  }
  rt::Slot slot = ExpressionLowering(*this).lower(expr);
  if (slot >= 0 || refusal_) return slot;
  if (inTarget_) {
    if (rt::Slot number = drawn(expr); number >= 0) return number;
    return refuse(ExpressionLowering(*this).reasonFor(expr), expr);
  }
  return freeInput(expr);
}

// Random numbers that the target draws whatever happens, such as those of its condition: any numbers, but equally often and
// in one order in both programs, which prove.cpp compares.
rt::Slot Lowering::drawn(const Expr* expr) {
  auto* call = dyn_cast<CallExpr>(expr);
  if (!call || arms_ || !ExpressionLowering(*this).onlyDraws(call)) return -1;
  lowered_.drawn.push_back(expr);
  return input({expr, nullptr}, {.name = text(expr), .floatingOnly = true});
}

rt::Slot Lowering::refuse(std::string reason, const Stmt* at) {
  if (inTarget_ && !refusal_) refusal_ = Refusal{std::move(reason), at->getBeginLoc()};
  return -1;
}

rt::Slot Lowering::fresh(std::string name, bool tensor, rt::HostType type) {
  lowered_.program.slots.push_back({std::move(name), tensor, type});
  return static_cast<rt::Slot>(lowered_.program.slots.size()) - 1;
}

rt::Slot Lowering::local(const std::string& name, rt::Slot value) {
  if (value < 0) return -1;
  const rt::SlotInfo info = lowered_.program.slots[value];
  rt::Slot slot = fresh(name, info.tensor, info.type);
  rt::Step step{.kind = rt::Step::Kind::assign, .dst = slot, .args = {value}};
  emit(std::move(step));
  if (auto it = known_.find(value); it != known_.end()) known_[slot] = rt::Scalar(it->second);
  return slot;
}

std::optional<bool> Lowering::decided(rt::Slot condition) const {
  auto it = known_.find(condition);
  return it == known_.end() ? std::nullopt : std::optional(rt::castTo(rt::HostType::boolean, it->second).b);
}

rt::Slot Lowering::call(rt::Op op, std::vector<rt::Slot> args, std::vector<rt::Slot> ints, std::optional<rt::DType> dtype) {
  if (llvm::is_contained(args, -1) || llvm::is_contained(ints, -1)) return -1;
  rt::Step step{.kind = rt::Step::Kind::call, .dst = fresh(rt::info(op).name, true), .args = std::move(args), .op = op, .ints = std::move(ints), .dtype = dtype};
  rt::Slot result = step.dst;
  emit(std::move(step));
  return result;
}

void Lowering::inPlace(rt::Op op, std::vector<rt::Slot> args) {
  if (llvm::is_contained(args, -1)) return;
  rt::Step step{.kind = rt::Step::Kind::inPlace, .args = std::move(args), .op = op};
  emit(std::move(step));
}

// A tensor in the place of a number: a candidate took a host value to the device, and somebody needs it on the host.
rt::Slot Lowering::host(rt::HostOp op, rt::HostType operands, std::vector<rt::Slot> args) {
  for (rt::Slot slot : args)
    if (slot < 0 || isTensorSlot(slot)) return -1;
  const bool folds = op != rt::HostOp::div && op != rt::HostOp::mod && llvm::all_of(args, [&](rt::Slot slot) { return known_.count(slot); });
  if (folds) {
    rt::Scalar first = rt::castTo(operands, known_.at(args.front())), second = rt::castTo(operands, known_.at(args.back()));
    return constant(rt::apply(op, operands, first, second), rt::resultType(op, operands));
  }
  rt::Slot result = fresh("", false, rt::resultType(op, operands));
  rt::Step step{.kind = rt::Step::Kind::host, .dst = result, .args = std::move(args), .type = operands, .hostOp = op};
  emit(std::move(step));
  return result;
}

rt::Slot Lowering::converted(rt::Slot value, rt::HostType type) {
  if (value < 0) return -1;
  const rt::SlotInfo& info = lowered_.program.slots[value];
  if (info.tensor || info.type == type) return value;
  return host(rt::HostOp::cast, type, {value});
}

rt::Slot Lowering::constant(rt::Scalar value, rt::HostType type) {
  rt::Slot result = fresh("", false, type);
  known_[result] = rt::castTo(type, value);
  rt::Step step{.kind = rt::Step::Kind::constant, .dst = result, .type = type, .value = value};
  emit(std::move(step));
  return result;
}

rt::Slot Lowering::meta(rt::Meta what, rt::Slot tensor, rt::Slot dimension) {
  rt::Slot result = fresh("", false, what == rt::Meta::defined ? rt::HostType::boolean : rt::HostType::int64);
  rt::Step step{.kind = rt::Step::Kind::meta, .dst = result, .args = {tensor}, .what = what};
  if (dimension >= 0) step.args.push_back(dimension);
  emit(std::move(step));
  return result;
}

std::string Lowering::text(const Stmt* node) const {
  std::string line = oneLine(textOf(context_.getSourceManager(), context_.getLangOpts(), node->getSourceRange()));
  return line.size() > 60 ? line.substr(0, 57) + "..." : line;
}

}  // namespace lint
