// Clang's locations as plain ranges.
#pragma once

#include "analyzer/diagnostic.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Basic/LangOptions.h"

namespace lint {

/// The place as a user sees it: in the file, at the use of a macro, never inside its definition.
Range rangeOf(const clang::SourceManager&, clang::SourceLocation);
/// A token range; its end is past the last token.
Range rangeOf(const clang::SourceManager&, const clang::LangOptions&, clang::SourceRange);
/// The text of a token range exactly as written; empty when it is not one piece of one file (a macro is in the way).
std::string textOf(const clang::SourceManager&, const clang::LangOptions&, clang::SourceRange);

/// Every run of white space as one space, none at the start.
std::string oneLine(const std::string&);

}  // namespace lint
