// What the arms of a branch do, as far as a rewrite can take it: give variables new values, write to tensors in place, return.
#pragma once

#include "analyzer/rewrite/term.h"

#include "clang/AST/StmtCXX.h"

namespace lint {

/// A variable gets a new value, or is written to in place: then `value` is what would be written.
struct ArmStep {
  const clang::Expr* place = nullptr;
  Term value;
  const clang::Expr* whole = nullptr;   // the expression of the value, or of the write in place
  bool inPlace = false;
  std::optional<double> number;         // the value is this number everywhere: 0 of x.zero_(), 3 of torch::full_like(x, 3)
};

struct Arm {
  std::vector<const clang::DeclStmt*> locals;  // declared in the arm, before the first step
  std::vector<ArmStep> steps;
  const clang::Expr* returned = nullptr;       // instead of steps
};

std::variant<Arm, Refusal> armOf(const clang::Stmt*, clang::ASTContext&);

/// `if (a) ... else if (b) ... else ...`: the conditions and one arm more, which may be absent.
struct Chain {
  std::vector<const clang::Expr*> conditions;
  std::vector<Arm> arms;
  std::optional<Arm> otherwise;
  const clang::Stmt* last = nullptr;           // the text ends where this one does
};

std::variant<Chain, Refusal> chainOf(const clang::IfStmt*, clang::ASTContext&);

}  // namespace lint
