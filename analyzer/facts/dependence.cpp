#include "analyzer/facts/dependence.h"

#include "analyzer/facts/context.h"
#include "analyzer/facts/torch.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"

#include <set>

namespace lint {
namespace {

using namespace clang;

class NameVisitor : public DynamicRecursiveASTVisitor {
 public:
  std::vector<const DeclRefExpr*> names;
  bool VisitDeclRefExpr(DeclRefExpr* use) override {
    if (isa<VarDecl>(use->getDecl())) names.push_back(use);
    return true;
  }
};

std::vector<const DeclRefExpr*> namesIn(const Stmt* statement) {
  NameVisitor visitor;
  visitor.TraverseStmt(const_cast<Stmt*>(statement));
  return visitor.names;
}

// Values given to each local of a function.
class ValueVisitor : public DynamicRecursiveASTVisitor {
 public:
  std::map<const ValueDecl*, std::vector<const Expr*>> values;
  bool VisitVarDecl(VarDecl* variable) override {
    if (variable->hasInit()) values[variable].push_back(variable->getInit());
    return true;
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr* call) override {
    auto* target = call->isAssignmentOp() ? dyn_cast<DeclRefExpr>(call->getArg(0)->IgnoreParenImpCasts()) : nullptr;
    if (target) values[target->getDecl()].push_back(call->getArg(1));
    return true;
  }
};

bool reachesParameter(const Stmt* from, const ValueVisitor& given, std::set<const ValueDecl*>& seen) {
  for (const DeclRefExpr* use : namesIn(from)) {
    const ValueDecl* decl = use->getDecl();
    if (isa<ParmVarDecl>(decl) && isTensor(decl->getType())) return true;
    auto it = given.values.find(decl);
    if (it == given.values.end() || !seen.insert(decl).second) continue;
    for (const Expr* value : it->second)
      if (reachesParameter(value, given, seen)) return true;
  }
  return false;
}

}  // namespace

bool dependsOnInput(const Expr* expr, const FunctionDecl* function) {
  if (!function || !function->getBody()) return false;
  ValueVisitor given;
  given.TraverseStmt(function->getBody());
  std::set<const ValueDecl*> seen;
  return reachesParameter(expr, given, seen);
}

const Expr* inputBeside(const CallExpr* creation, const FunctionDecl* function, ASTContext& context) {
  auto inputAmong = [&](const Stmt* place) -> const Expr* {
    for (const DeclRefExpr* use : namesIn(place))
      if (isTensor(use->getType()) && dependsOnInput(use, function)) return use;
    return nullptr;
  };
  if (const Expr* found = inputAmong(creation)) return found;
  const Expr* found = nullptr;
  eachParent(creation, context, [&](const DynTypedNode& node) {
    auto* parent = node.get<Expr>();
    if (!parent) return false;
    auto* call = dyn_cast<CallExpr>(parent);
    bool assignment = isa<CXXOperatorCallExpr>(parent) && cast<CXXOperatorCallExpr>(parent)->isAssignmentOp();
    if (call && isTensor(call->getType()) && !assignment) found = inputAmong(call);
    return !found;
  });
  return found;
}

const InitListExpr* bracedList(const Expr* argument) {
  while (argument) {
    const Expr* inner = argument->IgnoreImplicit();
    if (auto* list = dyn_cast<InitListExpr>(inner)) return list;
    if (auto* construct = dyn_cast<CXXConstructExpr>(inner)) inner = construct->getNumArgs() ? construct->getArg(0) : nullptr;
    else if (auto* list = dyn_cast<CXXStdInitializerListExpr>(inner)) inner = list->getSubExpr();
    else if (auto* cast = dyn_cast<CXXFunctionalCastExpr>(inner)) inner = cast->getSubExpr();
    if (inner == argument) return nullptr;
    argument = inner;
  }
  return nullptr;
}

}  // namespace lint
