#include "analyzer/rewrite/recipe.h"

#include "analyzer/rewrite/lower.h"
#include "analyzer/source/range.h"

#include "clang/Lex/Lexer.h"

namespace lint {

using namespace clang;

namespace {

std::string indentAt(SourceLocation at, const SourceManager& sources) { return std::string(sources.getSpellingColumnNumber(at) - 1, ' '); }

// The comments inside a range, which a rewrite of the range must keep.
std::string commentsIn(SourceRange range, ASTContext& context) {
  const SourceManager& sources = context.getSourceManager();
  std::string text = textOf(sources, context.getLangOpts(), range), kept;
  LangOptions language = context.getLangOpts();
  Lexer lexer(range.getBegin(), language, text.data(), text.data(), text.data() + text.size());
  lexer.SetCommentRetentionState(true);
  Token token;
  while (!lexer.LexFromRawLexer(token))
    if (token.is(tok::comment)) {
      unsigned offset = sources.getFileOffset(token.getLocation()) - sources.getFileOffset(range.getBegin());
      kept += llvm::StringRef(text).substr(offset, token.getLength()).rtrim().str() + "\n" + indentAt(range.getBegin(), sources);
    }
  return kept;
}

}  // namespace

void Recipe::needs(const Term& term) {
  gathered_.needs(term);
  gathered_.whole &= term.whole;
}

void Recipe::line(std::string text, const Term& term, std::function<void(Lowering&)> run) {
  needs(term);
  lines_.push_back({std::move(text), std::move(run)});
}

Term Recipe::hoist(const std::string& name, const Term& term) {
  auto slot = std::make_shared<rt::Slot>(-1);
  line("auto " + name + " = " + term.text, term, [slot, name, lower = term.lower](Lowering& into) { *slot = into.local(name, lower(into)); });
  Term named;
  named.text = name;
  named.lower = [slot](Lowering&) { return *slot; };
  return named;
}

Offer Recipe::inPlaceOf(const Stmt* target, SourceRange range, bool ownSemicolon, ASTContext& context) const {
  return inPlaceOf(target, range, ownSemicolon, nullptr, context);
}

Offer Recipe::inPlaceOf(const Stmt* target, SourceRange range, bool ownSemicolon, const Expr* hostCondition, ASTContext& context) const {
  Term host;
  if (hostCondition) host = sourceTerm(hostCondition, context);
  if (!gathered_.whole || !host.whole || lines_.empty()) return Refusal{"a macro is in the way", target->getBeginLoc()};
  const SourceManager& sources = context.getSourceManager();
  std::string indent = indentAt(range.getBegin(), sources), text = commentsIn(range, context), shown;
  bool braces = hostCondition && lines_.size() > 1;
  if (hostCondition) text += "if (" + host.text + ") " + (braces ? "{\n" + indent + "  " : "");
  for (size_t i = 0; i < lines_.size(); ++i) {
    bool last = i + 1 == lines_.size();
    text += lines_[i].text + (last && ownSemicolon && !braces ? "" : ";") + (last ? "" : "\n" + indent + (braces ? "  " : ""));
    shown += (i ? " " : "") + lines_[i].text + ";";
  }
  if (braces) text += "\n" + indent + "}";
  Candidate candidate;
  candidate.target = target;
  candidate.shown = oneLine((hostCondition ? "if (" + host.text + ") " : "") + shown);
  candidate.brief = brief;
  candidate.edits = gathered_.edits;
  candidate.edits.push_back({range, text});
  candidate.redeclared = gathered_.redeclared;
  candidate.assumes = gathered_.assumes;
  candidate.repair = repair;
  candidate.lower = [lines = lines_, hostCondition](Lowering& into) -> rt::Slot {
    auto run = [&] {
      for (const Line& line : lines) line.run(into);
    };
    if (hostCondition) into.onlyIf(hostCondition, run);
    else run();
    return -1;
  };
  return candidate;
}

}  // namespace lint
