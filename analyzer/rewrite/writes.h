// What a statement may change: variables that it binds anew, tensors that it writes to, the gradient mode.
#pragma once

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"

#include <optional>
#include <set>

namespace lint {

/// A call that writes through a tensor: `x.add_(1)`, `x += 1`, `x[0] = y`, `fill_diagonal_(x)`, `torch::add_out(x, ...)`.
bool writesInPlace(const clang::Expr*);
/// Every variable or member that a statement may change. A lambda may change what it captures by reference.
std::set<const clang::ValueDecl*> writtenBy(const clang::Stmt*);
/// The first write in place that stands behind a location.
const clang::Stmt* writeInPlaceAfter(clang::SourceLocation, const clang::Stmt* in, const clang::SourceManager&);
/// Whether gradients are recorded from this declaration on: false for NoGradGuard and InferenceMode, as it says for
/// AutoGradMode; nothing for other statements.
std::optional<bool> gradModeSetBy(const clang::Stmt*, clang::ASTContext&);
/// A member that some constructor gives what register_buffer returns.
bool isBuffer(const clang::ValueDecl*);
/// A return, break, continue or goto in it, those of lambdas aside.
bool leaves(const clang::Stmt*);

}  // namespace lint
