// Host numbers that could stay tensors: would the code still compile, and mean the same, if a local held the tensor?
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

namespace lint {

/// All uses of the local are operands of tensor arithmetic, or of comparisons in the conditions of one if-else chain (which a
/// rewrite of that chain turns into tensor comparisons). Without `compared`, tensor arithmetic only.
bool couldBeTensor(const clang::VarDecl*, clang::ASTContext&, bool compared = true);

/// A use outside of conditions: the number enters arithmetic with tensors.
bool entersArithmetic(const clang::VarDecl*, clang::ASTContext&);

/// The declaration, if it declares this variable alone and is written out in the file.
const clang::DeclStmt* ownDeclaration(const clang::VarDecl*, clang::ASTContext&);

/// A name like `wanted` that the function around the statement does not use.
std::string unusedName(const std::string& wanted, const clang::Stmt* at, clang::ASTContext&);

}  // namespace lint
