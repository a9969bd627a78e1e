// The double where: an arm computes with safe values where it is not taken, so that nothing infinite enters its gradient.
#pragma once

#include "analyzer/rewrite/recipe.h"

namespace lint {

/// The expression with each tensor that it names replaced by a local that `recipe` declares: the tensor where the mask
/// has the value `taken`, a number in the domain of the expression's ops elsewhere.
std::variant<Term, Refusal> safeTerm(const clang::Expr*, const Term& mask, bool taken, Recipe& recipe, const clang::Stmt* target, clang::ASTContext&);

}  // namespace lint
