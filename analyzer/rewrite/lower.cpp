#include "analyzer/rewrite/lower.h"

#include "analyzer/facts/context.h"
#include "analyzer/facts/torch.h"
#include "analyzer/rewrite/lower-expression.h"
#include "analyzer/source/range.h"
#include "runtime/host.h"

#include "clang/AST/ParentMapContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"

namespace lint {

using namespace clang;

int InputTable::add(Key key, Entry entry) {
  auto [it, added] = index_.try_emplace(key, static_cast<int>(entries_.size()));
  if (added) entries_.push_back(std::move(entry));
  return it->second;
}

InputTable::Key InputTable::keyOf(const std::string& text) { return {&*texts_.insert(text).first, nullptr}; }

const Expr* strip(const Expr* expr) {
  while (expr) {
    const Expr* inner = expr->IgnoreParens();
    if (auto* full = dyn_cast<FullExpr>(inner)) inner = full->getSubExpr();
    else if (auto* temporary = dyn_cast<MaterializeTemporaryExpr>(inner)) inner = temporary->getSubExpr();
    else if (auto* bound = dyn_cast<CXXBindTemporaryExpr>(inner)) inner = bound->getSubExpr();
    else if (auto* cast = dyn_cast<CastExpr>(inner);
             cast && (cast->getCastKind() == CK_NoOp || cast->getCastKind() == CK_LValueToRValue ||
                      cast->getCastKind() == CK_ConstructorConversion || cast->getCastKind() == CK_DerivedToBase ||
                      cast->getCastKind() == CK_UncheckedDerivedToBase))
      inner = cast->getSubExpr();
    else if (auto* copy = dyn_cast<CXXConstructExpr>(inner);
             copy && copy->getNumArgs() == 1 && isTensor(copy->getType()) && isTensor(copy->getArg(0)->getType()))
      inner = copy->getArg(0);
    if (inner == expr) return expr;
    expr = inner;
  }
  return expr;
}

const ValueDecl* placeOf(const Expr* expr) {
  expr = strip(expr);
  if (auto* use = dyn_cast_or_null<DeclRefExpr>(expr)) return dyn_cast<VarDecl>(use->getDecl());
  auto* member = dyn_cast_or_null<MemberExpr>(expr);
  if (member && isa<CXXThisExpr>(strip(member->getBase()))) return dyn_cast<FieldDecl>(member->getMemberDecl());
  return nullptr;
}

std::optional<rt::HostType> hostTypeOf(QualType type) {
  if (type.isNull()) return {};
  auto* builtin = type.getNonReferenceType().getCanonicalType()->getAs<BuiltinType>();
  if (!builtin) return {};
  switch (builtin->getKind()) {
    case BuiltinType::Bool: return rt::HostType::boolean;
    case BuiltinType::Int: return rt::HostType::int32;
    case BuiltinType::Long: case BuiltinType::LongLong: return rt::HostType::int64;
    case BuiltinType::Float: return rt::HostType::float32;
    case BuiltinType::Double: return rt::HostType::float64;
    default: return {};
  }
}

bool writesInPlace(const Expr* expr) {
  if (auto* op = dyn_cast<CXXOperatorCallExpr>(expr)) return op->isAssignmentOp() && op->getOperator() != OO_Equal && isTensor(op->getArg(0)->getType());
  auto* call = dyn_cast<CXXMemberCallExpr>(expr);
  auto* method = call ? call->getMethodDecl() : nullptr;
  return method && method->getDeclName().isIdentifier() && method->getName().ends_with("_") && isTensor(call->getObjectType());
}

namespace {

// Every variable or member that a statement may change.
class WriteVisitor : public DynamicRecursiveASTVisitor {
 public:
  std::set<const ValueDecl*> written;
  void note(const Expr* place) {
    if (const ValueDecl* decl = placeOf(place)) written.insert(decl);
  }
  bool VisitBinaryOperator(BinaryOperator* op) override { if (op->isAssignmentOp()) note(op->getLHS()); return true; }
  bool VisitUnaryOperator(UnaryOperator* op) override {
    if (op->isIncrementDecrementOp() || op->getOpcode() == UO_AddrOf) note(op->getSubExpr());
    return true;
  }
  bool VisitCallExpr(CallExpr* call) override {
    auto* op = dyn_cast<CXXOperatorCallExpr>(call);
    if ((op && op->isAssignmentOp()) || writesInPlace(call)) note(op ? op->getArg(0) : cast<CXXMemberCallExpr>(call)->getImplicitObjectArgument());
    auto* callee = call->getDirectCallee();
    unsigned shift = op && isa_and_nonnull<CXXMethodDecl>(callee) ? 1 : 0;  // an operator's object comes first
    for (unsigned i = 0; callee && i < callee->getNumParams() && i + shift < call->getNumArgs(); ++i) {
      QualType type = callee->getParamDecl(i)->getType();
      if (type->isLValueReferenceType() && !type.getNonReferenceType().isConstQualified()) note(call->getArg(i + shift));
    }
    return true;
  }
  bool VisitLambdaExpr(LambdaExpr* lambda) override {
    for (const LambdaCapture& capture : lambda->captures())
      if (capture.capturesVariable() && capture.getCaptureKind() == LCK_ByRef) written.insert(cast<ValueDecl>(capture.getCapturedVar()));
    return true;
  }
};

bool turnsGradientsOff(const Stmt* statement) {
  auto* declaration = dyn_cast<DeclStmt>(statement);
  if (!declaration) return false;
  for (const Decl* decl : declaration->decls())
    if (auto* variable = dyn_cast<VarDecl>(decl))
      if (auto* record = variable->getType()->getAsCXXRecordDecl())
        if (derivesFrom(record, "at::NoGradGuard") || derivesFrom(record, "c10::NoGradGuard") || derivesFrom(record, "c10::InferenceMode")) return true;
  return false;
}

class InPlaceFinder : public DynamicRecursiveASTVisitor {
 public:
  InPlaceFinder(const SourceManager& sources, SourceLocation after) : sources_(sources), after_(after) {}
  const Stmt* found = nullptr;
  bool VisitCallExpr(CallExpr* call) override {
    if (writesInPlace(call) && sources_.isBeforeInTranslationUnit(after_, call->getBeginLoc())) found = call;
    return !found;
  }

