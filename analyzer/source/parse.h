// One run of Clang's frontend over a file.
#pragma once

#include "analyzer/engine.h"

#include "clang/AST/ASTContext.h"
#include "clang/Frontend/CompilerInstance.h"

#include <functional>

namespace lint {

struct ParseResult {
  std::vector<Diagnostic> errors;  // the compiler's own, in order
  bool preambleFailed = false;     // the precompiled header could not be loaded: it is stale or damaged
  bool parsed = false;             // the consumer was called
  std::vector<Witness> witnesses;  // of the files on the disk, less the preamble
  bool repeatable = true;          // see Recorder
};

/// The file's own top-level declarations: those of the file and of headers that are not in the preamble.
using Consumer = std::function<void(clang::CompilerInstance&, const std::vector<clang::Decl*>&)>;

/// Parses the file, on top of `preamble` unless that is empty, and hands the tree over while it lives.
ParseResult parse(const CompileCommand&, const std::string& preamble, const std::map<std::string, std::string>& unsaved, const Consumer&);

/// Writes the precompiled form of the header `command.file` to `output`, atomically. Headers are recorded, except those beside
/// the output.
ParseResult precompile(const CompileCommand&, const std::string& output);

}  // namespace lint
