// A switch as a list of cases.
#pragma once

#include "clang/AST/Stmt.h"

#include <optional>
#include <vector>

namespace lint {

/// What a switch does for some values; no values: `default`.
struct Case {
  std::vector<const clang::Expr*> values;
  bool isDefault = false;
  std::vector<const clang::Stmt*> body;  // without the `break` at its end
};

/// The cases in order, if none falls into the next one; the default comes last.
std::optional<std::vector<Case>> casesOf(const clang::SwitchStmt*);

}  // namespace lint
