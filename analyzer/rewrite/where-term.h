// What the candidates with torch::where share.
#pragma once

#include "analyzer/rewrite/term.h"

namespace lint {

Term whereTerm(Term condition, Term taken, Term other);
/// The heart of a rewrite, for a message: without `torch::`, on one line.
std::string briefOf(const Term&);
/// A literal.
Term numberTerm(double);
/// The dtypes that the reads below a host expression can mean; empty: all.
std::vector<rt::DType> dtypesFor(const clang::Expr* host, clang::ASTContext&);

}  // namespace lint
