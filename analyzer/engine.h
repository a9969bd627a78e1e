// One translation unit through the pipeline: parse, match, inspect, verify, suppress, sort.
#pragma once

#include "analyzer/cache/witness.h"
#include "analyzer/diagnostic.h"

#include <map>
#include <string>
#include <vector>

namespace lint {

/// How one file is compiled. `command[0]` is the compiler.
struct CompileCommand {
  std::string file;       // absolute
  std::string directory;  // absolute; relative paths in the command start here
  std::vector<std::string> command;
};

class Preambles;

struct Options {
  std::vector<const struct Check*> checks;  // enabled ones; see registry.h
  Preambles* preambles = nullptr;           // null: LibTorch's headers are parsed with every file
  bool build = true;                        // a preamble that is not there
  bool verify = true;                       // run the offered rewrites
  bool keepProofs = false;                  // fill UnitReport::proofs
  bool editor = false;                      // a file with errors is not parsed again without the preamble
};

/// What the report rests on, apart from the command and the options.
struct Reading {
  std::vector<Witness> witnesses;
  std::string preamble;     // that the parse stood on, by name; empty: none
  Digest preambleDigest{};  // of the files that it was made from
  bool repeatable = true;   // false: the same files may give something else
};

struct UnitReport {
  std::vector<Diagnostic> findings;  // sorted by file, position, check; suppressed ones are gone
  std::vector<Diagnostic> errors;    // the compiler's own errors; findings may be incomplete then
  std::string failure;               // set when the file could not be analysed at all: what, where, what to do
  std::string torchVersion;          // "2.15", of the unit's own headers; empty without LibTorch
  std::vector<std::string> proofs;   // JSON objects, one a rewrite that was run (rewrite/proof-file.h)
  int suppressed = 0;
  std::vector<std::pair<std::string, double>> seconds;  // by phase, in order: "preamble", "parse", "match", "verify"
  std::string preamble;              // "used", "built", or the reason why none was used
  Reading reading;
};

/// Never throws. `unsaved` maps absolute paths to contents that stand in for the files on disk.
UnitReport analyze(const CompileCommand&, const Options&, const std::map<std::string, std::string>& unsaved = {});

}  // namespace lint
