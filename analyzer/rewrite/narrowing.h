// What a comment says of a variable: `// torch-tidy: x: float32`, `// torch-tidy: mask: requires_grad=false`.
#pragma once

#include "runtime/program.h"

#include "clang/AST/ASTContext.h"

#include <map>
#include <string>
#include <vector>

namespace lint {

struct Narrowing {
  std::vector<rt::DType> dtypes;  // that its run is made for; empty: any
  bool constant = false;          // requires no gradient
};

/// By name, of the comments in the function around a statement. A word that is neither a dtype, `floating`, nor
/// `requires_grad=false` ends up in `unknown`, with its place.
std::map<std::string, Narrowing> narrowingsAround(const clang::Stmt*, clang::ASTContext&, std::string& unknown, clang::SourceLocation& at);

}  // namespace lint
