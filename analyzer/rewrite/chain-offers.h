// The candidates for a chain of conditions and arms: they differ in form only.
#pragma once

#include "analyzer/rewrite/arms.h"
#include "analyzer/rewrite/recipe.h"

namespace lint {

/// How a candidate of a chain is made.
struct Form {
  TermStyle style = TermStyle::plain;
  bool numbers = false;  // 0 for torch::zeros_like(x)
  bool writes = false;   // in-place steps write, instead of giving the variable a new tensor
  bool safeTaken = false, safeOther = false;  // the double where, for what is taken and for `else`
  bool safe() const { return safeTaken || safeOther; }
};

/// The chain of one branch, whose candidates differ in form only.
class ChainOffers {
 public:
  ChainOffers(const clang::Stmt* target, clang::SourceRange range, Chain chain, clang::ASTContext& context)
      : target_(target), range_(range), chain_(std::move(chain)), context_(context) {}

  std::vector<Offer> all();
  /// The host's part of `training && x.item<bool>()`, which stays a branch.
  const clang::Expr* hostCondition = nullptr;
  /// `case 3:`: the condition is that the value equals this.
  std::vector<const clang::Expr*> labels;

 private:
  Offer offer(const Form&);
  std::optional<Refusal> returns(const Form&, Recipe&, std::vector<Term>);
  std::optional<Refusal> assigns(const Form&, Recipe&, std::vector<Term>);
  std::variant<std::vector<Term>, Refusal> conditions(TermStyle) const;
  std::variant<Term, Refusal> value(const clang::Expr*, const Term& mask, bool taken, const Form&, Recipe&);
  std::variant<Term, Refusal> stepValue(const ArmStep&, const Term& mask, bool taken, const Form&, Recipe&);
  std::vector<const ArmStep*> places() const;
  void declareLocals(const Arm&, Recipe&);
  bool any(llvm::function_ref<bool(const ArmStep&)>) const;
  std::optional<Refusal> problem() const;
  std::vector<const Arm*> arms() const;
  Refusal refusal(std::string reason, const clang::Stmt* at) const { return {std::move(reason), at->getBeginLoc()}; }

  const clang::Stmt* target_;
  clang::SourceRange range_;
  Chain chain_;
  clang::ASTContext& context_;
};

/// `if (c) return a; S; return b;` as `auto early = c; S; return torch::where(early, a, b);`
Offer earlyReturn(const clang::IfStmt*, const clang::Expr* returned, TermStyle, clang::ASTContext&);

}  // namespace lint
