#include "analyzer/rewrite/where.h"

#include "analyzer/facts/context.h"
#include "analyzer/facts/flow.h"
#include "analyzer/rewrite/cases.h"
#include "analyzer/rewrite/chain-offers.h"
#include "analyzer/rewrite/lower.h"
#include "analyzer/rewrite/promote.h"
#include "analyzer/rewrite/where-term.h"
#include "analyzer/source/range.h"

#include "clang/AST/ParentMapContext.h"

namespace lint {

using namespace clang;

namespace {

bool touchesMacro(SourceRange range) { return range.getBegin().isMacroID() || range.getEnd().isMacroID(); }

// `if (c) return a; return b;`: the next statement is the other arm.
const ReturnStmt* returnBehind(const IfStmt* branch, ASTContext& context) {
  auto parents = context.getParents(*branch);
  auto* block = parents.empty() ? nullptr : parents[0].get<CompoundStmt>();
  if (!block) return nullptr;
  auto it = llvm::find(block->body(), branch);
  return it == block->body_end() || ++it == block->body_end() ? nullptr : dyn_cast<ReturnStmt>(*it);
}

// Of `training && x.item<bool>()`, the host's side; or null.
const Expr* hostSide(const Expr* condition, ASTContext& context, const Expr*& rest) {
  auto* both = dyn_cast<BinaryOperator>(condition->IgnoreParenImpCasts());
  if (!both || both->getOpcode() != BO_LAnd) return nullptr;
  for (bool left : {true, false}) {
    const Expr *host = left ? both->getLHS() : both->getRHS(), *other = left ? both->getRHS() : both->getLHS();
    if (flowsInto(host).empty() && !flowsInto(other).empty() && !host->HasSideEffects(context, /*IncludePossibleEffects=*/!left)) return rest = other, host;
  }
  return nullptr;
}

Offer expressionOffer(const Expr* target, const Term& term) {
  if (!term.whole) return Refusal{"a macro is in the way", target->getBeginLoc()};
  Candidate candidate;
  candidate.target = target;
  candidate.shown = oneLine(term.text);
  candidate.brief = briefOf(term);
  candidate.edits = term.edits;
  candidate.edits.push_back({target->getSourceRange(), term.text});
  candidate.redeclared = term.redeclared;
  candidate.assumes = term.assumes;
  candidate.lower = term.lower;
  return candidate;
}

template <typename Make>
std::vector<Offer> eachStyle(const Expr* host, ASTContext& context, Make make) {
  std::vector<Offer> offers;
  std::vector<rt::DType> dtypes = dtypesFor(host, context);
  for (TermStyle style : stylesFor(host, context)) {
    auto condition = tensorCondition(host, style, context);
    if (auto* refused = std::get_if<Refusal>(&condition)) return {*refused};
    offers.push_back(make(std::get<Term>(condition), style));
    if (auto* candidate = std::get_if<Candidate>(&offers.back())) candidate->dtypes = dtypes;
    if (std::holds_alternative<Refusal>(offers.back())) break;
  }
  return offers;
}

// float w = a.item<float>() > 0 ? 1.f : 0.5f;  where only tensor arithmetic uses w.
std::vector<Offer> numberOffers(const ConditionalOperator* choice, ASTContext& context) {
  auto refusal = [&](const char* why) { return std::vector<Offer>{Refusal{why, choice->getBeginLoc()}}; };
  const VarDecl* variable = nullptr;
  eachParent(choice, context, [&](const DynTypedNode& node) {
    variable = node.get<VarDecl>();
    auto* expr = node.get<Expr>();
    return expr && isa<ImplicitCastExpr, ParenExpr, FullExpr>(expr);
  });
  const DeclStmt* declared = variable && variable->isLocalVarDecl() ? ownDeclaration(variable, context) : nullptr;
  if (!declared || !hostTypeOf(variable->getType())) return refusal("the arms are not tensors");
  if (!couldBeTensor(variable, context)) return refusal("the number is needed on the host elsewhere");
  return eachStyle(choice->getCond(), context, [&](const Term& condition, TermStyle style) -> Offer {
    std::vector<Term> arms;
    for (const Expr* arm : {choice->getTrueExpr(), choice->getFalseExpr()}) {
      auto term = flowsInto(arm).empty() ? std::variant<Term, Refusal>(sourceTerm(arm->IgnoreParenImpCasts(), context)) : tensorTerm(arm, style, context);
      if (auto* refused = std::get_if<Refusal>(&term)) return *refused;
      arms.push_back(std::get<Term>(term));
    }
    Term chosen = whereTerm(condition, arms[0], arms[1]);
    Recipe recipe;
    recipe.brief = briefOf(chosen);
    recipe.line("auto " + variable->getNameAsString() + " = " + chosen.text, chosen, [chosen, variable](Lowering& into) { into.declare(variable, chosen.lower(into)); });
    return recipe.inPlaceOf(declared, declared->getSourceRange(), /*ownSemicolon=*/false, context);
  });
}

}  // namespace

std::vector<Offer> whereOffers(const IfStmt* branch, ASTContext& context) {
  if (touchesMacro(branch->getSourceRange())) return {Refusal{"a macro is in the way", branch->getBeginLoc()}};
  auto made = chainOf(branch, context);
  if (auto* refused = std::get_if<Refusal>(&made)) return {*refused};
  Chain& chain = std::get<Chain>(made);
  SourceRange range = branch->getSourceRange();
  const ReturnStmt* behind = chain.arms[0].returned && !chain.otherwise ? returnBehind(branch, context) : nullptr;
  if (behind) {
    auto other = armOf(behind, context);
    if (auto* refused = std::get_if<Refusal>(&other)) return {*refused};
    chain.otherwise = std::get<Arm>(other);
    chain.last = behind;
    range.setEnd(behind->getEndLoc());
  } else if (chain.arms[0].returned && !chain.otherwise && chain.arms.size() == 1 && chain.arms[0].locals.empty()) {
    std::vector<Offer> offers;
    for (TermStyle style : stylesFor(branch->getCond(), context)) offers.push_back(earlyReturn(branch, chain.arms[0].returned, style, context));
    return offers;
  }
  const Expr *rest = nullptr, *host = chain.arms.size() == 1 && !chain.otherwise ? hostSide(branch->getCond(), context, rest) : nullptr;
  if (host) chain.conditions[0] = rest;
  ChainOffers offers(branch, range, std::move(chain), context);
  offers.hostCondition = host;
  return offers.all();
}

std::vector<Offer> whereOffers(const SwitchStmt* choice, ASTContext& context) {
  if (touchesMacro(choice->getSourceRange())) return {Refusal{"a macro is in the way", choice->getBeginLoc()}};
  auto cases = casesOf(choice);
  if (!cases) return {Refusal{"its cases fall into one another", choice->getBeginLoc()}};
  Chain chain;
  std::vector<const Expr*> labels;
  for (const Case& one : *cases) {
    if (one.values.size() > 1 || (one.isDefault && !one.values.empty())) return {Refusal{"a case has several labels", choice->getBeginLoc()}};
    Arm arm;
    for (const Stmt* child : one.body) {
      auto part = armOf(child, context);
      if (auto* refused = std::get_if<Refusal>(&part)) return {*refused};
      Arm& more = std::get<Arm>(part);
      arm.locals.insert(arm.locals.end(), more.locals.begin(), more.locals.end());
      arm.steps.insert(arm.steps.end(), more.steps.begin(), more.steps.end());
      if (more.returned) arm.returned = more.returned;
    }
    if (one.isDefault) {
      chain.otherwise = arm;
      continue;
    }
    labels.push_back(one.values[0]);
    chain.conditions.push_back(choice->getCond());
    chain.arms.push_back(arm);
  }
  if (chain.arms.empty()) return {Refusal{"it has no cases", choice->getBeginLoc()}};
  chain.last = choice->getBody();
  ChainOffers offers(choice, choice->getSourceRange(), std::move(chain), context);
  offers.labels = labels;
  return offers.all();
}

std::vector<Offer> whereOffers(const ConditionalOperator* choice, ASTContext& context) {
  if (touchesMacro(choice->getSourceRange())) return {Refusal{"a macro is in the way", choice->getBeginLoc()}};
  if (!isTensor(choice->getType())) return numberOffers(choice, context);
  return eachStyle(choice->getCond(), context, [&](const Term& condition, TermStyle) {
    return expressionOffer(choice, whereTerm(condition, sourceTerm(choice->getTrueExpr(), context), sourceTerm(choice->getFalseExpr(), context)));
  });
}

std::vector<Offer> comparisonOffers(const BinaryOperator* comparison, ASTContext& context) {
  if (touchesMacro(comparison->getSourceRange())) return {Refusal{"a macro is in the way", comparison->getBeginLoc()}};
  return eachStyle(comparison, context, [&](const Term& term, TermStyle) {
    Term operand = term;
    auto parents = context.getParents(*comparison);
    bool enclosed = !parents.empty() && parents[0].get<ParenExpr>();
    if (!enclosed && !operand.atom) operand.text = operand.operand();
    return expressionOffer(comparison, operand);
  });
}

std::vector<Offer> readOffers(const CallExpr* call, ASTContext& context) {
  auto read = readOf(call);
  auto refusal = [&](std::string why) { return std::vector<Offer>{Refusal{std::move(why), call->getBeginLoc()}}; };
  if (!read || touchesMacro(call->getSourceRange())) return refusal("a macro is in the way");
  // `y * x.item<float>()`, or a local that only tensor arithmetic uses.
  const VarDecl* variable = nullptr;
  bool arithmetic = false;
  eachParent(call, context, [&](const DynTypedNode& node) {
    variable = node.get<VarDecl>();
    auto* op = node.get<CXXOperatorCallExpr>();
    arithmetic = op && isTensor(op->getType()) && op->getOperator() != OO_Equal && op->getOperator() != OO_Subscript;
    auto* expr = node.get<Expr>();
    return expr && !op && (isa<ImplicitCastExpr, ParenExpr, FullExpr, MaterializeTemporaryExpr, CXXBindTemporaryExpr>(expr) || (isa<CXXConstructExpr>(expr) && isScalar(expr->getType())));
  });
  const DeclStmt* declared = variable && variable->isLocalVarDecl() ? ownDeclaration(variable, context) : nullptr;
  if (!arithmetic && (!declared || !couldBeTensor(variable, context, /*compared=*/false))) return refusal("what uses the number does not take a tensor");
  std::vector<Offer> offers;
  for (TermStyle style : {TermStyle::plain, TermStyle::singleElement, TermStyle::widened}) {
    auto value = tensorTerm(call, style, context);
    if (auto* refused = std::get_if<Refusal>(&value)) return {*refused};
    Term term = std::get<Term>(value);
    if (arithmetic) {
      term.text = term.operand() + ".detach()";
      term.lower = [inner = term.lower](Lowering& into) { return into.call(rt::Op::detach, {inner(into)}); };
      offers.push_back(expressionOffer(call, term));
    } else {
      term = snapshot(call, term, /*cut=*/true);
      Recipe recipe;
      recipe.brief = term.text;
      recipe.line("auto " + variable->getNameAsString() + " = " + term.text, term, [term, variable](Lowering& into) { into.declare(variable, term.lower(into)); });
      offers.push_back(recipe.inPlaceOf(declared, declared->getSourceRange(), /*ownSemicolon=*/false, context));
    }
    if (auto* candidate = std::get_if<Candidate>(&offers.back())) candidate->dtypes = dtypesFor(call, context);
  }
  return offers;
}

Offer firstSizeOffer(const IntegerLiteral* literal, const Expr* tensor, const std::string& name, ASTContext& context) {
  if (touchesMacro(literal->getSourceRange())) return Refusal{"a macro is in the way", literal->getBeginLoc()};
  Candidate candidate;
  candidate.target = literal;
  candidate.shown = name + ".size(0)";
  candidate.brief = candidate.shown;
  candidate.edits = {{literal->getSourceRange(), candidate.shown}};
  candidate.firstSize = literal->getValue().getSExtValue();
  candidate.lower = [tensor](Lowering& into) {
    rt::Slot self = into.expression(tensor);
    return into.meta(rt::Meta::size, self, into.constant(rt::Scalar(0), rt::HostType::int64));
  };
  return candidate;
}

}  // namespace lint