 private:
  const SourceManager& sources_;
  SourceLocation after_;
};

}  // namespace

Lowering::Lowering(ASTContext& context, InputTable& inputs, const Stmt* target, Extent extent)
    : context_(context), inputs_(inputs), target_(target), extent_(extent) {
  body_ = enclosingBody(target, context);
  if (!body_) return;
  for (const Stmt* child : body_->body())
    if (contains(child, target)) top_ = child;
}

std::variant<Lowered, Refusal> Lowering::lower(const Candidate* candidate) {
  candidate_ = candidate;
  block_ = &lowered_.program.body;
  if (!top_) return Refusal{"the code around it is not a plain body", target_->getBeginLoc()};
  if (gradientsOffAround()) {
    rt::Step off{.kind = rt::Step::Kind::gradMode, .value = rt::Scalar(false)};
    emit(std::move(off));
  }
  for (const Stmt* child : body_->body()) {
    bool isTop = child == top_;
    if (isTop) {
      prefix_ = block_->size();
      fromTarget_ = true;
    }
    if (!fromTarget_ && extent_ == Extent::targetOnly) {
      forgetWritesOf(child);
      continue;
    }
    bool lastOne = fromTarget_ && !isTop && extent_ != Extent::wholeBody;
    if (!lastOne && statement(child)) {
      if (stopped_) break;
      continue;
    }
    if (isTop) return refusal_ ? *refusal_ : Refusal{"'" + text(child) + "' is not modelled", child->getBeginLoc()};
    if (!fromTarget_) {
      forgetWritesOf(child);
      continue;
    }
    stopHere();
    break;
  }
  if (refusal_) return *refusal_;
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
  bool off = false;
  eachParent(target_, context_, [&](const DynTypedNode& node) {
    if (auto* compound = node.get<CompoundStmt>(); compound && compound != body_) {
      for (const Stmt* statement : compound->body()) {
        if (statement == child) break;
        off |= turnsGradientsOff(statement);
      }
    }
    if (auto* statement = node.get<Stmt>()) child = statement;
    return !off && !node.get<FunctionDecl>();
  });
  return off;
}

const Stmt* Lowering::firstInPlaceAfterTarget() const {
  InPlaceFinder finder(context_.getSourceManager(), target_->getEndLoc());
  finder.TraverseStmt(const_cast<CompoundStmt*>(body_));
  return finder.found;
}

// The program ends before a statement that is not modelled. What the rest does with the values is unknown, but for one
// thing it is the same in both programs: writing in place, since the two may share storage with different tensors.
void Lowering::stopHere() {
  if (const Stmt* write = firstInPlaceAfterTarget()) {
    refusal_ = Refusal{"'" + text(write) + "' writes in place to a tensor that may share its memory with a result", write->getBeginLoc()};
    return;
  }
  rt::Step step{.kind = rt::Step::Kind::finish, .args = observed(true)};
  emit(std::move(step));
  stopped_ = true;
}

std::vector<rt::Slot> Lowering::observed(bool all) {
  std::vector<rt::Slot> slots;
  for (const ValueDecl* decl : assigned_) {
    auto* local = dyn_cast<VarDecl>(decl);
    bool lasting = !local || local->hasGlobalStorage() || local->getType()->isLValueReferenceType();
    if (all || lasting) slots.push_back(variable(decl));
  }
  return slots;
}

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
  inTarget_ = false;
  return done;
}

