#include "analyzer/check.h"
#include "analyzer/facts/context.h"
#include "analyzer/facts/dependence.h"
#include "analyzer/facts/torch.h"
#include "analyzer/rewrite/lower.h"
#include "analyzer/rewrite/where.h"

// A literal as the first size of a tensor that came from forward's input: the batch size, frozen. The model then works
// for one batch size only, and a view may fold features into the batch without an error. Sizes up to 4 are taken for
// structure (3 colour channels, 4 sides of a box), and so is every literal that is not in the first place.

namespace lint {

using namespace clang;
using namespace clang::ast_matchers;

static constexpr int64_t largestStructuralSize = 4;

static StatementMatcher pattern() {
  auto shaped = functionDecl(hasAnyName("view", "reshape", "expand", "zeros", "ones", "full", "empty", "rand", "randn", "new_zeros", "new_ones", "new_full", "new_empty"));
  return callExpr(callee(shaped)).bind("call");
}

// The first element of the first braced list among the arguments.
static const IntegerLiteral* firstSize(const CallExpr* call) {
  for (const Expr* argument : call->arguments()) {
    const InitListExpr* list = bracedList(argument);
    if (!list || list->getNumInits() == 0) continue;
    return dyn_cast<IntegerLiteral>(list->getInit(0)->IgnoreImplicit());
  }
  return nullptr;
}

static std::string nameOfInput(const Expr* tensor) {
  auto* use = dyn_cast_or_null<DeclRefExpr>(strip(tensor));
  return use ? use->getNameInfo().getAsString() : std::string();
}

static std::optional<Finding> inspect(const Match& m) {
  auto* call = m.get<CallExpr>("call");
  const FunctionDecl* function = enclosingFunction(call, m.context);
  if (!isForward(function) || !isTorch(call->getDirectCallee()) || !isTensor(call->getType())) return {};
  const IntegerLiteral* size = firstSize(call);
  if (!size || size->getValue().getSExtValue() <= largestStructuralSize) return {};
  auto* member = dyn_cast<CXXMemberCallExpr>(call);
  const Expr* tensor = member ? member->getImplicitObjectArgument() : inputBeside(call, function, m.context);
  if (!tensor || !dependsOnInput(tensor, function)) return {};

  Finding finding(size->getSourceRange());
  finding.say("literal " + std::to_string(size->getValue().getSExtValue()) + " as the first size in '" + call->getDirectCallee()->getNameAsString() +
              "' freezes the batch size");
  std::string name = nameOfInput(tensor);
  if (name.empty()) return finding.offer(Refusal{"the tensor has no name to ask for its size", tensor->getBeginLoc()});
  return finding.offer(firstSizeOffer(size, tensor, name, m.context));
}

extern const Check hardcoded_shape{
    .summary = "a literal batch size makes the model work for one batch size only",
    .severity = Severity::warning,
    .category = Category::shapes,
    .since = "0.1",
    .pattern = pattern,
    .inspect = inspect,
};

}  // namespace lint
