// A rewrite that a check offers: the text for the file, and the same change for the lowered program, made from one recipe.
#pragma once

#include "runtime/program.h"

#include "clang/AST/Expr.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lint {

class Lowering;

/// New text for a range of tokens.
struct TextEdit {
  clang::SourceRange tokens;
  std::string text;
  bool removesStatement = false;  // also the semicolon and, when it stands alone there, the line
};

struct Candidate {
  const clang::Stmt* target = nullptr;  // the statement or expression that is replaced
  std::vector<TextEdit> edits;
  std::string shown;                    // the new code on one line
  std::string brief;                    // its heart, for "... differs": "where(total < 0, u + 55, u)"
  /// Lowers the replacement. For an expression, returns its slot; for a statement, -1 after assigning.
  std::function<rt::Slot(Lowering&)> lower;
  /// Host locals that the rewrite declares as tensors, with what they then hold.
  std::map<const clang::ValueDecl*, std::function<rt::Slot(Lowering&)>> redeclared;
  std::string assumes;                  // a condition that running it cannot check
  std::string repair;                   // what had to be done so that the rewrite holds: "'x' is replaced where ..."
  std::optional<int64_t> firstSize;     // the claim is made for tensors whose first size is this
  /// The dtypes that the code can mean; empty: all. `item<float>()` is written for tensors no wider than float32.
  std::vector<rt::DType> dtypes;
};

/// Why there is no candidate: "the condition mixes host and tensor values", and where.
struct Refusal {
  std::string reason;
  clang::SourceLocation at;
};

using Offer = std::variant<Candidate, Refusal>;

}  // namespace lint
