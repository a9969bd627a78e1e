// The command line: one table of flags, from which parsing and --help are made.
#pragma once

#include "analyzer/source/database.h"

#include <string>
#include <vector>

namespace lint {

enum class Mode : uint8_t { lint, languageServer, cache, help, version, listChecks, checksPage, explain, opsPage, showCommand, replay };
enum class FailOn : uint8_t { none, warning, error };

struct CommandLine {
  Mode mode = Mode::lint;
  std::vector<std::string> files;        // as given
  Database::Settings database;
  std::string checks = "*";              // globs
  std::string explained;                 // the check of --explain
  std::string shownFile;                 // the file of --show-command
  std::string proofs;                    // the file of --verify-report
  bool cpp = false;                      // replay as C++
  std::string format = "text", output;   // output: a file; empty: standard output
  std::string cacheDir;
  uint64_t cacheSize = 4096;             // MB
  int jobs = 0, maxMemory = 0;           // MB of one file; 0: as the machine allows
  double timeout = 120;                  // seconds of one file; 0: no limit
  std::string progress = "auto";
  FailOn failOn = FailOn::warning;
  bool fix = false, unsafeFixes = false, quiet = false, stats = false, verify = true, preamble = true, cache = true;
  std::string colour = "auto";
  std::string error;                     // what is wrong with the command line, and what to do
};

CommandLine parseCommandLine(const std::vector<std::string>& arguments);
std::string helpText();

/// Below the current folder unless absolute already; without dots.
std::string absolutePath(const std::string&);

/// The candidate nearest to a misspelt word; empty when none is near.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace lint