bool Lowering::statementKind(const Stmt* child) {
  if (auto* block = dyn_cast<CompoundStmt>(child)) return compound(block);
  if (auto* branch = dyn_cast<IfStmt>(child)) return ifStatement(branch);
  if (auto* leave = dyn_cast<ReturnStmt>(child)) return returnStatement(leave);
  if (auto* expr = dyn_cast<Expr>(child)) return effect(strip(expr));
  if (isa<NullStmt>(child)) return true;
  if (turnsGradientsOff(child)) {
    rt::Step off{.kind = rt::Step::Kind::gradMode, .value = rt::Scalar(false)};
    emit(std::move(off));
    return true;
  }
  auto* declarations = dyn_cast<DeclStmt>(child);
  if (!declarations) return refuse("'" + text(child) + "' leaves the branch or loops", child) >= 0;
  for (const Decl* decl : declarations->decls()) {
    auto* variable = dyn_cast<VarDecl>(decl);
    if (!variable || !declaration(variable)) return false;
  }
  return true;
}

bool Lowering::compound(const CompoundStmt* block) {
  for (const Stmt* child : block->body()) {
    if (statement(child)) {
      if (stopped_) return true;
      continue;
    }
    if (inTarget_ || contains(child, target_)) return false;
    if (!fromTarget_) {
      forgetWritesOf(child);
    } else {
      stopHere();
      return !refusal_;
    }
  }
  return true;
}

bool Lowering::declaration(const VarDecl* decl) {
  bool tensor = isTensor(decl->getType());
  auto type = hostTypeOf(decl->getType());
  if ((!tensor && !type) || decl->isStaticLocal()) return !inTarget_ && !fromTarget_;
  forgotten_.erase(decl);
  const Expr* init = decl->getInit();
  auto* construct = dyn_cast_or_null<CXXConstructExpr>(strip(init));
  if (!init || (construct && construct->getNumArgs() == 0)) {
    variables_[decl] = fresh(decl->getNameAsString(), tensor, type.value_or(rt::HostType::float64));
    return tensor || init;
  }
  if (const ValueDecl* place = decl->getType()->isLValueReferenceType() ? placeOf(init) : nullptr) {
    variables_[decl] = variable(place);
    return variables_[decl] >= 0;
  }
  rt::Slot value = expression(init);
  if (value < 0) return false;
  variables_[decl] = fresh(decl->getNameAsString(), tensor, type.value_or(rt::HostType::float64));
  bind(decl, value);
  return true;
}

bool Lowering::arm(const Stmt* child, rt::Block& into) {
  rt::Block* outer = std::exchange(block_, &into);
  bool done = !child || statement(child);
  block_ = outer;
  return done;
}

bool Lowering::ifStatement(const IfStmt* branch) {
  if (branch->getInit() || branch->getConditionVariable() || branch->isConstexpr()) return refuse("the condition declares something", branch) >= 0;
  rt::Slot condition = expression(branch->getCond());
  if (condition < 0) return false;
  rt::Step step{.kind = rt::Step::Kind::branch, .args = {condition}, .where = branch->getIfLoc().getRawEncoding()};
  bool before = std::exchange(stopped_, false);
  if (!arm(branch->getThen(), step.then)) return false;
  bool thenStops = std::exchange(stopped_, false);
  if (!arm(branch->getElse(), step.otherwise)) return false;
  stopped_ = before || (thenStops && stopped_ && branch->getElse());
  emit(std::move(step));
  return true;
}

