// One run of the command line over many files: which ones, what is known of them, the rest analysed in worker processes, and
// what is made of the findings.
#pragma once

#include "analyzer/command-line.h"
#include "analyzer/registry.h"

#include <vector>

namespace lint {

constexpr int exitClean = 0, exitFound = 1, exitBroken = 2, exitInterrupted = 130;

/// Says what is wrong, and returns the exit code for it.
int complain(const std::string& message);

/// Returns the exit code.
int lintFiles(const CommandLine&, std::vector<CheckEntry> checks);

}  // namespace lint
