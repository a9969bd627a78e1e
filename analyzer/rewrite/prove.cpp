#include "analyzer/rewrite/prove.h"

#include "analyzer/rewrite/lower.h"
#include "analyzer/rewrite/narrowing.h"

#include <functional>

namespace lint {
namespace {

// Sizes are unknown for most inputs: the claim about a first size is made for all tensors that are not parameters.
void fixFirstSizes(rt::VerifyOptions& options, const rt::Program& program, int64_t size) {
  for (int i = 0; i < static_cast<int>(program.inputs.size()); ++i)
    if (!program.inputs[i].parameter && program.slots[program.inputs[i].slot].tensor) options.fixedSizes.push_back({i, size});
}

// Ops whose work grows faster than their input: running them in either case can cost more than the wait that is saved.
constexpr rt::Op expensive[] = {
    rt::Op::mm,     rt::Op::bmm,    rt::Op::matmul, rt::Op::addmm,            rt::Op::baddbmm,          rt::Op::linear,           rt::Op::conv1d,
    rt::Op::conv2d, rt::Op::conv3d, rt::Op::sort,   rt::Op::conv_transpose1d, rt::Op::conv_transpose2d, rt::Op::conv_transpose3d, rt::Op::topk};

void collectExpensive(const rt::Block& block, bool inArm, std::vector<rt::Op>& found) {
  for (const rt::Step& step : block) {
    if (inArm && step.kind == rt::Step::Kind::call && llvm::is_contained(expensive, step.op)) found.push_back(step.op);
    collectExpensive(step.then, true, found);
    collectExpensive(step.otherwise, true, found);
  }
}

// An op that the original runs in an arm, and the rewrite always.
const char* expensiveArm(const rt::Program& before, const rt::Program& after) {
  std::vector<rt::Op> guarded, still;
  collectExpensive(before.body, false, guarded);
  collectExpensive(after.body, false, still);
  for (rt::Op op : guarded)
    if (llvm::count(guarded, op) > llvm::count(still, op)) return rt::info(op).name;
  return nullptr;
}

// What nobody here can check, or whether it pays, is the user's choice.
void weigh(Proven& proven, const rt::Program& before, const rt::Program& after) {
  using Kind = rt::Verdict::Kind;
  rt::Verdict& verdict = proven.verdict;
  if (verdict.kind != Kind::tested && verdict.kind != Kind::conditional) return;
  proven.remark = proven.candidate->repair;
  auto only = [&](const std::string& condition) {
    verdict.kind = Kind::conditional;
    verdict.condition += (verdict.condition.empty() ? "" : " and ") + condition;
  };
  if (!proven.candidate->assumes.empty()) only(proven.candidate->assumes);
  if (const char* op = expensiveArm(before, after)) only(std::string("running '") + op + "' in either case costs less than the wait");
}

// Without a result, and without a write, nothing was compared.
bool showsNothing(const rt::Program& program) {
  std::function<bool(const rt::Block&)> seen = [&](const rt::Block& block) {
    return llvm::any_of(block, [&](const rt::Step& step) {
      using enum rt::Step::Kind;
      return (step.kind == finish && !step.args.empty()) || step.kind == inPlace || step.kind == fail || seen(step.then) || seen(step.otherwise);
    });
  };
  return program.outputs.empty() && !seen(program.body);
}

// What comments say of the inputs: dtypes that a run is made for, and that no gradient is needed.
bool narrow(LoweredPair& pair, rt::VerifyOptions& options, const clang::Stmt* target, clang::ASTContext& context, std::optional<Refusal>& refusal) {
  std::string unknown;
  clang::SourceLocation at;
  auto narrowings = narrowingsAround(target, context, unknown, at);
  if (!unknown.empty()) {
    refusal = Refusal{"'" + unknown + "' is neither a dtype, 'floating' nor 'requires_grad=false'", at};
    return false;
  }
  for (size_t i = 0; i < pair.before.inputs.size(); ++i) {
    auto it = narrowings.find(pair.before.slots[pair.before.inputs[i].slot].name);
    if (it == narrowings.end()) continue;
    if (it->second.constant) pair.before.inputs[i].constant = pair.after.inputs[i].constant = true;
    if (it->second.dtypes.empty()) continue;
    llvm::erase_if(options.dtypes, [&](rt::DType dtype) { return !llvm::is_contained(it->second.dtypes, dtype); });
    if (options.dtypes.empty()) {
      refusal = Refusal{"the comment on '" + it->first + "' leaves no dtype that the reads name", target->getBeginLoc()};
      return false;
    }
  }
  return true;
}

Proven attempt(const Candidate& candidate, Extent extent, rt::VerifyOptions options, clang::ASTContext& context) {
  InputTable inputs;
  auto before = Lowering(context, inputs, candidate.target, extent).lower();
  if (auto* refused = std::get_if<Refusal>(&before)) return {&candidate, {}, *refused};
  auto after = Lowering(context, inputs, candidate.target, extent).lower(&candidate);
  if (auto* refused = std::get_if<Refusal>(&after)) return {&candidate, {}, *refused};
  Lowered& original = std::get<Lowered>(before);
  Lowered& rewritten = std::get<Lowered>(after);
  auto refusal = [&](const char* why) { return Proven{&candidate, {}, Refusal{why, candidate.target->getBeginLoc()}}; };
  if (original.drawn != rewritten.drawn) return refusal("the rewrite draws random numbers in another order");
  matchInputs(original, rewritten, inputs);
  LoweredPair pair{std::move(original.program), std::move(rewritten.program)};
  for (const rt::Program* program : {&pair.before, &pair.after})
    if (!rt::malformed(*program).empty()) return refusal("a value is needed on the host elsewhere");
  if (showsNothing(pair.before)) return refusal("what becomes of the value is not modelled");
  if (!candidate.dtypes.empty()) options.dtypes = candidate.dtypes;
  Proven proven{&candidate};
  if (!narrow(pair, options, candidate.target, context, proven.refusal)) return proven;
  if (candidate.firstSize) fixFirstSizes(options, pair.before, *candidate.firstSize);
  proven.ran = proven.verdict = rt::verify(pair.before, pair.after, options);
  weigh(proven, pair.before, pair.after);
  proven.before = std::move(pair.before);
  proven.after = std::move(pair.after);
  proven.options = std::move(options);
  return proven;
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

std::variant<LoweredPair, Refusal> lowerPair(const clang::FunctionDecl* before, const clang::FunctionDecl* after, clang::ASTContext& context) {
  InputTable inputs;
  std::vector<Lowered> both;
  for (const clang::FunctionDecl* function : {before, after}) {
    auto lowered = Lowering(context, inputs, function).lowerFunction();
    if (auto* refused = std::get_if<Refusal>(&lowered)) return *refused;
    both.push_back(std::move(std::get<Lowered>(lowered)));
  }
  matchInputs(both[0], both[1], inputs);
  return LoweredPair{std::move(both[0].program), std::move(both[1].program)};
}

}  // namespace lint
