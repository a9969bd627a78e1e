// Which program a command calls: the compiler behind its wrappers, told by the end of its name.
#pragma once

#include "analyzer/source/change.h"

#include <string>
#include <vector>

namespace lint {

/// What the flags are written for. `gnu` stands for g++ and all that take its flags, MPI's wrappers among them.
enum class Family : uint8_t { gnu, clang, nvcc };

struct Compiler {
  Family family = Family::gnu;
  std::string program;    // as written: "/opt/gcc/bin/x86_64-linux-gnu-g++-12"
  std::string target;     // "x86_64-linux-gnu", from the name; empty: none is named
  std::string version;    // "12", from the name
  std::string remark;     // what is not known of it: its name, or flags that it adds by itself
  std::string directory;  // of a leading `cd DIR &&`; empty: none
};

/// Takes the compiler and what stands before it off the words; a note of each goes to `changes`. Without a compiler `program`
/// is empty.
Compiler takeCompiler(std::vector<std::string>& words, std::vector<Change>& changes);

/// Flags that show Clang the target and the standard library which this compiler would use, where Clang alone would look
/// elsewhere. `libcxx`: the command asks for libc++.
std::vector<std::string> libraryFlags(const Compiler&, bool libcxx);

}  // namespace lint
