// The build's command, made digestible for Clang's frontend.
#pragma once

#include "analyzer/engine.h"

#include <string>
#include <vector>

namespace lint {

/// The arguments Clang parses the file with: the recorded ones without outputs, dependency files, warning options and
/// what only other compilers know, and with our resource directory. args[0] is a compiler name, the file comes last.
std::vector<std::string> frontendFlags(const CompileCommand&);

/// Folder of Clang's own headers (stddef.h ...); empty when it is not found.
std::string resourceDirectory();

}  // namespace lint
