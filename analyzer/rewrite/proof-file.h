// Verdicts in a file: the two programs, the inputs, what was found. They can be run again, and printed as C++.
#pragma once

#include "runtime/verify/verify.h"

#include <string>
#include <vector>

namespace lint {

struct ProofRecord {
  std::string file, check, shown;  // the place and the rewrite, as reported
  unsigned line = 0;
  rt::Program before, after;
  rt::VerifyOptions options;
  rt::Verdict verdict;
};

/// One record as a JSON object.
std::string toJson(const ProofRecord&);
/// The whole file: `version` is torch-tidy's.
std::string proofFile(const std::vector<std::string>& records, const std::string& version);
/// Returns what is wrong with the text.
std::string readProofs(const std::string& text, std::vector<ProofRecord>&);

/// "tested on 1160 inputs", "refuted: at x = 0 ...".
std::string summary(const rt::Verdict&);
/// A program for LibTorch that runs both versions on the record's example and prints what each gives.
std::string standAlone(const ProofRecord&);

}  // namespace lint
