#include "analyzer/facts/flow.h"

#include "analyzer/facts/context.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace lint {
namespace {

// Collects reads below an expression, and the host variables it names.
class ReadVisitor : public clang::DynamicRecursiveASTVisitor {
 public:
  std::vector<Read> reads;
  std::vector<const clang::VarDecl*> variables;

  bool TraverseLambdaExpr(clang::LambdaExpr*) override { return true; }
  bool TraverseUnaryExprOrTypeTraitExpr(clang::UnaryExprOrTypeTraitExpr*) override { return true; }
  bool VisitCallExpr(clang::CallExpr* call) override {
    if (auto read = readOf(call)) reads.push_back(*read);
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* use) override {
    auto* variable = llvm::dyn_cast<clang::VarDecl>(use->getDecl());
    if (variable && (isHostNumber(variable->getType()) || isScalar(variable->getType()))) variables.push_back(variable);
    return true;
  }
};

// Finds the values given to one variable in a function, and its uses.
class VariableVisitor : public clang::DynamicRecursiveASTVisitor {
 public:
  explicit VariableVisitor(const clang::VarDecl* variable) : variable_(variable) {}
  std::vector<const clang::Expr*> values;
  std::vector<const clang::DeclRefExpr*> uses;

  bool VisitBinaryOperator(clang::BinaryOperator* op) override {
    auto* target = llvm::dyn_cast<clang::DeclRefExpr>(op->getLHS()->IgnoreParenImpCasts());
    if (op->isAssignmentOp() && target && target->getDecl() == variable_) values.push_back(op->getRHS());
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* use) override {
    if (use->getDecl() == variable_) uses.push_back(use);
    return true;
  }

 private:
  const clang::VarDecl* variable_;
};

VariableVisitor visit(const clang::VarDecl* variable) {
  VariableVisitor visitor(variable);
  auto* function = llvm::dyn_cast_or_null<clang::FunctionDecl>(variable->getParentFunctionOrMethod());
  if (function && function->getBody()) visitor.TraverseStmt(function->getBody());
  if (variable->hasInit()) visitor.values.insert(visitor.values.begin(), variable->getInit());
  return visitor;
}

void collect(const clang::Expr* expr, const clang::VarDecl* through, llvm::SmallPtrSetImpl<const clang::VarDecl*>& seen,
             std::vector<Flow>& flows) {
  ReadVisitor visitor;
  visitor.TraverseStmt(const_cast<clang::Expr*>(expr));
  for (const Read& read : visitor.reads) flows.push_back({read, through});
  for (const clang::VarDecl* variable : visitor.variables)
    if (variable->isLocalVarDecl() && seen.insert(variable).second)
      for (const clang::Expr* value : visit(variable).values) collect(value, through ? through : variable, seen, flows);
}

bool isCondition(const clang::Stmt* parent, const clang::Stmt* child) {
  if (auto* branch = llvm::dyn_cast<clang::IfStmt>(parent)) return branch->getCond() == child;
  if (auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(parent)) return choice->getCond() == child;
  if (auto* loop = llvm::dyn_cast<clang::WhileStmt>(parent)) return loop->getCond() == child;
  if (auto* loop = llvm::dyn_cast<clang::DoStmt>(parent)) return loop->getCond() == child;
  if (auto* loop = llvm::dyn_cast<clang::ForStmt>(parent)) return loop->getCond() == child;
  if (auto* choice = llvm::dyn_cast<clang::SwitchStmt>(parent)) return choice->getCond() == child;
  return false;
}

enum class Ends { branch, comparison };

// Follows a host value outwards to where it ends: a condition, a comparison, a local variable (then its uses), or elsewhere.
bool endsOnlyIn(const clang::Expr* value, Ends wanted, clang::ASTContext& context, llvm::SmallPtrSetImpl<const clang::VarDecl*>& seen) {
  bool result = false;
  const clang::Stmt* child = value;
  eachParent(value, context, [&](const clang::DynTypedNode& node) {
    if (auto* variable = node.get<clang::VarDecl>()) {
      if (!isHostNumber(variable->getType()) && !isScalar(variable->getType())) return false;
      if (!seen.insert(variable).second) return !(result = true);
      auto uses = visit(variable).uses;
      result = !uses.empty() && llvm::all_of(uses, [&](auto* use) { return endsOnlyIn(use, wanted, context, seen); });
      return false;
    }
    auto* parent = node.get<clang::Stmt>();
    if (!parent) return false;
    if (isCondition(parent, child)) return !(result = true);
    auto* binary = llvm::dyn_cast<clang::BinaryOperator>(parent);
    if (binary && binary->isAssignmentOp()) return false;
    if (binary && binary->isComparisonOp() && wanted == Ends::comparison) return !(result = true);
    auto* call = llvm::dyn_cast<clang::CallExpr>(parent);
    bool passesValueOn = llvm::isa<clang::CastExpr, clang::ParenExpr, clang::UnaryOperator, clang::BinaryOperator, clang::MemberExpr,
                                   clang::FullExpr, clang::MaterializeTemporaryExpr, clang::CXXBindTemporaryExpr>(parent) ||
                         (call && !isTensor(call->getType()) && isTorch(call->getDirectCallee())) ||
                         (call && isHostNumber(call->getType()));
    child = parent;
    return passesValueOn;
  });
  return result;
}

}  // namespace

std::vector<Flow> flowsInto(const clang::Expr* expr) {
  std::vector<Flow> flows;
  llvm::SmallPtrSet<const clang::VarDecl*, 4> seen;
  if (expr) collect(expr, nullptr, seen, flows);
  return flows;
}

std::vector<const clang::DeclRefExpr*> usesOf(const clang::VarDecl* variable) { return visit(variable).uses; }

bool feedsOnlyBranches(const clang::Expr* value, clang::ASTContext& context) {
  llvm::SmallPtrSet<const clang::VarDecl*, 4> seen;
  return endsOnlyIn(value, Ends::branch, context, seen);
}

bool feedsOnlyComparisons(const clang::Expr* value, clang::ASTContext& context) {
  llvm::SmallPtrSet<const clang::VarDecl*, 4> seen;
  return endsOnlyIn(value, Ends::comparison, context, seen);
}

}  // namespace lint
