#include "analyzer/source/range.h"

#include "clang/Lex/Lexer.h"

namespace lint {
namespace {

void fillEnd(const clang::SourceManager& sources, clang::FileID file, unsigned offset, Range& range) {
  range.end = offset;
  range.endLine = sources.getLineNumber(file, offset);
  range.endColumn = sources.getColumnNumber(file, offset);
}

std::string absolutePath(const clang::SourceManager& sources, clang::FileID file) {
  auto entry = sources.getFileEntryRefForID(file);
  if (!entry) return {};
  llvm::SmallString<256> path(entry->getName());
  sources.getFileManager().makeAbsolutePath(path);
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return path.str().str();
}

}  // namespace

Range rangeOf(const clang::SourceManager& sources, clang::SourceLocation location) {
  Range range;
  auto [file, offset] = sources.getDecomposedLoc(sources.getFileLoc(location));
  range.file = absolutePath(sources, file);
  range.begin = offset;
  range.line = sources.getLineNumber(file, offset);
  range.column = sources.getColumnNumber(file, offset);
  fillEnd(sources, file, offset, range);
  return range;
}

Range rangeOf(const clang::SourceManager& sources, const clang::LangOptions& language, clang::SourceRange tokens) {
  Range range = rangeOf(sources, tokens.getBegin());
  clang::CharSourceRange characters = clang::Lexer::makeFileCharRange(clang::CharSourceRange::getTokenRange(tokens), sources, language);
  if (characters.isInvalid()) {
    clang::SourceLocation end = clang::Lexer::getLocForEndOfToken(sources.getFileLoc(tokens.getEnd()), 0, sources, language);
    characters = clang::CharSourceRange::getCharRange(sources.getFileLoc(tokens.getBegin()), end);
  }
  auto [file, offset] = sources.getDecomposedLoc(characters.getEnd());
  if (file == sources.getDecomposedLoc(characters.getBegin()).first && offset > range.begin) fillEnd(sources, file, offset, range);
  return range;
}

std::string textOf(const clang::SourceManager& sources, const clang::LangOptions& language, clang::SourceRange tokens) {
  if (tokens.getBegin().isMacroID() || tokens.getEnd().isMacroID()) return {};
  return clang::Lexer::getSourceText(clang::CharSourceRange::getTokenRange(tokens), sources, language).str();
}

std::string oneLine(const std::string& text) {
  std::string line;
  for (char c : text)
    if (!isspace(static_cast<unsigned char>(c))) line += c;
    else if (!line.empty() && line.back() != ' ') line += ' ';
  return line;
}

}  // namespace lint
