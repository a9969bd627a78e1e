// Which host values came from a tensor: inside one function, through local variables.
#pragma once

#include "analyzer/facts/torch.h"

#include <vector>

namespace lint {

/// A read that a host value depends on, and the local variable it went through, if any.
struct Flow {
  Read read;
  const clang::VarDecl* through = nullptr;
};

/// The reads that the value of `expr` depends on, in source order: in the expression itself, or in any value given to a
/// host variable that it names. Lambdas inside the expression are not entered.
std::vector<Flow> flowsInto(const clang::Expr* expr);

/// The uses of a host value read from a tensor: every expression that mentions the local variable initialised with it.
std::vector<const clang::DeclRefExpr*> usesOf(const clang::VarDecl*);

/// Whether a read's value ends in a branch condition and nowhere else, directly or through a local.
bool feedsOnlyBranches(const clang::Expr* value, clang::ASTContext&);

/// Whether a read's value is an operand of a comparison (and the comparison is the finding), directly or through a local.
bool feedsOnlyComparisons(const clang::Expr* value, clang::ASTContext&);

}  // namespace lint
