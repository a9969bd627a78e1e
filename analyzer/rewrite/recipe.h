// A candidate under construction: lines of text, each with the steps that it stands for.
#pragma once

#include "analyzer/rewrite/term.h"

namespace lint {

class Recipe {
 public:
  /// `text` gets a semicolon; `run` lowers the same.
  void line(std::string text, const Term& needs, std::function<void(Lowering&)> run);
  /// `auto name = term;`: afterwards the term is the name.
  Term hoist(const std::string& name, const Term&);
  void needs(const Term&);

  /// In the place of a statement. `brief` is the heart of it; `ownSemicolon`: the statement's own one remains.
  Offer inPlaceOf(const clang::Stmt* target, clang::SourceRange, bool ownSemicolon, clang::ASTContext&) const;
  /// The same, only where the host's condition holds.
  Offer inPlaceOf(const clang::Stmt* target, clang::SourceRange, bool ownSemicolon, const clang::Expr* hostCondition, clang::ASTContext&) const;

  std::string brief, repair;

 private:
  struct Line {
    std::string text;
    std::function<void(Lowering&)> run;
  };
  std::vector<Line> lines_;
  Term gathered_;  // what the lines need beside their text
};

}  // namespace lint
