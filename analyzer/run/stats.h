// What --stats tells.
#pragma once

#include "analyzer/run/analysis.h"

namespace lint {

/// "preamble used, preamble 0.000 s, parse 0.186 s, ... total 0.201 s, 208 MB"
std::string statsLine(const Unit&);
/// How many files were replayed and analysed, and why preambles were not used.
std::string statsSummary(const std::vector<Unit>&, size_t preamblesBuilt);

}  // namespace lint
