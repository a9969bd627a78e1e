// Flag by flag, as Clang's own option table reads them: what stays, what goes, and why.
#pragma once

#include "analyzer/source/change.h"

#include <string>
#include <vector>

namespace lint {

struct Filtered {
  std::vector<std::string> flags;
  std::string language;  // of -x; it is not among the flags
  std::string cudaPath;  // of --cuda-path
};

/// `files` are the inputs that may stand in the command: this file, and the one that the command was written for. Relative
/// paths start at `directory`.
Filtered filterFlags(const std::vector<std::string>& words, const std::string& directory, const std::vector<std::string>& files,
                     std::vector<Change>& changes);

}  // namespace lint
