// A host expression over values read from tensors, as a tensor expression: `x.item<float>() > 0` is `x > 0`.
#pragma once

#include "analyzer/rewrite/candidate.h"

#include "clang/AST/ASTContext.h"

namespace lint {

struct Term {
  std::string text;
  bool atom = true;   // can stand beside any operator without parentheses
  bool whole = true;  // all of it is written in the file; false where a macro is in the way
  std::function<rt::Slot(Lowering&)> lower;
  std::vector<TextEdit> edits;  // declarations of locals that the term makes superfluous, or that become tensors
  std::map<const clang::ValueDecl*, std::function<rt::Slot(Lowering&)>> redeclared;  // those
  std::string assumes;          // a condition that nobody can check: "the tensors are on one device"
  /// Takes over what another term needs beside its text.
  void needs(const Term& other);
  std::string operand() const { return atom ? text : "(" + text + ")"; }
};

/// What is done to each tensor that was read. `item()` throws unless there is one element, and compares a float as a double;
/// a tensor comparison does neither.
enum class TermStyle : uint8_t { plain, singleElement, widened };

std::variant<Term, Refusal> tensorTerm(const clang::Expr* host, TermStyle, clang::ASTContext&);
/// The same, as a condition: of dtype bool.
std::variant<Term, Refusal> tensorCondition(const clang::Expr* host, TermStyle, clang::ASTContext&);
/// The styles worth trying for this condition, plain first.
std::vector<TermStyle> stylesFor(const clang::Expr* host, clang::ASTContext&);

/// The value of the term at this point: cut off from the gradient if `cut`, and not changed by writes to the tensor that was read.
Term snapshot(const clang::Expr* host, Term, bool cut);
/// The dtype of a read tensor says nothing of the dtypes of what it was computed from: of a comparison, of argmax.
bool hasOwnDType(const clang::Expr* tensor);
/// An expression of the source, as it is.
Term sourceTerm(const clang::Expr*, clang::ASTContext&);
/// A tensor beside a number or another tensor.
Term infixTerm(Term left, const std::string& spelling, rt::Op, Term right);
/// A call of a function with the terms as arguments.
Term callTerm(const std::string& function, rt::Op, std::vector<Term> arguments);

}  // namespace lint
