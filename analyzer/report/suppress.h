// NOLINT comments, as clang-tidy reads them: NOLINT on the line, NOLINTNEXTLINE before it, NOLINTBEGIN ... NOLINTEND around
// it; alone, or with a list of names or globs in parentheses. A check is known by its name and by "torch-" plus its name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lint {

class Suppressions {
 public:
  explicit Suppressions(std::string_view text);
  /// `line` is where the finding stands, `statement` where the statement around it begins; both count from 1.
  bool covers(std::string_view check, unsigned line, unsigned statement) const;

 private:
  struct Comment { unsigned firstLine, lastLine; std::string names; };  // names: empty means all
  std::vector<Comment> comments_;
};

/// `*` stands for any text. Lists are separated by commas; a leading `-` takes away what came before.
bool matchesGlobs(std::string_view globs, std::string_view name);

}  // namespace lint
