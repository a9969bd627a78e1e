#include "analyzer/facts/context.h"
#include "analyzer/facts/torch.h"
#include "analyzer/rewrite/chain-offers.h"
#include "analyzer/rewrite/lower.h"
#include "analyzer/rewrite/promote.h"
#include "analyzer/rewrite/where-term.h"
#include "analyzer/rewrite/writes.h"
#include "analyzer/source/range.h"

#include "clang/AST/ParentMapContext.h"

namespace lint {

using namespace clang;

// `if (c) return a; S; return b;` -> `auto early = c; S; return torch::where(early, a, b);`
Offer earlyReturn(const IfStmt* branch, const Expr* returned, TermStyle style, ASTContext& context) {
  auto refusal = [&](const char* why) { return Refusal{why, branch->getBeginLoc()}; };
  auto parents = context.getParents(*branch);
  auto* block = parents.empty() ? nullptr : parents[0].get<CompoundStmt>();
  auto* last = block ? dyn_cast<ReturnStmt>(block->body_back()) : nullptr;
  if (!last || block != enclosingBody(branch, context) || !last->getRetValue() || !isTensor(last->getRetValue()->getType()))
    return refusal("the code behind it does not end in one 'return' of a tensor");
  bool behind = false;
  for (const Stmt* child : block->body()) {
    if (behind && child != last && leaves(child)) return refusal("the code behind it returns in several places");
    behind |= child == branch;
  }
  auto condition = tensorCondition(branch->getCond(), style, context);
  if (auto* refused = std::get_if<Refusal>(&condition)) return *refused;
  const Term& mask = std::get<Term>(condition);
  Term taken = sourceTerm(returned, context), other = sourceTerm(last->getRetValue(), context);
  if (!mask.whole || !taken.whole || !other.whole || last->getBeginLoc().isMacroID()) return refusal("a macro is in the way");
  std::string name = unusedName("early", branch, context);
  Candidate candidate;
  candidate.target = branch;
  std::string chosen = "torch::where(" + name + ", " + taken.text + ", " + other.text + ")";
  candidate.shown = oneLine("auto " + name + " = " + mask.text + "; ... return " + chosen + ";");
  candidate.brief = oneLine(chosen.substr(strlen("torch::")));
  candidate.edits = mask.edits;
  bool block_ = isa<CompoundStmt>(branch->getThen());
  candidate.edits.push_back({branch->getSourceRange(), "auto " + name + " = " + mask.text + (block_ ? ";" : "")});
  candidate.edits.push_back({strip(last->getRetValue())->getSourceRange(), chosen});
  candidate.redeclared = mask.redeclared;
  candidate.assumes = mask.assumes;
  candidate.dtypes = dtypesFor(branch->getCond(), context);
  candidate.lower = [mask, taken, name](Lowering& into) -> rt::Slot {
    into.chooseAtReturn(into.local(name, mask.lower(into)), taken.lower);
    return -1;
  };
  return candidate;
}

}  // namespace lint
