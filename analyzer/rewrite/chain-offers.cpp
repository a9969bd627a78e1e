#include "analyzer/rewrite/chain-offers.h"

#include "analyzer/facts/flow.h"
#include "analyzer/rewrite/lower.h"
#include "analyzer/rewrite/promote.h"
#include "analyzer/rewrite/repair.h"
#include "analyzer/rewrite/where-term.h"
#include "analyzer/source/range.h"

namespace lint {

using namespace clang;

using Terms = std::variant<std::vector<Term>, Refusal>;

std::vector<const Arm*> ChainOffers::arms() const {
  std::vector<const Arm*> all;
  for (const Arm& arm : chain_.arms) all.push_back(&arm);
  if (chain_.otherwise) all.push_back(&*chain_.otherwise);
  return all;
}

bool ChainOffers::any(llvm::function_ref<bool(const ArmStep&)> holds) const {
  return llvm::any_of(arms(), [&](const Arm* arm) { return llvm::any_of(arm->steps, holds); });
}

Terms ChainOffers::conditions(TermStyle style) const {
  std::vector<Term> terms;
  for (size_t i = 0; i < chain_.conditions.size(); ++i) {
    const Expr* host = chain_.conditions[i];
    auto term = labels.empty() ? tensorCondition(host, style, context_) : tensorTerm(host, style, context_);
    if (auto* refused = std::get_if<Refusal>(&term)) return *refused;
    terms.push_back(std::get<Term>(std::move(term)));
    if (!labels.empty()) terms.back() = infixTerm(terms.back(), " == ", rt::Op::eq, sourceTerm(labels[i], context_));
  }
  return terms;
}

// Each variable that an arm changes, as first met.
std::vector<const ArmStep*> ChainOffers::places() const {
  std::vector<const ArmStep*> result;
  auto isSame = [&](const ArmStep& a, const ArmStep& b) {
    const ValueDecl *x = placeOf(a.place), *y = placeOf(b.place);
    return x || y ? x == y : sourceTerm(a.place, context_).text == sourceTerm(b.place, context_).text;
  };
  for (const Arm* arm : arms())
    for (const ArmStep& step : arm->steps)
      if (llvm::none_of(result, [&](const ArmStep* known) { return isSame(*known, step); })) result.push_back(&step);
  return result;
}

std::optional<Refusal> ChainOffers::problem() const {
  bool returning = llvm::any_of(arms(), [](const Arm* arm) { return arm->returned; });
  size_t steps = 0, names = 0;
  std::set<std::string> locals;
  for (const Arm* arm : arms()) {
    if (returning && !arm->returned) return refusal("only one of the arms returns", target_);
    steps += arm->steps.size();
    for (const DeclStmt* local : arm->locals)
      for (const Decl* decl : local->decls())
        if (auto* named = dyn_cast<NamedDecl>(decl)) locals.insert(named->getNameAsString()), ++names;
    if (arm->steps.empty() && !arm->returned && arm != (chain_.otherwise ? &*chain_.otherwise : nullptr)) return refusal("an arm does nothing", target_);
  }
  if (returning && !chain_.otherwise) return refusal("there is no 'return' behind it", target_);
  if (locals.size() != names) return refusal("the arms declare different variables of one name", target_);
  if (steps > places().size() * arms().size() || (steps > places().size() && arms().size() == 1 && places().size() > 1))
    return refusal("an arm changes a variable twice", target_);
  if (any([](const ArmStep& step) { return hostTypeOf(step.place->getType()).has_value(); })) {
    if (places().size() != 1 || hostCondition) return refusal("an arm changes a number on the host", target_);
  }
  return {};
}

void ChainOffers::declareLocals(const Arm& arm, Recipe& recipe) {
  for (const DeclStmt* local : arm.locals) {
    Term term;
    term.text = textOf(context_.getSourceManager(), context_.getLangOpts(), local->getSourceRange());
    term.whole = !term.text.empty();
    recipe.line(llvm::StringRef(term.text).rtrim("; \n").str(), term, [local](Lowering& into) { into.statement(local); });
  }
}

std::variant<Term, Refusal> ChainOffers::value(const Expr* expr, const Term& mask, bool taken, const Form& form, Recipe& recipe) {
  if (taken ? form.safeTaken : form.safeOther) return safeTerm(expr, mask, taken, recipe, target_, context_);
  if (hostTypeOf(expr->getType()) && !flowsInto(expr).empty()) return tensorTerm(expr, form.style, context_);
  return sourceTerm(expr, context_);
}

std::variant<Term, Refusal> ChainOffers::stepValue(const ArmStep& step, const Term& mask, bool taken, const Form& form, Recipe& recipe) {
  if (step.number && (form.numbers || step.inPlace)) return numberTerm(*step.number);
  return step.inPlace ? step.value : value(step.whole, mask, taken, form, recipe);
}

std::optional<Refusal> ChainOffers::returns(const Form& form, Recipe& recipe, std::vector<Term> conditions) {
  auto last = value(chain_.otherwise->returned, conditions.back(), false, form, recipe);
  if (auto* refused = std::get_if<Refusal>(&last)) return *refused;
  Term result = std::get<Term>(last);
  for (size_t i = conditions.size(); i-- > 0;) {
    auto taken = value(chain_.arms[i].returned, conditions[i], true, form, recipe);
    if (auto* refused = std::get_if<Refusal>(&taken)) return *refused;
    result = whereTerm(conditions[i], std::get<Term>(taken), result);
  }
  recipe.brief = briefOf(result);
  recipe.line("return " + result.text, result, [result](Lowering& into) { into.finish(result.lower(into)); });
  return {};
}

static const ArmStep* stepFor(const Arm& arm, const ArmStep& place, ASTContext& context) {
  for (const ArmStep& step : arm.steps)
    if (sourceTerm(step.place, context).text == sourceTerm(place.place, context).text) return &step;
  return nullptr;
}

std::optional<Refusal> ChainOffers::assigns(const Form& form, Recipe& recipe, std::vector<Term> conditions) {
  for (const ArmStep* place : places()) {
    const ValueDecl* decl = placeOf(place->place);
    Term self = sourceTerm(place->place, context_), result = self;
    bool number = hostTypeOf(place->place->getType()).has_value(), inPlace = false;
    auto* variable = dyn_cast_or_null<VarDecl>(decl);
    if (number) {
      // A number that only tensor arithmetic uses: it becomes a tensor where it is chosen.
      const DeclStmt* declared = variable && variable->isLocalVarDecl() ? ownDeclaration(variable, context_) : nullptr;
      if (!declared || !variable->hasInit() || !couldBeTensor(variable, context_))
        return refusal("'" + self.text + "' is needed on the host elsewhere too", place->place);
      for (const DeclRefExpr* use : usesOf(variable))
        if (context_.getSourceManager().isBeforeInTranslationUnit(use->getBeginLoc(), target_->getBeginLoc()))
          return refusal("'" + self.text + "' is used before", use);
      const Expr* init = variable->getInit();
      std::variant<Term, Refusal> initial = sourceTerm(init, context_);
      if (!flowsInto(init).empty()) initial = tensorTerm(init, form.style, context_);
      if (auto* refused = std::get_if<Refusal>(&initial)) return *refused;
      result = std::get<Term>(initial);
      result.edits.push_back({declared->getSourceRange(), "", /*removesStatement=*/true});
    }
    auto choose = [&](const Arm& arm, const Term& mask, bool taken, auto combine) -> std::optional<Refusal> {
      const ArmStep* step = stepFor(arm, *place, context_);
      if (!step) return combine(self), std::nullopt;
      auto chosen = stepValue(*step, mask, taken, form, recipe);
      if (auto* refused = std::get_if<Refusal>(&chosen)) return *refused;
      inPlace |= step->inPlace;
      combine(std::get<Term>(chosen));
      return std::nullopt;
    };
    if (chain_.otherwise)
      if (auto refused = choose(*chain_.otherwise, conditions.back(), false, [&](const Term& term) { result = term; })) return refused;
    for (size_t i = conditions.size(); i-- > 0;)
      if (auto refused = choose(chain_.arms[i], conditions[i], true, [&](const Term& term) { result = whereTerm(conditions[i], term, result); })) return refused;
    if (recipe.brief.empty()) recipe.brief = briefOf(result);
    if (number) {
      recipe.line("auto " + self.text + " = " + result.text, result, [result, decl](Lowering& into) { into.declare(decl, result.lower(into)); });
    } else if (inPlace && form.writes) {
      bool fills = place->number && conditions.size() == 1 && !chain_.otherwise;
      Term filler = fills ? numberTerm(*place->number) : Term();
      if (fills) {
        recipe.brief = self.operand() + ".masked_fill_(" + conditions[0].text + ", " + filler.text + ")";
        recipe.line(recipe.brief, conditions[0], [self, filler, mask = conditions[0]](Lowering& into) {
          rt::Slot object = self.lower(into), where = mask.lower(into);
          into.inPlace(*rt::opNamed("masked_fill"), {object, where, filler.lower(into)});
        });
      } else {
        recipe.line(self.operand() + ".copy_(" + result.text + ")", result, [self, result](Lowering& into) {
          rt::Slot object = self.lower(into);
          into.inPlace(*rt::opNamed("copy"), {object, result.lower(into)});
        });
      }
    } else {
      if (!decl) return refusal("'" + self.text + "' is not a variable of this function or object", place->place);
      recipe.line(self.text + " = " + result.text, result, [result, decl](Lowering& into) { into.assign(decl, result.lower(into)); });
    }
  }
  return {};
}

Offer ChainOffers::offer(const Form& form) {
  Recipe recipe;
  auto conditions = this->conditions(form.style);
  if (auto* refused = std::get_if<Refusal>(&conditions)) return *refused;
  std::vector<Term> masks = std::get<std::vector<Term>>(conditions);
  bool repeated = form.safe() || places().size() > 1;
  std::string name = unusedName("condition", target_, context_);
  for (size_t i = 0; repeated && i < masks.size(); ++i) masks[i] = recipe.hoist(i ? name + std::to_string(i + 1) : name, masks[i]);
  for (const Term& mask : masks) recipe.needs(mask);
  for (const Arm* arm : arms()) declareLocals(*arm, recipe);
  bool returning = chain_.arms[0].returned;
  if (auto refused = returning ? returns(form, recipe, masks) : assigns(form, recipe, masks)) return *refused;
  if (form.safe()) recipe.repair = "an arm that is not taken computes with safe values, since 0 * inf is nan in a gradient";
  bool ownSemicolon = !isa<CompoundStmt>(chain_.last);
  Offer made = recipe.inPlaceOf(target_, range_, ownSemicolon, hostCondition, context_);
  if (auto* candidate = std::get_if<Candidate>(&made))
    for (const Expr* host : chain_.conditions)
      if (candidate->dtypes.empty()) candidate->dtypes = dtypesFor(host, context_);
  return made;
}

std::vector<Offer> ChainOffers::all() {
  if (range_.getBegin().isMacroID() || range_.getEnd().isMacroID()) return {refusal("a macro is in the way", target_)};
  if (auto refused = problem()) return {*refused};
  std::vector<TermStyle> styles;
  for (const Expr* host : chain_.conditions)
    for (TermStyle style : stylesFor(host, context_))
      if (!llvm::is_contained(styles, style)) styles.push_back(style);
  bool numbers = any([](const ArmStep& step) { return step.number && !step.inPlace; });
  bool inPlace = any([](const ArmStep& step) { return step.inPlace; });
  std::vector<Offer> offers;
  for (auto [safeTaken, safeOther] : {std::pair(false, false), {true, false}, {false, true}, {true, true}})
    for (TermStyle style : styles)
      for (bool writes : {false, true})
        for (bool number : {true, false}) {
          bool safe = safeTaken || safeOther;
          if ((writes && !inPlace) || (number && !numbers) || (safe && inPlace) || (safe && numbers && !number) || (safeOther && !chain_.otherwise)) continue;
          Offer made = offer({style, number, writes, safeTaken, safeOther});
          if (std::holds_alternative<Refusal>(made) && !offers.empty()) continue;
          offers.push_back(std::move(made));
        }
  // A reason counts only where nothing could be formed.
  if (llvm::any_of(offers, [](const Offer& one) { return std::holds_alternative<Candidate>(one); }))
    llvm::erase_if(offers, [](const Offer& one) { return std::holds_alternative<Refusal>(one); });
  return offers;
}

}  // namespace lint
