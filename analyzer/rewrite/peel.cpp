#include "analyzer/rewrite/peel.h"

#include "analyzer/facts/torch.h"

#include "clang/AST/ExprCXX.h"

namespace lint {

using namespace clang;

static bool changesNothing(CastKind kind) {
  return kind == CK_NoOp || kind == CK_LValueToRValue || kind == CK_ConstructorConversion || kind == CK_DerivedToBase || kind == CK_UncheckedDerivedToBase;
}

// `Slice(1)` is no 1, and a vector of three no 3.
static bool isContainer(const Expr* expr) {
  auto* record = expr->getType().getNonReferenceType()->getAsCXXRecordDecl();
  if (!record || !record->getDeclName().isIdentifier()) return false;
  if (record->getName() == "Slice") return true;
  auto* construct = dyn_cast<CXXConstructExpr>(expr);
  return record->getName() == "vector" && !(construct && construct->getNumArgs() && isa<CXXStdInitializerListExpr>(construct->getArg(0)->IgnoreImplicit()));
}

static const Expr* oneInside(const Expr* expr) {
  const Expr* inner = expr->IgnoreParens();
  if (auto* full = dyn_cast<FullExpr>(inner)) return full->getSubExpr();
  if (auto* temporary = dyn_cast<MaterializeTemporaryExpr>(inner)) return temporary->getSubExpr();
  if (auto* bound = dyn_cast<CXXBindTemporaryExpr>(inner)) return bound->getSubExpr();
  if (auto* cast = dyn_cast<CastExpr>(inner); cast && changesNothing(cast->getCastKind()) && !(isa<ExplicitCastExpr>(cast) && isContainer(cast))) return cast->getSubExpr();
  if (auto* copy = dyn_cast<CXXConstructExpr>(inner); copy && copy->getNumArgs() == 1 && isTensor(copy->getType()) && isTensor(copy->getArg(0)->getType()))
    return copy->getArg(0);
  return inner;
}

const Expr* strip(const Expr* expr) {
  while (expr) {
    const Expr* inner = oneInside(expr);
    if (inner == expr) break;
    expr = inner;
  }
  return expr;
}

const Expr* written(const Expr* expr) {
  while (true) {
    expr = strip(expr);
    const Expr* inner = expr;
    if (auto* construct = dyn_cast<CXXConstructExpr>(expr); construct && construct->getNumArgs() >= 1 && !isa<CXXTemporaryObjectExpr>(construct) && !isContainer(construct)) {
      bool restDefaulted = true;
      for (unsigned i = 1; i < construct->getNumArgs(); ++i) restDefaulted &= isa<CXXDefaultArgExpr>(construct->getArg(i));
      if (restDefaulted) inner = construct->getArg(0);
    } else if (auto* cast = dyn_cast<CastExpr>(expr); cast && (cast->getCastKind() == CK_UserDefinedConversion || cast->getCastKind() == CK_ConstructorConversion)) {
      inner = cast->getSubExpr();
    } else if (auto* list = dyn_cast<CXXStdInitializerListExpr>(expr)) {
      inner = list->getSubExpr();
    } else if (auto* defaulted = dyn_cast<CXXDefaultArgExpr>(expr)) {
      inner = defaulted->getExpr();
    }
    if (inner == expr) return expr;
    expr = inner;
  }
}

const ValueDecl* placeOf(const Expr* expr) {
  expr = strip(expr);
  if (auto* use = dyn_cast_or_null<DeclRefExpr>(expr)) return isa<VarDecl, BindingDecl>(use->getDecl()) ? use->getDecl() : nullptr;
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

std::string typeName(QualType type) { return type.getNonReferenceType().getUnqualifiedType().getCanonicalType().getAsString(); }

OverloadedOperatorKind withoutAssignment(OverloadedOperatorKind kind) {
  return BinaryOperator::getOverloadedOperator(BinaryOperator::getOpForCompoundAssignment(BinaryOperator::getOverloadedOpcode(kind)));
}

bool isAbsent(const Expr* expr) {
  std::string type = typeName(expr->getType());
  return type.find("nullopt_t") != std::string::npos || type.find("NoneType") != std::string::npos;
}

const FunctionDecl* torchCallee(const CallExpr* call) {
  const FunctionDecl* callee = call->getDirectCallee();
  return callee && callee->getDeclName().isIdentifier() && isTorch(callee) ? callee : nullptr;
}

}  // namespace lint
