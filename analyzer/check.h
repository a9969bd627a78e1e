// What a check is. A check file holds a comment with its idea, a pattern, and `inspect`, which decides and words the
// finding. Everything else is the engine's: locations, macros, templates, suppression, duplicates, sorting, verification
// and output. Besides this header a check needs only those in facts/ and rewrite/.
#pragma once

#include "analyzer/diagnostic.h"
#include "analyzer/rewrite/candidate.h"

#include "clang/AST/ASTContext.h"
#include "clang/ASTMatchers/ASTMatchFinder.h"

#include <optional>
#include <string>
#include <vector>

namespace lint {

enum class Category : uint8_t { hostSync, controlFlow, shapes, scalars };

/// The nodes that a pattern bound, and the tree around them.
struct Match {
  const clang::ast_matchers::BoundNodes& nodes;
  clang::ASTContext& context;

  template <typename T>
  const T* get(llvm::StringRef id) const { return nodes.getNodeAs<T>(id); }
};

/// What a check found: a place, a message, and rewrites to try, the nicest first. The engine runs each rewrite and keeps
/// the first that holds.
class Finding {
 public:
  explicit Finding(clang::SourceRange range) : range(range) {}

  Finding& say(std::string text) { message = std::move(text); return *this; }
  Finding& note(clang::SourceRange at, std::string text) { notes.push_back({at, std::move(text)}); return *this; }
  /// A candidate that could not even be formed says why.
  Finding& offer(Offer offer) { offers.push_back(std::move(offer)); return *this; }
  Finding& offer(std::vector<Offer> more) { for (Offer& offer : more) offers.push_back(std::move(offer)); return *this; }

  struct PlacedNote { clang::SourceRange at; std::string text; };
  clang::SourceRange range;
  std::string message;
  std::vector<PlacedNote> notes;
  std::vector<Offer> offers;
};

/// An aggregate of strings and functions. Its variable bears the file's name with underscores.
struct Check {
  const char* summary = "";
  Severity severity = Severity::warning;
  Category category = Category::hostSync;
  const char* since = "";
  clang::ast_matchers::StatementMatcher (*pattern)() = nullptr;
  std::optional<Finding> (*inspect)(const Match&) = nullptr;
};

}  // namespace lint
