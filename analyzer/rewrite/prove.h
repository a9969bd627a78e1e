// Runs the rewrites that a finding offers and keeps the first that holds.
#pragma once

#include "analyzer/rewrite/candidate.h"
#include "runtime/verify/verify.h"

#include "clang/AST/ASTContext.h"

namespace lint {

struct Proven {
  const Candidate* candidate = nullptr;  // the one the verdict is about; null when none could be formed
  rt::Verdict verdict;
  std::optional<Refusal> refusal;        // why it could not be run, or not even be formed
  std::string remark;                    // what to know of a rewrite that holds: a repair, an expensive arm
  rt::Program before, after;             // what was run, and how, if anything was
  rt::VerifyOptions options;
  rt::Verdict ran;                       // the verdict of that alone
};

/// Tries the offers in order. A tested one wins over a conditional one, that over the first that failed.
Proven prove(const std::vector<Offer>&, const rt::VerifyOptions&, clang::ASTContext&);

/// Two functions of the same parameters, lowered whole, with the same inputs in both; or why one cannot be.
struct LoweredPair { rt::Program before, after; };
std::variant<LoweredPair, Refusal> lowerPair(const clang::FunctionDecl* before, const clang::FunctionDecl* after, clang::ASTContext&);

}  // namespace lint
