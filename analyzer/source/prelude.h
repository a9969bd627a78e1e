// What a file includes of other people's libraries before anything else could change how they read: told from its lines alone.
#pragma once

#include "analyzer/engine.h"

#include <map>
#include <string>
#include <vector>

namespace lint {

struct Prelude {
  /// Directives in the order of the file, and of the project's headers that it includes: includes, and macros that are
  /// defined before one of them.
  std::string text;
  /// Where the text may end, behind an include; ascending.
  std::vector<size_t> ends;
  /// The first end behind one of LibTorch's headers; 0: none is included.
  size_t usual = 0;
  /// Why it does not go on: "'NDEBUG' is defined under a condition before <torch/torch.h>"; empty: there is no more.
  std::string stopped;
};

/// Conditions are not evaluated, so a guess can be wrong: then the parse that stands on it has errors, or says the same.
Prelude preludeOf(const CompileCommand&, const std::map<std::string, std::string>& unsaved);

}  // namespace lint
