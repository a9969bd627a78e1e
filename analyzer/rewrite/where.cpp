#include "analyzer/rewrite/where.h"

#include "analyzer/facts/context.h"
#include "analyzer/facts/flow.h"
#include "analyzer/rewrite/lower-expression.h"
#include "analyzer/rewrite/lower.h"
#include "analyzer/rewrite/term.h"
#include "analyzer/source/range.h"

#include "clang/AST/ParentMapContext.h"
#include "clang/Lex/Lexer.h"

namespace lint {

using namespace clang;

namespace {

/// One arm that gives a tensor variable a new value.
struct Arm {
  const Expr* place = nullptr;
  Term value;
};
using ArmOrRefusal = std::variant<Arm, Refusal>;

const Stmt* onlyStatement(const Stmt* arm) {
  while (auto* block = dyn_cast_or_null<CompoundStmt>(arm)) {
    if (block->size() != 1) return nullptr;
    arm = block->body_front();
  }
  return arm;
}

// `v = e` or `v += e`.
ArmOrRefusal assignmentIn(const Stmt* arm, ASTContext& context) {
  const Stmt* statement = onlyStatement(arm);
  if (!statement) return Refusal{"an arm does more than one assignment", arm->getBeginLoc()};
  auto* expr = dyn_cast<Expr>(statement);
  auto* op = expr ? dyn_cast<CXXOperatorCallExpr>(strip(expr)) : nullptr;
  if (!op || !op->isAssignmentOp()) return Refusal{"an arm does something other than assign a tensor", statement->getBeginLoc()};
  const Expr* place = op->getArg(0);
  if (!placeOf(place) || !isTensor(place->getType()) || !isTensor(op->getType())) return Refusal{"an arm assigns something other than a tensor variable", statement->getBeginLoc()};
  Term value = sourceTerm(op->getArg(1), context);
  if (op->getOperator() == OO_Equal) {
    if (!isTensor(op->getArg(1)->getType())) return Refusal{"an arm assigns a number to a tensor", statement->getBeginLoc()};
    return Arm{place, value};
  }
  OverloadedOperatorKind plain = op->getOperator() == OO_PlusEqual ? OO_Plus : op->getOperator() == OO_MinusEqual ? OO_Minus : op->getOperator() == OO_StarEqual ? OO_Star : OO_Slash;
  auto code = ExpressionLowering::operatorOp(plain, 2);
  Term self = sourceTerm(place, context);
  Term combined;
  combined.text = self.text + " " + getOperatorSpelling(plain) + " " + value.operand();
  combined.atom = false;
  combined.lower = [op, code, place](Lowering& into) {
    rt::Slot left = into.expression(place), right = into.expression(op->getArg(1));
    return into.call(*code, {left, right});
  };
  return Arm{place, combined};
}

// The comments inside a range, which a rewrite of the range must keep.
std::string commentsIn(SourceRange range, ASTContext& context) {
  const SourceManager& sources = context.getSourceManager();
  std::string text = textOf(sources, context.getLangOpts(), range), kept;
  std::string indent(sources.getSpellingColumnNumber(range.getBegin()) - 1, ' ');
  LangOptions language = context.getLangOpts();
  Lexer lexer(range.getBegin(), language, text.data(), text.data(), text.data() + text.size());
  lexer.SetCommentRetentionState(true);
  Token token;
  while (!lexer.LexFromRawLexer(token))
    if (token.is(tok::comment)) {
      unsigned offset = sources.getFileOffset(token.getLocation()) - sources.getFileOffset(range.getBegin());
      kept += llvm::StringRef(text).substr(offset, token.getLength()).rtrim().str() + "\n" + indent;
    }
  return kept;
}

Term whereTerm(Term condition, Term taken, Term other) {
  return callTerm("torch::where", *rt::opNamed("where"), {std::move(condition), std::move(taken), std::move(other)});
}

// Puts `term` in the place of a statement: `lead` before it, a semicolon behind it unless the statement's own remains.
Offer statementCandidate(const Stmt* target, SourceRange range, const std::string& lead, const Term& term, bool ownSemicolon, ASTContext& context) {
  if (!term.whole) return Refusal{"a macro is in the way", target->getBeginLoc()};
  Candidate candidate;
  candidate.target = target;
  candidate.shown = oneLine(lead + term.text + ";");
  candidate.brief = oneLine(llvm::StringRef(term.text).drop_front(strlen("torch::")).str());
  candidate.edits = term.edits;
  candidate.edits.push_back({range, commentsIn(range, context) + lead + term.text + (ownSemicolon ? "" : ";")});
  return candidate;
}

Offer lowering(Offer offer, std::function<rt::Slot(Lowering&)> lower) {
  if (auto* candidate = std::get_if<Candidate>(&offer)) candidate->lower = std::move(lower);
  return offer;
}

struct Returns {
  const Expr* taken;
  const Expr* other;
  SourceRange range;
};

// `if (c) return a; return b;` or with `else`.
std::optional<Returns> returnsAround(const IfStmt* branch, ASTContext& context) {
  auto* taken = dyn_cast_or_null<ReturnStmt>(onlyStatement(branch->getThen()));
  if (!taken || !taken->getRetValue() || !isTensor(taken->getRetValue()->getType())) return {};
  const Stmt* next = onlyStatement(branch->getElse());
  SourceRange range = branch->getSourceRange();
  if (!branch->getElse()) {
    auto parents = context.getParents(*branch);
    auto* block = parents.empty() ? nullptr : parents[0].get<CompoundStmt>();
    if (!block) return {};
    auto it = llvm::find(block->body(), branch);
    if (it == block->body_end() || ++it == block->body_end()) return {};
    next = *it;
    range.setEnd(next->getEndLoc());
  }
  auto* other = dyn_cast_or_null<ReturnStmt>(next);
  if (!other || !other->getRetValue() || !isTensor(other->getRetValue()->getType())) return {};
  return Returns{taken->getRetValue(), other->getRetValue(), range};
}

Offer returnOffer(const IfStmt* branch, const Returns& returns, const Term& condition, ASTContext& context) {
  Term term = whereTerm(condition, sourceTerm(returns.taken, context), sourceTerm(returns.other, context));
  bool ownSemicolon = !isa_and_nonnull<CompoundStmt>(branch->getElse());
  return lowering(statementCandidate(branch, returns.range, "return ", term, ownSemicolon, context), [term](Lowering& into) {
    rt::Slot value = term.lower(into);
    into.finish(value);
    return value;
  });
}

Offer assignmentOffer(const IfStmt* branch, const Term& condition, ASTContext& context) {
  ArmOrRefusal taken = assignmentIn(branch->getThen(), context);
  if (auto* refused = std::get_if<Refusal>(&taken)) return *refused;
  Arm first = std::get<Arm>(taken);
  Term otherwise = sourceTerm(first.place, context);
  if (branch->getElse()) {
    ArmOrRefusal other = assignmentIn(branch->getElse(), context);
    if (auto* refused = std::get_if<Refusal>(&other)) return *refused;
    if (placeOf(std::get<Arm>(other).place) != placeOf(first.place)) return Refusal{"the arms assign different variables", branch->getElse()->getBeginLoc()};
    otherwise = std::get<Arm>(other).value;
  }
  Term term = whereTerm(condition, first.value, otherwise);
  const Stmt* last = branch->getElse() ? branch->getElse() : branch->getThen();
  std::string lead = sourceTerm(first.place, context).text + " = ";
  return lowering(statementCandidate(branch, branch->getSourceRange(), lead, term, !isa<CompoundStmt>(last), context), [term, place = first.place](Lowering& into) {
    rt::Slot value = term.lower(into);
    into.assign(place, value);
    return value;
  });
}

// Of `x.item<float>()`, or of `x.item().toFloat()`, where the read itself gives a Scalar.
QualType readType(const Read& read, ASTContext& context) {
  QualType type = read.call->getType();
  if (!isScalar(type)) return type;
  eachParent(read.call, context, [&](const DynTypedNode& node) {
    if (auto* conversion = node.get<CXXMemberCallExpr>()) type = conversion->getType();
    return isScalar(type) && node.get<Expr>();
  });
  return type;
}

// A read names a C++ type: that of the tensor, or one that holds its values. Wider dtypes would be rounded or would throw.
std::vector<rt::DType> dtypesFor(const Expr* host, ASTContext& context) {
  using rt::DType;
  std::vector<DType> dtypes;
  for (const Flow& flow : flowsInto(host)) {
    auto type = hostTypeOf(readType(flow.read, context));
    if (type == rt::HostType::float32) return {DType::float32, DType::float16, DType::bfloat16};
    if (type == rt::HostType::float64) dtypes = {DType::float32, DType::float64, DType::float16, DType::bfloat16};
    if (type == rt::HostType::int64 || type == rt::HostType::int32) dtypes = {DType::int64};
  }
  return dtypes;
}

template <typename Make>
std::vector<Offer> eachStyle(const Expr* host, ASTContext& context, Make make) {
  std::vector<Offer> offers;
  std::vector<rt::DType> dtypes = dtypesFor(host, context);
  for (TermStyle style : stylesFor(host, context)) {
    auto condition = tensorCondition(host, style, context);
    if (auto* refused = std::get_if<Refusal>(&condition)) return {*refused};
    offers.push_back(make(std::get<Term>(condition)));
    if (auto* candidate = std::get_if<Candidate>(&offers.back())) candidate->dtypes = dtypes;
    if (std::holds_alternative<Refusal>(offers.back())) break;
  }
  return offers;
}

bool touchesMacro(SourceRange range) { return range.getBegin().isMacroID() || range.getEnd().isMacroID(); }

Offer expressionOffer(const Expr* target, const Term& term) {
  if (!term.whole) return Refusal{"a macro is in the way", target->getBeginLoc()};
  Candidate candidate;
  candidate.target = target;
  candidate.shown = oneLine(term.text);
  llvm::StringRef brief = candidate.shown;
  brief.consume_front("torch::");
  candidate.brief = brief.str();
  candidate.edits = term.edits;
  candidate.edits.push_back({target->getSourceRange(), term.text});
  candidate.lower = term.lower;
  return candidate;
}

}  // namespace

std::vector<Offer> whereOffers(const IfStmt* branch, ASTContext& context) {
  if (touchesMacro(branch->getSourceRange())) return {Refusal{"a macro is in the way", branch->getBeginLoc()}};
  if (branch->getInit() || branch->getConditionVariable()) return {Refusal{"the condition declares a variable", branch->getBeginLoc()}};
  if (auto returns = returnsAround(branch, context))
    return eachStyle(branch->getCond(), context, [&](const Term& condition) { return returnOffer(branch, *returns, condition, context); });
  return eachStyle(branch->getCond(), context, [&](const Term& condition) { return assignmentOffer(branch, condition, context); });
}

std::vector<Offer> whereOffers(const ConditionalOperator* choice, ASTContext& context) {
  if (touchesMacro(choice->getSourceRange())) return {Refusal{"a macro is in the way", choice->getBeginLoc()}};
  if (!isTensor(choice->getType())) return {Refusal{"the arms are not tensors", choice->getBeginLoc()}};
  return eachStyle(choice->getCond(), context, [&](const Term& condition) {
    Term term = whereTerm(condition, sourceTerm(choice->getTrueExpr(), context), sourceTerm(choice->getFalseExpr(), context));
    return expressionOffer(choice, term);
  });
}

std::vector<Offer> comparisonOffers(const BinaryOperator* comparison, ASTContext& context) {
  if (touchesMacro(comparison->getSourceRange())) return {Refusal{"a macro is in the way", comparison->getBeginLoc()}};
  return eachStyle(comparison, context, [&](const Term& term) {
    Term operand = term;
    auto parents = context.getParents(*comparison);
    bool enclosed = !parents.empty() && parents[0].get<ParenExpr>();
    if (!enclosed && !operand.atom) operand.text = operand.operand();
    return expressionOffer(comparison, operand);
  });
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
