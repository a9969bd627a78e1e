// The first steps, on plain words: response files, and nvcc's own options.
#pragma once

#include "analyzer/source/change.h"

#include <string>
#include <vector>

namespace lint {

/// Puts the contents of `@file` (and of nvcc's --options-file) in its place; a file that cannot be read is left out and said.
void readResponseFiles(std::vector<std::string>& words, const std::string& directory, std::vector<Change>& changes);

/// Translates the options of nvcc; flags of the host compiler stay as they are. `hostCompiler` becomes that of -ccbin.
void translateNvcc(std::vector<std::string>& words, std::string& hostCompiler, std::vector<Change>& changes);

}  // namespace lint
