// Writes fixes into files: all edits of a fix or none, each file at once, and back if the result does not compile.
#pragma once

#include "analyzer/diagnostic.h"

#include <functional>
#include <string>
#include <vector>

namespace lint {

struct Applied {
  int fixes = 0;                      // applied
  std::vector<std::string> messages;  // what was left alone or put back, and why
  bool failed = false;                // a file could not be written, or was put back
};

/// The text with the edits made. They must not overlap.
std::string withEdits(std::string text, std::vector<Edit> edits);

/// Applies the fixes in order. One that overlaps an earlier one is left for the next run; one that says the same as an
/// earlier one (from another translation unit) is the same fix. `check` compiles a written file again and returns the first
/// error, or nothing. Files are replaced atomically and keep their mode.
Applied applyFixes(const std::vector<const Fix*>&, const std::function<std::string(const std::string& file)>& check);

}  // namespace lint
