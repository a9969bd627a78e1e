// Candidates that keep a choice on the device: torch::where for a branch, a tensor comparison for a host one.
#pragma once

#include "analyzer/rewrite/candidate.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"

namespace lint {

/// `if (c) v = a;`, with or without `else v = b;`, and `if (c) return a; return b;`. The nicest candidate comes first.
std::vector<Offer> whereOffers(const clang::IfStmt*, clang::ASTContext&);
/// `c ? a : b` of tensors.
std::vector<Offer> whereOffers(const clang::ConditionalOperator*, clang::ASTContext&);
/// A host comparison whose consumer takes tensors.
std::vector<Offer> comparisonOffers(const clang::BinaryOperator*, clang::ASTContext&);
/// A literal size that stands for the first size of `tensor`, which is spelled `name`.
Offer firstSizeOffer(const clang::IntegerLiteral*, const clang::Expr* tensor, const std::string& name, clang::ASTContext&);

}  // namespace lint
