// compile_commands.json as it stands on disk.
#pragma once

#include "analyzer/engine.h"

#include <string>
#include <vector>

namespace lint {

/// The commands in the order of the file, with absolute files and folders; an entry without what it needs is left out.
struct Entries {
  std::vector<CompileCommand> commands;
  std::vector<size_t> numbers;  // of each command: its place among the file's entries, from 1
  std::string error;            // the file cannot be read or is no such list
};
Entries readEntries(const std::string& file);

/// `file` below `folder` unless absolute; without dots.
std::string absoluteIn(const std::string& folder, const std::string& file);

/// The entry that serves best for a file which has none: of its language, of its name (net.h, net.cpp), near it. -1: there is none.
int nearestEntry(const Entries&, const std::string& file);

}  // namespace lint
