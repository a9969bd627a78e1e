#include "analyzer/rewrite/promote.h"

#include "analyzer/facts/context.h"
#include "analyzer/facts/flow.h"
#include "analyzer/facts/torch.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/AST/StmtCXX.h"

#include <set>

namespace lint {

using namespace clang;

namespace {

// Functions with a Tensor overload wherever they take a Scalar.
constexpr llvm::StringLiteral takesEither[] = {"clamp", "clamp_min", "clamp_max", "where", "pow", "maximum", "minimum", "mul", "div", "add", "sub"};

const IfStmt* headOf(const IfStmt* branch, ASTContext& context) {
  while (true) {
    auto parents = context.getParents(*branch);
    auto* outer = parents.empty() ? nullptr : parents[0].get<IfStmt>();
    if (!outer || outer->getElse() != branch) return branch;
    branch = outer;
  }
}

enum class Ends : uint8_t { arithmetic, condition, given, elsewhere };

bool isPlainArithmetic(const Stmt* node) {
  if (auto* op = dyn_cast<BinaryOperator>(node)) return op->isMultiplicativeOp() ? op->getOpcode() != BO_Rem : op->isAdditiveOp();
  if (auto* op = dyn_cast<UnaryOperator>(node)) return op->getOpcode() == UO_Minus;
  return isa<ImplicitCastExpr, ParenExpr, FullExpr, MaterializeTemporaryExpr, CXXBindTemporaryExpr>(node) ||
         (isa<CXXConstructExpr>(node) && isScalar(cast<Expr>(node)->getType()));
}

using Seen = llvm::SmallPtrSet<const VarDecl*, 4>;
bool couldBeTensor(const VarDecl*, ASTContext&, bool compared, Seen&);

// Another local that the number is given to, at its declaration or later.
const VarDecl* givenTo(const DynTypedNode& node) {
  if (auto* variable = node.get<VarDecl>()) return variable;
  auto* assignment = node.get<BinaryOperator>();
  auto* place = assignment && assignment->getOpcode() == BO_Assign ? dyn_cast<DeclRefExpr>(assignment->getLHS()->IgnoreParens()) : nullptr;
  return place ? dyn_cast<VarDecl>(place->getDecl()) : nullptr;
}

// Where the number goes; `branch` is the head of the chain whose condition compares it.
Ends endOf(const DeclRefExpr* use, ASTContext& context, const IfStmt*& branch, Seen& seen) {
  Ends end = Ends::elsewhere;
  bool compared = false;
  const Stmt* child = use;
  eachParent(use, context, [&](const DynTypedNode& node) {
    if (const VarDecl* other = givenTo(node); other && !compared) {
      if (other == use->getDecl()) end = Ends::given;
      else if (other->isLocalVarDecl() && isHostNumber(other->getType()) && couldBeTensor(other, context, true, seen)) end = Ends::arithmetic;
      return false;
    }
    auto* parent = node.get<Stmt>();
    if (!parent) return false;
    if (auto* choice = dyn_cast<ConditionalOperator>(parent); choice && choice->getCond() == child) compared = true;
    else if (choice) return child = parent, !compared;
    if (auto* conditional = dyn_cast<IfStmt>(parent); conditional && conditional->getCond() == child) {
      branch = headOf(conditional, context);
      end = Ends::condition;
      return false;
    }
    auto* op = dyn_cast<BinaryOperator>(parent);
    if (op && (op->isComparisonOp() || op->isLogicalOp())) compared = true;
    bool negation = isa<UnaryOperator>(parent) && cast<UnaryOperator>(parent)->getOpcode() == UO_LNot;
    bool passes = isPlainArithmetic(parent) || compared || negation;
    auto* call = dyn_cast<CallExpr>(parent);
    if (call && !compared && isTensor(call->getType())) {
      auto* tensorOp = dyn_cast<CXXOperatorCallExpr>(call);
      bool assigns = tensorOp && tensorOp->isAssignmentOp();
      const FunctionDecl* callee = call->getDirectCallee();
      bool either = !tensorOp && isTorch(callee) && callee->getDeclName().isIdentifier() && llvm::is_contained(takesEither, callee->getName());
      if ((tensorOp && !assigns) || (assigns && tensorOp->getOperator() != OO_Equal) || either) end = Ends::arithmetic;
      return false;
    }
    child = parent;
    return passes && !call;
  });
  return end;
}

class NameFinder : public DynamicRecursiveASTVisitor {
 public:
  std::set<std::string> names;
  bool VisitNamedDecl(NamedDecl* decl) override { return names.insert(decl->getNameAsString()), true; }
  bool VisitDeclRefExpr(DeclRefExpr* use) override { return names.insert(use->getDecl()->getNameAsString()), true; }
  bool VisitMemberExpr(MemberExpr* use) override { return names.insert(use->getMemberDecl()->getNameAsString()), true; }
};

}  // namespace

namespace {

bool couldBeTensor(const VarDecl* variable, ASTContext& context, bool compared, Seen& seen) {
  if (!seen.insert(variable).second) return true;
  const IfStmt* chain = nullptr;
  for (const DeclRefExpr* use : usesOf(variable)) {
    const IfStmt* branch = nullptr;
    Ends end = endOf(use, context, branch, seen);
    if (end == Ends::elsewhere || (end == Ends::condition && (!compared || (chain && chain != branch)))) return false;
    if (branch) chain = branch;
  }
  return true;
}

}  // namespace

bool couldBeTensor(const VarDecl* variable, ASTContext& context, bool compared) {
  Seen seen;
  return couldBeTensor(variable, context, compared, seen);
}

bool entersArithmetic(const VarDecl* variable, ASTContext& context) {
  const IfStmt* branch = nullptr;
  Seen seen;
  return llvm::any_of(usesOf(variable), [&](const DeclRefExpr* use) { return endOf(use, context, branch, seen) == Ends::arithmetic; });
}

const DeclStmt* ownDeclaration(const VarDecl* variable, ASTContext& context) {
  auto parents = context.getParents(*variable);
  auto* statement = parents.empty() ? nullptr : parents[0].get<DeclStmt>();
  return statement && statement->isSingleDecl() && !statement->getBeginLoc().isMacroID() && !variable->isStaticLocal() ? statement : nullptr;
}

std::string unusedName(const std::string& wanted, const Stmt* at, ASTContext& context) {
  NameFinder finder;
  if (auto* function = enclosingFunction(at, context)) finder.TraverseDecl(const_cast<FunctionDecl*>(function));
  std::string name = wanted;
  for (int i = 2; finder.names.count(name); ++i) name = wanted + std::to_string(i);
  return name;
}

}  // namespace lint
