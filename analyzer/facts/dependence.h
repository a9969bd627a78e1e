// Which tensors came from a function's own tensor parameters.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

namespace lint {

/// The expression names a tensor parameter of the function, or a local that was given a value from one.
bool dependsOnInput(const clang::Expr*, const clang::FunctionDecl*);

/// For a creation such as `torch::zeros({32, 8}, x.options())`: the input tensor named in its arguments, or the one that
/// its result is combined with in the same expression. Null when there is none.
const clang::Expr* inputBeside(const clang::CallExpr* creation, const clang::FunctionDecl*, clang::ASTContext&);

/// The braced list that an argument was written as, through the conversions of its parameter.
const clang::InitListExpr* bracedList(const clang::Expr* argument);

}  // namespace lint
