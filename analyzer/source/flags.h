// What every parse adds to a translated command.
#pragma once

#include "analyzer/engine.h"

#include <string>
#include <vector>

namespace lint {

/// The arguments Clang parses the file with: those of the command, which `translate` has made, without warnings, and the file
/// last. args[0] is the name of Clang's driver.
std::vector<std::string> frontendFlags(const CompileCommand&);

/// What Clang's driver takes from the environment, as text: it belongs to the command.
std::string frontendEnvironment();

/// Folder of Clang's own headers (stddef.h ...): where Clang was when torch-tidy was built, beside Clang's library, beside the
/// program, and below clang in the search path.
struct Resources {
  std::string folder;  // empty: not found
  std::vector<std::string> lookedIn;
};
Resources findResourceDirectory();

}  // namespace lint
