#include "analyzer/rewrite/cases.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

#include <algorithm>

namespace lint {

using namespace clang;

std::optional<std::vector<Case>> casesOf(const SwitchStmt* choice) {
  auto* block = dyn_cast<CompoundStmt>(choice->getBody());
  if (!block || choice->getInit() || choice->getConditionVariable()) return {};
  std::vector<Case> cases;
  bool open = false;
  for (const Stmt* child : block->body()) {
    while (auto* label = dyn_cast<SwitchCase>(child)) {
      if (open && !cases.back().body.empty()) return {};
      if (!open) cases.emplace_back();
      open = true;
      if (auto* value = dyn_cast<CaseStmt>(label)) cases.back().values.push_back(value->getLHS());
      else cases.back().isDefault = true;
      child = label->getSubStmt();
    }
    if (!open) return {};
    if (isa<BreakStmt>(child)) {
      open = false;
      continue;
    }
    cases.back().body.push_back(child);
    if (auto* inner = dyn_cast<CompoundStmt>(child); inner && !inner->body_empty() && isa<BreakStmt>(inner->body_back())) {
      cases.back().body.assign(inner->body_begin(), inner->body_end() - 1);
      open = false;
    }
    if (isa<ReturnStmt, CXXThrowExpr>(child)) open = false;
  }
  auto last = std::find_if(cases.begin(), cases.end(), [](const Case& one) { return one.isDefault; });
  if (last != cases.end()) std::rotate(last, last + 1, cases.end());
  return cases;
}

}  // namespace lint
