#include "analyzer/rewrite/prove.h"

#include "analyzer/rewrite/lower.h"

namespace lint {
namespace {

// Sizes are unknown for most inputs: the claim about a first size is made for all tensors that are not parameters.
void fixFirstSizes(rt::VerifyOptions& options, const rt::Program& program, int64_t size) {
  for (int i = 0; i < static_cast<int>(program.inputs.size()); ++i)
    if (!program.inputs[i].parameter && program.slots[program.inputs[i].slot].tensor) options.fixedSizes.push_back({i, size});
}

Proven attempt(const Candidate& candidate, Extent extent, rt::VerifyOptions options, clang::ASTContext& context) {
  InputTable inputs;
  auto before = Lowering(context, inputs, candidate.target, extent).lower();
  if (auto* refused = std::get_if<Refusal>(&before)) return {&candidate, {}, *refused};
  auto after = Lowering(context, inputs, candidate.target, extent).lower(&candidate);
  if (auto* refused = std::get_if<Refusal>(&after)) return {&candidate, {}, *refused};
  Lowered& original = std::get<Lowered>(before);
  Lowered& rewritten = std::get<Lowered>(after);
  if (original.drawn != rewritten.drawn) return {&candidate, {}, Refusal{"the rewrite draws random numbers in another order", candidate.target->getBeginLoc()}};
  matchInputs(original, rewritten, inputs);
  for (const rt::Program* program : {&original.program, &rewritten.program})
    if (!rt::malformed(*program).empty()) return {&candidate, {}, Refusal{"a value is needed on the host elsewhere", candidate.target->getBeginLoc()}};
  if (!candidate.dtypes.empty()) options.dtypes = candidate.dtypes;
  if (candidate.firstSize) fixFirstSizes(options, original.program, *candidate.firstSize);
  return {&candidate, rt::verify(original.program, rewritten.program, options), {}};
}

// With unknown shapes the whole body may throw on every input; then less of it is run.
Proven proveOne(const Candidate& candidate, const rt::VerifyOptions& options, clang::ASTContext& context) {
  Proven result;
  for (Extent extent : {Extent::wholeBody, Extent::upToTarget, Extent::targetOnly}) {
    Proven tried = attempt(candidate, extent, options, context);
    bool decided = !tried.refusal && tried.verdict.kind != rt::Verdict::Kind::notVerified;
    if (decided) return tried;
    if (extent == Extent::wholeBody || (result.refusal && !tried.refusal)) result = std::move(tried);
  }
  return result;
}

}  // namespace

Proven prove(const std::vector<Offer>& offers, const rt::VerifyOptions& options, clang::ASTContext& context) {
  std::optional<Proven> best;
  for (const Offer& offer : offers) {
    Proven tried;
    if (auto* refused = std::get_if<Refusal>(&offer)) tried.refusal = *refused;
    else tried = proveOne(std::get<Candidate>(offer), options, context);
    using Kind = rt::Verdict::Kind;
    Kind kind = tried.verdict.kind;
    if (!tried.refusal && kind == Kind::tested) return tried;
    bool holds = !tried.refusal && kind == Kind::conditional;
    bool bestHolds = best && !best->refusal && best->verdict.kind == Kind::conditional;
    if (!best || (holds && !bestHolds)) best = std::move(tried);
  }
  return best ? std::move(*best) : Proven{};
}

}  // namespace lint
