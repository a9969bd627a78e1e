// `--show-command=FILE`: how a file is compiled, from what the build says to what Clang gets.
#pragma once

#include "analyzer/command-line.h"

namespace llvm { class raw_ostream; }

namespace lint {

/// Returns why there is nothing to show.
std::string showCommand(const CommandLine&, llvm::raw_ostream&);

}  // namespace lint
