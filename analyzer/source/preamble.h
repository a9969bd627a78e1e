// The shared preamble: LibTorch's headers, precompiled once per LibTorch and flags with function bodies skipped. A file
// parsed on top of it costs a fraction of a second instead of sixteen; its own bodies, and those of the project's own
// headers, are always parsed in full.
#pragma once

#include "analyzer/engine.h"

#include <string>

namespace lint {

struct Preamble {
  std::string path;    // of the precompiled header; empty when there is none
  std::string status;  // "used", "built", or the reason why there is none
};

/// Finds or builds the preamble of this file in `cacheDir`. The file is replaced atomically, so concurrent runs are safe:
/// at worst both build it. `rebuild` ignores one that exists (it failed to load: a header has changed).
Preamble preambleFor(const CompileCommand&, const std::string& cacheDir, const std::map<std::string, std::string>& unsaved,
                     bool rebuild = false);

/// What decides whether a preamble may stand in front of a file: the LibTorch header that it includes first, and whether a
/// macro is defined before that (then it may not: the header could behave differently).
struct FirstInclude {
  std::string header;  // "torch/torch.h"; empty when no LibTorch header is included
  std::string macro;   // the macro that stands before it
};
FirstInclude firstTorchInclude(const CompileCommand&, const std::map<std::string, std::string>& unsaved);

}  // namespace lint
