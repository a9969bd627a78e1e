#include "analyzer/rewrite/repair.h"

#include "analyzer/facts/torch.h"
#include "analyzer/rewrite/lower-expression.h"
#include "analyzer/rewrite/promote.h"
#include "analyzer/source/range.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"

namespace lint {

using namespace clang;

namespace {

// The tensors that an expression names, each use of them, and the ops around them.
class TensorFinder : public DynamicRecursiveASTVisitor {
 public:
  std::vector<const ValueDecl*> tensors;  // in order of appearance
  std::vector<std::pair<const ValueDecl*, const Expr*>> uses;
  std::string safe = "1";                 // in the domain of the ops
  bool lambda = false;                    // or something else that hides uses

  bool TraverseLambdaExpr(LambdaExpr*) override { return !(lambda = true); }
  bool VisitDeclRefExpr(DeclRefExpr* use) override { return note(use), true; }
  bool VisitMemberExpr(MemberExpr* use) override { return note(use), true; }
  bool VisitCallExpr(CallExpr* call) override {
    const FunctionDecl* callee = torchCallee(call);
    // A lambda or a method of this object may see the same tensor, under its own name.
    const FunctionDecl* function = call->getDirectCallee();
    if (!function || (isa<CXXMethodDecl>(function) && !isTorch(function) && !function->isInStdNamespace())) return !(lambda = true);
    auto op = callee ? ExpressionLowering::opCalled(callee->getName(), 1) : std::nullopt;
    if (op && !rt::info(*op).entire) safe = rt::info(*op).safe;
    return true;
  }

 private:
  void note(const Expr* use) {
    const ValueDecl* decl = placeOf(use);
    auto* variable = dyn_cast_or_null<VarDecl>(decl);
    if (!decl || !isTensor(decl->getType())) return;
    if (variable && variable->hasGlobalStorage()) lambda = true;
    uses.emplace_back(decl, use);
    if (!llvm::is_contained(tensors, decl)) tensors.push_back(decl);
  }
};

std::string capitalised(std::string name) {
  name.erase(std::remove(name.begin(), name.end(), '_'), name.end());
  if (!name.empty()) name[0] = static_cast<char>(toupper(static_cast<unsigned char>(name[0])));
  return name;
}

}  // namespace

std::variant<Term, Refusal> safeTerm(const Expr* expr, const Term& mask, bool taken, Recipe& recipe, const Stmt* target, ASTContext& context) {
  Term term = sourceTerm(expr, context);
  TensorFinder found;
  found.TraverseStmt(const_cast<Expr*>(expr));
  if (found.lambda || found.tensors.size() > 3 || !term.whole) return Refusal{"the arm is too large for a safe form of it", expr->getBeginLoc()};
  const SourceManager& sources = context.getSourceManager();
  std::map<const ValueDecl*, Term> safe;
  for (const ValueDecl* decl : found.tensors) {
    Term tensor = sourceTerm(llvm::find_if(found.uses, [&](auto& use) { return use.first == decl; })->second, context);
    Term number;
    number.text = found.safe;
    number.lower = [value = std::strtod(found.safe.c_str(), nullptr)](Lowering& into) {
      return value == int64_t(value) ? into.constant(rt::Scalar(int64_t(value)), rt::HostType::int32) : into.constant(rt::Scalar(value), rt::HostType::float64);
    };
    Term chosen = callTerm("torch::where", *rt::opNamed("where"), taken ? std::vector{mask, tensor, number} : std::vector{mask, number, tensor});
    std::string name = unusedName((taken ? "safe" : "other") + capitalised(decl->getNameAsString()), target, context);
    safe[decl] = recipe.hoist(name, chosen);
  }
  // Uses from the back, so that offsets stay right.
  auto offsetOf = [&](const auto& use) { return sources.getFileOffset(use.second->getBeginLoc()); };
  llvm::stable_sort(found.uses, [&](auto& a, auto& b) { return offsetOf(a) > offsetOf(b); });
  unsigned begin = sources.getFileOffset((isa<ParenExpr>(strip(expr)) ? expr : strip(expr))->getBeginLoc());
  for (auto& [decl, use] : found.uses) {
    std::string spelled = textOf(sources, context.getLangOpts(), use->getSourceRange());
    unsigned offset = sources.getFileOffset(use->getBeginLoc());
    if (spelled.empty() || offset < begin || term.text.compare(offset - begin, spelled.size(), spelled) != 0) return Refusal{"a macro is in the way", expr->getBeginLoc()};
    term.text.replace(offset - begin, spelled.size(), safe[decl].text);
  }
  term.lower = [safe, inner = term.lower](Lowering& into) {
    std::map<const ValueDecl*, rt::Slot> slots;
    for (auto& [decl, value] : safe) slots[decl] = value.lower(into);
    return into.standing(slots, [&] { return inner(into); });
  };
  return term;
}

}  // namespace lint
