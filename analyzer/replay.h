// `torch-tidy replay FILE`: the verdicts of a --verify-report, tried once more.
#pragma once

#include <string>

namespace llvm { class raw_ostream; }

namespace lint {

/// Runs each record again and tells what comes out, or prints each as C++ for LibTorch. `same` becomes false where a verdict
/// is another one than in the file. Returns what is wrong with the file.
std::string replay(const std::string& file, bool cpp, llvm::raw_ostream&, bool& same);

}  // namespace lint
