#include "analyzer/check.h"
#include "analyzer/facts/context.h"
#include "analyzer/facts/flow.h"
#include "analyzer/rewrite/where.h"

// A number read from a tensor, compared on the host, and the truth value used as data. The tensor comparison gives the
// same as a bool tensor, without the wait; it is offered where the consumer takes tensors. A comparison that steers a
// branch is the branch's finding.

namespace lint {

using namespace clang;
using namespace clang::ast_matchers;

static StatementMatcher pattern() { return binaryOperator(isComparisonOperator()).bind("comparison"); }

// The call that takes the comparison as a Scalar or a tensor: there a bool tensor serves as well.
static bool feedsTensorCall(const Stmt* comparison, ASTContext& context) {
  bool scalar = false, feeds = false;
  eachParent(comparison, context, [&](const DynTypedNode& node) {
    auto* expr = node.get<Expr>();
    if (!expr) return false;
    if (isScalar(expr->getType())) scalar = true;
    if (auto* op = dyn_cast<CXXOperatorCallExpr>(expr)) feeds = scalar && isTensor(op->getType());
    return !isa<CallExpr>(expr);
  });
  return feeds;
}

static std::optional<Finding> inspect(const Match& m) {
  auto* comparison = m.get<BinaryOperator>("comparison");
  if (!isModelCode(enclosingFunction(comparison, m.context)) || isDiscarded(comparison, m.context)) return {};
  std::vector<Flow> flows = flowsInto(comparison);
  if (flows.empty() || feedsOnlyBranches(comparison, m.context)) return {};
  Finding finding(comparison->getSourceRange());
  finding.say("comparison of a tensor value on the host makes the host wait for the device");
  if (feedsTensorCall(comparison, m.context)) return finding.offer(comparisonOffers(comparison, m.context));
  return finding.offer(Refusal{"what uses the result takes a host bool, not a tensor", comparison->getBeginLoc()});
}

extern const Check scalar_compare{
    .summary = "comparison of a tensor value on the host makes the host wait for the device",
    .severity = Severity::warning,
    .category = Category::scalars,
    .since = "0.1",
    .pattern = pattern,
    .inspect = inspect,
};

}  // namespace lint
