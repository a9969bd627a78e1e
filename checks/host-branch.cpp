#include "analyzer/check.h"
#include "analyzer/facts/context.h"
#include "analyzer/facts/flow.h"
#include "analyzer/rewrite/where.h"

#include "clang/AST/StmtCXX.h"

// A branch or loop whose condition holds a value read from a tensor. The host cannot know where to go before the device
// has computed everything that the value depends on; no CUDA graph and no compiler can look past it. A choice between two
// tensors can stay on the device as torch::where, if computing both changes nothing that anybody sees.

namespace lint {

using namespace clang;
using namespace clang::ast_matchers;

static StatementMatcher pattern() {
  return stmt(anyOf(ifStmt(), conditionalOperator(), whileStmt(), doStmt(), forStmt(), switchStmt())).bind("branch");
}

static const Expr* conditionOf(const Stmt* branch) {
  if (auto* choice = dyn_cast<IfStmt>(branch)) return choice->isConstexpr() ? nullptr : choice->getCond();
  if (auto* choice = dyn_cast<ConditionalOperator>(branch)) return choice->getCond();
  if (auto* choice = dyn_cast<SwitchStmt>(branch)) return choice->getCond();
  if (auto* loop = dyn_cast<WhileStmt>(branch)) return loop->getCond();
  if (auto* loop = dyn_cast<DoStmt>(branch)) return loop->getCond();
  return cast<ForStmt>(branch)->getCond();
}

static std::vector<Offer> offersFor(const Stmt* branch, ASTContext& context) {
  if (auto* choice = dyn_cast<IfStmt>(branch)) return whereOffers(choice, context);
  if (auto* choice = dyn_cast<ConditionalOperator>(branch)) return whereOffers(choice, context);
  if (auto* choice = dyn_cast<SwitchStmt>(branch)) return whereOffers(choice, context);
  return {Refusal{"the number of rounds depends on the data", branch->getBeginLoc()}};
}

static std::optional<Finding> inspect(const Match& m) {
  auto* branch = m.get<Stmt>("branch");
  const Expr* condition = conditionOf(branch);
  if (!condition || !isModelCode(enclosingFunction(branch, m.context))) return {};
  std::vector<Flow> flows = flowsInto(condition);
  if (flows.empty()) return {};

  // A check macro hides its branch: the user sees the value that it tests.
  const SourceManager& sources = m.context.getSourceManager();
  bool hidden = branch->getBeginLoc().isMacroID() && !sources.isMacroArgExpansion(branch->getBeginLoc());
  if (hidden)
    return Finding(flows.front().read.call->getSourceRange())
        .say("check on a tensor value makes the host wait for the device")
        .offer(Refusal{"what the check does when it fails is not a choice between tensors", flows.front().read.call->getBeginLoc()});

  bool loop = isa<WhileStmt, DoStmt, ForStmt>(branch);
  Finding finding(loop ? condition->getSourceRange() : branch->getSourceRange());
  finding.say(loop ? "loop on a tensor value makes the host wait for the device in every round"
                   : "branch on a tensor value makes the host wait for the device");
  for (const Flow& flow : flows)
    if (flow.through) finding.note(flow.read.call->getSourceRange(), "'" + flow.through->getNameAsString() + "' is read from the tensor here");
  return finding.offer(offersFor(branch, m.context));
}

extern const Check host_branch{
    .summary = "branch on a tensor value makes the host wait for the device",
    .severity = Severity::warning,
    .category = Category::controlFlow,
    .since = "0.1",
    .pattern = pattern,
    .inspect = inspect,
};

}  // namespace lint
