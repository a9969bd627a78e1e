// Which kind of expression it is; choices, members, indices.
#include "analyzer/rewrite/lower-expression.h"

#include "analyzer/facts/torch.h"

namespace lint {

using namespace clang;
using rt::HostType;
using rt::Slot;

Slot ExpressionLowering::lower(const Expr* expr) {
  if (auto* op = dyn_cast<CXXOperatorCallExpr>(expr); op && op->getOperator() != OO_Call) return operatorCall(op);
  if (auto* call = dyn_cast<CallExpr>(expr)) return anyCall(call);
  if (auto* use = dyn_cast<DeclRefExpr>(expr)) {
    if (Slot known = constantOf(expr); known >= 0) return known;
    return isa<VarDecl, BindingDecl>(use->getDecl()) ? into_.variable(use->getDecl()) : -1;
  }
  if (auto* field = dyn_cast<MemberExpr>(expr)) return member(field);
  if (auto* choice = dyn_cast<ConditionalOperator>(expr)) return conditional(choice);
  if (auto* empty = dyn_cast<CXXConstructExpr>(expr); empty && empty->getNumArgs() == 0 && isTensor(empty->getType())) return into_.undefinedTensor();
  if (!hostTypeOf(expr->getType())) return -1;
  if (Slot known = constantOf(expr); known >= 0) return known;
  if (auto* op = dyn_cast<BinaryOperator>(expr)) return op->isLogicalOp() ? shortCircuit(op) : hostBinary(op);
  if (auto* op = dyn_cast<UnaryOperator>(expr)) return hostUnary(op);
  if (auto* conversion = dyn_cast<CastExpr>(expr)) return cast(conversion);
  return -1;
}

// One side of a choice between values.
bool ExpressionLowering::arm(rt::Block& block, Slot result, llvm::function_ref<Slot()> value) {
  return into_.arm(block, [&] {
    Slot slot = value();
    if (slot < 0 || into_.isTensorSlot(slot) != into_.isTensorSlot(result)) return false;
    rt::Step assign{.kind = rt::Step::Kind::assign, .dst = result, .args = {into_.converted(slot, into_.lowered_.program.slots[result].type)}};
    into_.emit(std::move(assign));
    return true;
  });
}

// `a && b` runs b only if a holds.
Slot ExpressionLowering::shortCircuit(const BinaryOperator* op) {
  Slot left = into_.expression(op->getLHS());
  if (left < 0 || into_.isTensorSlot(left)) return -1;
  bool isAnd = op->getOpcode() == BO_LAnd;
  if (auto known = into_.decided(left)) return *known == isAnd ? into_.expression(op->getRHS()) : left;
  Slot result = into_.fresh("", false, HostType::boolean);
  rt::Step step{.kind = rt::Step::Kind::branch, .args = {left}, .where = into_.nextBranch()};
  auto decided = [&] { return into_.constant(rt::Scalar(!isAnd), HostType::boolean); };
  if (!arm(isAnd ? step.then : step.otherwise, result, [&] { return into_.expression(op->getRHS()); })) return -1;
  arm(isAnd ? step.otherwise : step.then, result, decided);
  into_.emit(std::move(step));
  return result;
}

Slot ExpressionLowering::conditional(const ConditionalOperator* choice) {
  auto type = hostTypeOf(choice->getType());
  if (!type && !isTensor(choice->getType())) return -1;
  Slot condition = into_.expression(choice->getCond());
  if (condition < 0 || into_.isTensorSlot(condition)) return -1;
  if (auto known = into_.decided(condition)) return into_.converted(into_.expression(*known ? choice->getTrueExpr() : choice->getFalseExpr()), type.value_or(HostType::float64));
  Slot result = into_.fresh("", !type, type.value_or(HostType::float64));
  rt::Step step{.kind = rt::Step::Kind::branch, .args = {condition}, .where = into_.nextBranch()};
  bool lowered = arm(step.then, result, [&] { return into_.expression(choice->getTrueExpr()); }) &&
                 arm(step.otherwise, result, [&] { return into_.expression(choice->getFalseExpr()); });
  if (!lowered) return -1;
  into_.emit(std::move(step));
  return result;
}

static bool startsAtThis(const Expr* expr) {
  while (auto* field = dyn_cast<MemberExpr>(strip(expr))) expr = field->getBase();
  return isa<CXXThisExpr>(strip(expr));
}

// A member of this object is a variable; `layer->weight` is an input known by its text.
Slot ExpressionLowering::member(const MemberExpr* field) {
  if (const ValueDecl* place = placeOf(field)) return into_.variable(place);
  auto* decl = dyn_cast<FieldDecl>(field->getMemberDecl());
  auto type = hostTypeOf(field->getType());
  if (!decl || (!type && !isTensor(field->getType())) || (into_.isRepeated() && !startsAtThis(field))) return -1;
  std::string name = into_.text(field);
  if (name.empty() || name.find('(') != std::string::npos) return -1;
  return into_.input(into_.inputs_.keyOf(name), {.name = name, .tensor = !type, .type = type.value_or(HostType::float64),
                                                 .parameter = derivesFrom(dyn_cast<CXXRecordDecl>(decl->getParent()), "torch::nn::Module")});
}

// ---- indices: ints select, slices narrow, None adds a dimension, `...` counts from the end, tensors pick

static std::vector<const Expr*> indexList(const Expr* list) {
  auto* elements = dyn_cast<InitListExpr>(written(list));
  if (!elements) return {};
  std::vector<const Expr*> result;
  for (const Expr* element : elements->inits()) result.push_back(written(element));
  return result;
}

static const CXXConstructExpr* sliceOf(const Expr* index) {
  auto* construct = dyn_cast<CXXConstructExpr>(strip(index));
  if (auto* cast = dyn_cast<CXXFunctionalCastExpr>(strip(index))) construct = dyn_cast<CXXConstructExpr>(strip(cast->getSubExpr()));
  return construct && typeName(construct->getType()).find("indexing::Slice") != std::string::npos ? construct : nullptr;
}

static bool isEllipsis(const Expr* index) {
  auto* text = dyn_cast<StringLiteral>(index->IgnoreParenImpCasts());
  return (text && text->getString() == "...") || typeName(index->getType()).find("EllipsisIndexType") != std::string::npos;
}

static bool consumes(const Expr* index) { return !isAbsent(index) && !isEllipsis(index); }

Slot ExpressionLowering::viewAt(Slot self, const Expr* list) {
  std::vector<const Expr*> indices = indexList(list);
  if (indices.empty()) return -1;
  int64_t dim = 0;
  auto number = [&](int64_t value) { return into_.constant(rt::Scalar(value), HostType::int64); };
  auto bound = [&](const CXXConstructExpr* slice, unsigned i, int64_t otherwise) -> Slot {
    if (i >= slice->getNumArgs()) return number(otherwise);
    const Expr* value = written(slice->getArg(i));
    if (isAbsent(value)) return number(otherwise);
    return hostTypeOf(value->getType()) ? into_.expression(value) : -1;
  };
  for (size_t i = 0; i < indices.size() && self >= 0; ++i) {
    const Expr* index = indices[i];
    if (isEllipsis(index)) {
      dim = -int64_t(std::count_if(indices.begin() + ptrdiff_t(i), indices.end(), consumes));
      if (dim == 0 && i + 1 != indices.size()) return -1;
      continue;
    }
    if (isAbsent(index)) {
      if (dim < 0) return -1;
      self = into_.call(*rt::opNamed("unsqueeze"), {self}, {number(dim++)});
    } else if (auto* slice = sliceOf(index)) {
      self = into_.call(*rt::opNamed("slice"), {self}, {number(dim++), bound(slice, 0, 0), bound(slice, 1, INT64_MAX), bound(slice, 2, 1)});
    } else if (hostTypeOf(index->getType()) && !index->getType()->isBooleanType()) {
      self = into_.call(*rt::opNamed("select"), {self}, {number(dim), into_.expression(index)});
      dim += dim < 0;
    } else {
      return -1;
    }
  }
  return self;
}

bool ExpressionLowering::tensorIndices(const Expr* list, std::vector<Slot>& args) {
  std::vector<const Expr*> indices = indexList(list);
  if (indices.empty()) return false;
  for (const Expr* index : indices) {
    auto* slice = sliceOf(index);
    Slot slot = slice && slice->getNumArgs() == 0 ? into_.undefinedTensor() : isTensor(index->getType()) ? into_.expression(index) : -1;
    if (slot < 0) return false;
    args.push_back(slot);
  }
  return true;
}

Slot ExpressionLowering::indexed(const CXXMemberCallExpr* call) {
  Slot self = into_.expression(call->getImplicitObjectArgument());
  if (self < 0) return -1;
  if (Slot view = viewAt(self, call->getArg(0)); view >= 0) return view;
  std::vector<Slot> args = {self};
  return tensorIndices(call->getArg(0), args) ? into_.call(*rt::opNamed("index"), args) : -1;
}

}  // namespace lint
