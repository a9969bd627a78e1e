// From the command that the build gives to one that Clang's frontend takes, with the reason of every change.
#pragma once

#include "analyzer/engine.h"
#include "analyzer/source/change.h"

#include <string>
#include <vector>

namespace lint {

/// What the user changes in every command.
struct Adjustments {
  std::vector<std::string> removed;  // --removed-arg: words as they are given; a `*` at the end stands for any rest
  std::vector<std::string> before;   // --extra-arg-before
  std::vector<std::string> extra;    // --extra-arg
};

struct Translation {
  CompileCommand command;  // command[0] is "clang++" or "clang"; flags only, without the file
  std::vector<Change> changes;
  std::string remark;      // what torch-tidy does not know of this compiler, or did not find; empty: nothing
  std::string error;       // why there is no command
};

/// A command as it was found.
struct Given {
  CompileCommand command;    // command.command starts with a program, wrappers before it
  std::string lender;        // the file that the command was written for; empty: this one
  bool flagsOnly = false;    // not written for a certain compiler (flags behind `--`)
};

Translation translate(const Given&, const Adjustments&);

}  // namespace lint
