#include "analyzer/check.h"
#include "analyzer/facts/context.h"
#include "analyzer/facts/flow.h"
#include "analyzer/rewrite/where.h"

#include "clang/AST/StmtCXX.h"

// item() in a forward method: the host waits for the device, and what is computed from the number is cut off from the
// gradient. A value that only steers a branch or a comparison is that branch's or comparison's finding, not a second one.

namespace lint {

using namespace clang;
using namespace clang::ast_matchers;

static StatementMatcher pattern() { return stmt(hostRead()).bind("read"); }

static std::optional<Finding> inspect(const Match& m) {
  auto* call = m.get<CallExpr>("read");
  auto read = readOf(call);
  const FunctionDecl* function = enclosingFunction(call, m.context);
  if (!read || read->api->name != "item" || !isForward(function) || isDiscarded(call, m.context)) return {};
  if (feedsOnlyBranches(call, m.context) || feedsOnlyComparisons(call, m.context)) return {};
  return Finding(call->getSourceRange())
      .say("'item' in '" + function->getNameAsString() + "' makes the host wait for the device")
      .offer(readOffers(call, m.context));
}

extern const Check item_in_forward{
    .summary = "item() in a forward method makes the host wait for the device",
    .severity = Severity::warning,
    .category = Category::hostSync,
    .since = "0.1",
    .pattern = pattern,
    .inspect = inspect,
};

}  // namespace lint
