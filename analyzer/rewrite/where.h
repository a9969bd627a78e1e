// Candidates that keep a choice on the device: torch::where for a branch, a tensor comparison for a host one.
#pragma once

#include "analyzer/rewrite/candidate.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"

namespace lint {

/// A chain of `if`, `else if` and `else` whose arms give tensors new values, write to them in place, or return one; also
/// `if (c) return a; ... return b;`. The nicest candidate comes first, what repairs it comes last.
std::vector<Offer> whereOffers(const clang::IfStmt*, clang::ASTContext&);
/// The same, by cases.
std::vector<Offer> whereOffers(const clang::SwitchStmt*, clang::ASTContext&);
/// `c ? a : b` of tensors, or of numbers that only tensor arithmetic uses.
std::vector<Offer> whereOffers(const clang::ConditionalOperator*, clang::ASTContext&);
/// A number read from a tensor that enters arithmetic with tensors: the tensor itself, cut off from the gradient.
std::vector<Offer> readOffers(const clang::CallExpr*, clang::ASTContext&);
/// A host comparison whose consumer takes tensors.
std::vector<Offer> comparisonOffers(const clang::BinaryOperator*, clang::ASTContext&);
/// A literal size that stands for the first size of `tensor`, which is spelled `name`.
Offer firstSizeOffer(const clang::IntegerLiteral*, const clang::Expr* tensor, const std::string& name, clang::ASTContext&);

}  // namespace lint
