// Where reports go.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace llvm { class raw_ostream; }

namespace lint {

/// Writes a file whole or not at all; a device, a pipe or a link is written to as it is, and stays what it is. Returns why it
/// could not be written.
std::string writeFile(const std::string& file, llvm::function_ref<void(llvm::raw_ostream&)> write);

/// Flushes standard output and makes its failure harmless, which would end the program when it exits. Returns why it could
/// not be written.
std::string closeStandardOutput();

}  // namespace lint
