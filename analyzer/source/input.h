// Whether there is something to read.
#pragma once

#include <string>

namespace lint {

/// Why a file cannot be read as a source; empty: it can. `real` becomes its path without links: a file with two names is one.
std::string whyUnreadable(const std::string& file, std::string& real);

}  // namespace lint
