// What the user wrote, below the nodes that Clang puts around it.
#pragma once

#include "runtime/program.h"

#include "clang/AST/Expr.h"

#include <optional>
#include <string>

namespace lint {

/// Looks through parentheses, temporaries, cleanups, copies and casts that change nothing.
const clang::Expr* strip(const clang::Expr*);
/// Looks also through the conversions that a call's parameter asked for, and through default arguments.
const clang::Expr* written(const clang::Expr*);
/// Is this the place of a variable or of a member of `this`? Then its declaration.
const clang::ValueDecl* placeOf(const clang::Expr*);
/// The host types that programs know; unsigned and small integers are not among them.
std::optional<rt::HostType> hostTypeOf(clang::QualType);
/// `+` of `+=`.
clang::OverloadedOperatorKind withoutAssignment(clang::OverloadedOperatorKind);
/// std::nullopt, or torch::indexing::None.
bool isAbsent(const clang::Expr*);
/// The canonical type without references and cv, as Clang spells it.
std::string typeName(clang::QualType);
/// A function or method of LibTorch that has a plain name, if the call is one.
const clang::FunctionDecl* torchCallee(const clang::CallExpr*);

}  // namespace lint