bool Lowering::returnStatement(const ReturnStmt* leave) {
  const Expr* value = strip(leave->getRetValue());
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

void Lowering::finish(rt::Slot value) {
  rt::Step step{.kind = rt::Step::Kind::finish};
  if (value >= 0) step.args.push_back(value);
  for (rt::Slot slot : observed(/*all=*/false)) step.args.push_back(slot);
  emit(std::move(step));
  stopped_ = true;
}

// An expression that stands for its effect: an assignment, a write in place, a throw.
bool Lowering::effect(const Expr* expr) {
  if (auto* assignment = dyn_cast<CXXOperatorCallExpr>(expr);
      assignment && assignment->getOperator() == OO_Equal && placeOf(assignment->getArg(0)) && isTensor(assignment->getArg(0)->getType())) {
    rt::Slot value = expression(assignment->getArg(1));
    if (value < 0) return false;
    assign(assignment->getArg(0), value);
    return true;
  }
  if (auto* assignment = dyn_cast<BinaryOperator>(expr); assignment && assignment->getOpcode() == BO_Assign && placeOf(assignment->getLHS())) {
    rt::Slot value = expression(assignment->getRHS());
    if (value < 0) return false;
    assign(assignment->getLHS(), value);
    return true;
  }
  auto* call = dyn_cast<CallExpr>(expr);
  bool ends = call && call->getDirectCallee() && call->getDirectCallee()->isNoReturn();  // what TORCH_CHECK calls
  if (ends || isa<CXXThrowExpr>(expr)) {
    rt::Step step{.kind = rt::Step::Kind::fail, .text = text(expr)};
    emit(std::move(step));
    return true;
  }
  if (writesInPlace(expr)) return inPlace(expr);
  if (ExpressionLowering(*this).lower(expr) >= 0) return true;
  return refuse("'" + text(expr) + "' may have side effects", expr) >= 0;
}

bool Lowering::inPlace(const Expr* expr) {
  rt::Step step{.kind = rt::Step::Kind::inPlace};
  const Expr* object = nullptr;
  bool understood = false;
  if (auto* op = dyn_cast<CXXOperatorCallExpr>(expr)) {
    static const std::map<OverloadedOperatorKind, const char*> names = {
        {OO_PlusEqual, "add"}, {OO_MinusEqual, "sub"}, {OO_StarEqual, "mul"}, {OO_SlashEqual, "div"}};
    auto name = names.find(op->getOperator());
    if (name == names.end()) return false;
    step.op = *rt::opNamed(name->second);
    object = op->getArg(0);
    rt::Slot self = expression(object);
    if (self < 0) return false;
    step.args.push_back(self);
    understood = ExpressionLowering(*this).arguments(op, 1, step);
  } else {
    auto* call = cast<CXXMemberCallExpr>(expr);
    auto row = rt::opNamed(std::string_view(call->getMethodDecl()->getName().drop_back()));
    if (!row) return refuse("'" + text(expr) + "' writes in place", expr) >= 0;
    step.op = *row;
    object = call->getImplicitObjectArgument();
    rt::Slot self = expression(object);
    if (self < 0) return false;
    step.args.push_back(self);
    understood = ExpressionLowering(*this).arguments(call, 0, step);
  }
  if (!understood) return refuse("'" + text(expr) + "' writes in place", expr) >= 0;
  emit(std::move(step));
  return true;
}

void Lowering::forgetWritesOf(const Stmt* child) {
  WriteVisitor writes;
  writes.TraverseStmt(const_cast<Stmt*>(child));
  for (const ValueDecl* decl : writes.written) {
    variables_.erase(decl);
    forgotten_[decl] = child;
  }
}

void Lowering::assign(const Expr* place, rt::Slot value) {
  if (const ValueDecl* decl = placeOf(place); decl && value >= 0) bind(decl, value);
}

void Lowering::bind(const ValueDecl* decl, rt::Slot value) {
  rt::Step step{.kind = rt::Step::Kind::assign, .dst = variable(decl), .args = {value}};
  emit(std::move(step));
  bool inside = inTarget_ && context_.getSourceManager().isPointWithin(decl->getLocation(), target_->getBeginLoc(), target_->getEndLoc());
  if (fromTarget_ && !inside && !llvm::is_contained(assigned_, decl)) assigned_.push_back(decl);
}

rt::Slot Lowering::variable(const ValueDecl* decl) {
  if (auto it = variables_.find(decl); it != variables_.end()) return it->second;
  auto type = hostTypeOf(decl->getType());
  if (!isTensor(decl->getType()) && !type) return -1;
  auto since = forgotten_.find(decl);
  InputTable::Entry entry{.name = decl->getNameAsString(), .tensor = !type, .type = type.value_or(rt::HostType::float64), .parameter = isa<FieldDecl>(decl)};
  return variables_[decl] = input({decl, since == forgotten_.end() ? nullptr : since->second}, std::move(entry));
}

rt::Slot Lowering::input(InputTable::Key key, InputTable::Entry entry) {
  int index = inputs_.add(key, entry);
  auto it = lowered_.inputs.find(index);
  if (it == lowered_.inputs.end()) it = lowered_.inputs.emplace(index, fresh(entry.name, entry.tensor, entry.type)).first;
  return it->second;
}

rt::Slot Lowering::freeInput(const Expr* expr) {
  auto type = hostTypeOf(expr->getType());
  if (!type && !isTensor(expr->getType())) return -1;
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
  if (inTarget_) return refuse("'" + text(expr) + "' is not modelled: it may have side effects", expr);
  return freeInput(expr);
}

rt::Slot Lowering::refuse(std::string reason, const Stmt* at) {
  if (inTarget_ && !refusal_) refusal_ = Refusal{std::move(reason), at->getBeginLoc()};
  return -1;
}

rt::Slot Lowering::fresh(std::string name, bool tensor, rt::HostType type) {
  lowered_.program.slots.push_back({std::move(name), tensor, type});
  return static_cast<rt::Slot>(lowered_.program.slots.size()) - 1;
}

rt::Slot Lowering::call(rt::Op op, std::vector<rt::Slot> args, std::vector<rt::Slot> ints, std::optional<rt::DType> dtype) {
  for (rt::Slot slot : args)
    if (slot < 0) return -1;
  rt::Step step{.kind = rt::Step::Kind::call, .dst = fresh(rt::info(op).name, true), .args = std::move(args), .op = op, .ints = std::move(ints), .dtype = dtype};
  rt::Slot result = step.dst;
  emit(std::move(step));
  return result;
}

rt::Slot Lowering::host(rt::HostOp op, rt::HostType operands, std::vector<rt::Slot> args) {
  rt::Slot result = fresh("", false, rt::resultType(op, operands));
  rt::Step step{.kind = rt::Step::Kind::host, .dst = result, .args = std::move(args), .type = operands, .hostOp = op};
  emit(std::move(step));
  return result;
}

rt::Slot Lowering::constant(rt::Scalar value, rt::HostType type) {
  rt::Slot result = fresh("", false, type);
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

namespace {

void markUsed(const rt::Block& block, std::set<rt::Slot>& used) {
  for (const rt::Step& step : block) {
    used.insert(step.args.begin(), step.args.end());
    used.insert(step.ints.begin(), step.ints.end());
    if (step.dst >= 0 && step.kind == rt::Step::Kind::assign) used.insert(step.dst);
    markUsed(step.then, used);
    markUsed(step.otherwise, used);
  }
}

std::set<rt::Slot> usedSlots(const rt::Program& program) {
  std::set<rt::Slot> used(program.outputs.begin(), program.outputs.end());
  markUsed(program.body, used);
  return used;
}

// A pure step whose result nobody uses goes; until nothing changes. Steps inside branches stay: they can throw.
void dropDead(rt::Program& program) {
  for (size_t before = program.body.size() + 1; before != program.body.size();) {
    before = program.body.size();
    std::set<rt::Slot> used(program.outputs.begin(), program.outputs.end());
    rt::Block kept;
    for (size_t i = program.body.size(); i-- > 0;) {
      rt::Step& step = program.body[i];
      bool pure = step.kind == rt::Step::Kind::call || step.kind == rt::Step::Kind::constant || step.kind == rt::Step::Kind::host ||
                  step.kind == rt::Step::Kind::meta || step.kind == rt::Step::Kind::assign || step.kind == rt::Step::Kind::item;
      if (pure && !used.count(step.dst)) continue;
      rt::Block one;
      one.push_back(step);
      markUsed(one, used);
      kept.push_back(std::move(step));
    }
    program.body.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
  }
}

}  // namespace

void matchInputs(Lowered& before, Lowered& after, const InputTable& table) {
  dropDead(before.program);
  dropDead(after.program);
  std::set<rt::Slot> usedBefore = usedSlots(before.program), usedAfter = usedSlots(after.program);
  auto slotOf = [](Lowered& lowered, int index, const InputTable::Entry& entry) {
    auto it = lowered.inputs.find(index);
    if (it != lowered.inputs.end()) return it->second;
    lowered.program.slots.push_back({entry.name, entry.tensor, entry.type});
    return static_cast<rt::Slot>(lowered.program.slots.size()) - 1;
  };
  for (int index = 0; index < static_cast<int>(table.entries().size()); ++index) {
    const InputTable::Entry& entry = table.entries()[index];
    rt::Slot inBefore = slotOf(before, index, entry), inAfter = slotOf(after, index, entry);
    if (!usedBefore.count(inBefore) && !usedAfter.count(inAfter)) continue;
    before.program.inputs.push_back({.slot = inBefore, .parameter = entry.parameter});
    after.program.inputs.push_back({.slot = inAfter, .parameter = entry.parameter});
  }
}

}  // namespace lint
