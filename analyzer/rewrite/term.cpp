#include "analyzer/rewrite/term.h"

#include "analyzer/facts/flow.h"
#include "analyzer/rewrite/lower.h"
#include "analyzer/rewrite/lower-expression.h"
#include "analyzer/rewrite/promote.h"
#include "analyzer/source/range.h"

namespace lint {

using namespace clang;
using Result = std::variant<Term, Refusal>;

namespace {

Refusal refusal(std::string reason, const Expr* at) { return {std::move(reason), at->getBeginLoc()}; }

std::string sourceText(const Expr* expr, ASTContext& context) {
  return textOf(context.getSourceManager(), context.getLangOpts(), expr->getSourceRange());
}

bool isAtom(const Expr* expr) {
  return !isa<BinaryOperator, ConditionalOperator, CastExpr>(expr) &&
         !(isa<CXXOperatorCallExpr>(expr) && cast<CXXOperatorCallExpr>(expr)->isInfixBinaryOp());
}

const Expr* meaning(const Expr* expr) {
  while (true) {
    const Expr* inner = strip(expr)->IgnoreParenImpCasts();
    if (auto* cast = dyn_cast<ImplicitCastExpr>(inner)) inner = cast->getSubExpr();
    if (inner == expr) return expr;
    expr = inner;
  }
}

std::string operatorText(const BinaryOperator* op) { return " " + op->getOpcodeStr().str() + " "; }

std::optional<rt::Op> opFor(BinaryOperatorKind kind) { return ExpressionLowering::operatorOp(BinaryOperator::getOverloadedOperator(kind), 2); }

// Does the op of this tensor expression give bools?
bool isTruth(const Expr* tensor) {
  tensor = meaning(tensor);
  if (auto* op = dyn_cast<CXXOperatorCallExpr>(tensor)) {
    OverloadedOperatorKind kind = op->getOperator();
    return kind == OO_Less || kind == OO_LessEqual || kind == OO_Greater || kind == OO_GreaterEqual || kind == OO_EqualEqual ||
           kind == OO_ExclaimEqual || kind == OO_Exclaim;
  }
  if (auto* use = dyn_cast<DeclRefExpr>(tensor))
    if (auto* variable = dyn_cast<VarDecl>(use->getDecl())) return variable->isLocalVarDecl() && variable->hasInit() && isTruth(variable->getInit());
  auto* call = dyn_cast<CallExpr>(tensor);
  const FunctionDecl* callee = call ? call->getDirectCallee() : nullptr;
  if (!callee || !callee->getDeclName().isIdentifier()) return false;
  static constexpr llvm::StringLiteral names[] = {"any", "all", "isnan", "isinf", "isfinite", "logical_and", "logical_or", "logical_not", "logical_xor",
                                                  "eq", "ne", "lt", "le", "gt", "ge", "greater", "less"};
  return llvm::is_contained(names, callee->getName());
}

// A reduction over everything has no dimensions.
bool isWholeReduction(const Expr* tensor) {
  tensor = meaning(tensor);
  if (auto* use = dyn_cast<DeclRefExpr>(tensor)) {
    auto* variable = dyn_cast<VarDecl>(use->getDecl());
    return variable && variable->isLocalVarDecl() && variable->hasInit() && isWholeReduction(variable->getInit());
  }
  if (auto* op = dyn_cast<CXXOperatorCallExpr>(tensor))
    return llvm::all_of(op->arguments(), [](const Expr* operand) { return !isTensor(operand->getType()) || isWholeReduction(operand); });
  auto* call = dyn_cast<CXXMemberCallExpr>(tensor);
  auto* method = call ? call->getMethodDecl() : nullptr;
  if (!method || !method->getDeclName().isIdentifier()) return false;
  static constexpr llvm::StringLiteral names[] = {"sum", "mean", "min", "max", "any", "all", "norm", "prod", "std", "var", "median", "argmax", "argmin"};
  bool noDims = call->getNumArgs() == 0 || isa<CXXDefaultArgExpr>(call->getArg(0));
  return noDims && llvm::is_contained(names, method->getName());
}

bool isChanged(const DeclRefExpr* use, ASTContext& context) {
  auto parents = context.getParents(*use);
  auto* parent = parents.empty() ? nullptr : parents[0].get<Stmt>();
  auto* assignment = dyn_cast_or_null<BinaryOperator>(parent);
  auto* change = dyn_cast_or_null<UnaryOperator>(parent);
  bool assigned = assignment && assignment->isAssignmentOp() && assignment->getLHS() == use;
  return assigned || (change && (change->isIncrementDecrementOp() || change->getOpcode() == UO_AddrOf));
}

// x.to(torch::kCPU), and nothing else that it could change.
bool namesCpu(const CXXMemberCallExpr* call) {
  auto* use = dyn_cast<DeclRefExpr>(written(call->getArg(0)));
  bool alone = llvm::all_of(llvm::drop_begin(call->arguments()), [](const Expr* argument) { return argument->isDefaultArgument(); });
  return use && alone && use->getDecl()->getDeclName().isIdentifier() && use->getDecl()->getName() == "kCPU";
}

// Where a copy of the value is on the host already, or cut off from the gradient: a condition needs neither.
const Expr* withoutCopies(const Expr* tensor, bool& movedToHost) {
  while (auto* call = dyn_cast<CXXMemberCallExpr>(strip(tensor))) {
    const FunctionDecl* callee = torchCallee(call);
    if (!callee || !isTensor(call->getObjectType())) break;
    llvm::StringRef name = callee->getName();
    bool toHost = name == "cpu" || (name == "to" && namesCpu(call));
    if (!toHost && name != "data" && name != "detach") break;
    movedToHost |= toHost;
    tensor = call->getImplicitObjectArgument();
  }
  return tensor;
}

// A result of its own: no view of a tensor that someone could write to.
bool isFresh(const Expr* tensor) {
  tensor = meaning(tensor);
  if (isa<CXXOperatorCallExpr>(tensor)) return cast<CXXOperatorCallExpr>(tensor)->getOperator() != OO_Subscript;
  auto* call = dyn_cast<CallExpr>(tensor);
  const FunctionDecl* callee = call ? torchCallee(call) : nullptr;
  auto op = callee ? ExpressionLowering::opCalled(callee->getName(), 1) : std::nullopt;
  if (!op) return false;
  rt::OpKind kind = rt::info(*op).kind;
  return kind == rt::OpKind::unary || kind == rt::OpKind::binary || kind == rt::OpKind::ternary || kind == rt::OpKind::reduce;
}

Term readTerm(const Read& read, TermStyle style, ASTContext& context) {
  bool movedToHost = false;
  Term term = sourceTerm(withoutCopies(read.tensor, movedToHost), context);
  if (movedToHost) term.assumes = "the tensors are on one device";
  if (style == TermStyle::plain) return term;
  auto inner = term.lower;
  if (style == TermStyle::singleElement) {
    term.text = term.operand() + ".reshape({})";
    term.lower = [inner](Lowering& into) { return into.call(*rt::opNamed("reshape"), {inner(into)}); };
  } else {
    term.text = term.operand() + ".to(torch::kDouble)";
    term.lower = [inner](Lowering& into) { return into.call(*rt::opNamed("to"), {inner(into)}, {}, rt::DType::float64); };
  }
  term.atom = true;
  return term;
}

// `x != 0`: how C++ reads a number as a truth value.
Term truthOf(Term term) {
  Term zero;
  zero.text = "0";
  zero.lower = [](Lowering& into) { return into.constant(rt::Scalar(0), rt::HostType::int32); };
  return infixTerm(std::move(term), " != ", *rt::opNamed("ne"), std::move(zero));
}

// A local that holds a read value, and nothing but the branch asks for it: what it was initialised with, in its place.
Result insteadOfLocal(const VarDecl* variable, const Expr* use, TermStyle style, ASTContext& context, bool condition) {
  Result inner = condition ? tensorCondition(variable->getInit(), style, context) : tensorTerm(variable->getInit(), style, context);
  if (auto* term = std::get_if<Term>(&inner)) {
    const DeclStmt* statement = ownDeclaration(variable, context);
    if (!statement) return refusal("'" + variable->getNameAsString() + "' is declared together with others", use);
    term->edits.push_back({statement->getSourceRange(), "", /*removesStatement=*/true});
  }
  return inner;
}

// The local is used in the arms too: it becomes a tensor. A number has no gradient, so in arithmetic neither has the tensor.
Result asTensor(const VarDecl* variable, const Expr* use, TermStyle style, ASTContext& context) {
  std::string name = variable->getNameAsString();
  const DeclStmt* statement = ownDeclaration(variable, context);
  if (!statement || !couldBeTensor(variable, context)) return refusal("'" + name + "' is needed on the host elsewhere too", use);
  Result inner = tensorTerm(variable->getInit(), style, context);
  auto* value = std::get_if<Term>(&inner);
  if (!value) return inner;
  if (!value->whole) return refusal("a macro is in the way", use);
  Term held = snapshot(variable->getInit(), *value, entersArithmetic(variable, context));
  Term term;
  term.text = name;
  term.lower = [use](Lowering& into) { return into.expression(use); };
  term.needs(held);
  term.edits.push_back({statement->getSourceRange(), "auto " + name + " = " + held.text + ";"});
  term.redeclared[variable] = held.lower;
  return term;
}

Result throughLocal(const VarDecl* variable, const Expr* use, TermStyle style, ASTContext& context, bool condition) {
  auto uses = usesOf(variable);
  if (!variable->hasInit()) return refusal("'" + variable->getNameAsString() + "' has no value where it is declared", use);
  if (uses.size() == 1) return insteadOfLocal(variable, use, style, context, condition);
  for (const DeclRefExpr* one : uses)
    if (isChanged(one, context)) return refusal("'" + variable->getNameAsString() + "' is changed later", one);
  return asTensor(variable, use, style, context);
}

bool isTruncation(const Expr* host) {
  auto* cast = dyn_cast<ExplicitCastExpr>(host);
  return cast && cast->getType()->isIntegerType() && cast->getSubExpr()->getType()->isRealFloatingType();
}

Result combine(const BinaryOperator* op, TermStyle style, ASTContext& context) {
  auto side = [&](const Expr* expr) -> Result {
    if (!flowsInto(expr).empty()) return tensorTerm(expr, style, context);
    return sourceTerm(expr->IgnoreParenImpCasts(), context);
  };
  Result left = side(op->getLHS()), right = side(op->getRHS());
  if (auto* refused = std::get_if<Refusal>(&left)) return *refused;
  if (auto* refused = std::get_if<Refusal>(&right)) return *refused;
  auto code = opFor(op->getOpcode());
  if (!code) return refusal("'" + op->getOpcodeStr().str() + "' has no tensor form here", op);
  return infixTerm(std::get<Term>(left), operatorText(op), *code, std::get<Term>(right));
}

Result logical(const BinaryOperator* op, TermStyle style, ASTContext& context) {
  for (const Expr* side : {op->getLHS(), op->getRHS()})
    if (flowsInto(side).empty()) return refusal("the condition mixes host and tensor values", side);
  Result left = tensorCondition(op->getLHS(), style, context), right = tensorCondition(op->getRHS(), style, context);
  if (auto* refused = std::get_if<Refusal>(&left)) return *refused;
  if (auto* refused = std::get_if<Refusal>(&right)) return *refused;
  const char* name = op->getOpcode() == BO_LAnd ? "logical_and" : "logical_or";
  return callTerm(std::string("torch::") + name, *rt::opNamed(name), {std::get<Term>(left), std::get<Term>(right)});
}

}  // namespace

void Term::needs(const Term& other) {
  for (const TextEdit& edit : other.edits)
    if (llvm::none_of(edits, [&](const TextEdit& known) { return known.tokens == edit.tokens; })) edits.push_back(edit);
  redeclared.insert(other.redeclared.begin(), other.redeclared.end());
  if (assumes.empty()) assumes = other.assumes;
}

Term snapshot(const Expr* host, Term term, bool cut) {
  auto apply = [&](const char* method, rt::Op op) {
    term.text = term.operand() + "." + method + "()";
    term.atom = true;
    term.lower = [inner = term.lower, op](Lowering& into) { return into.call(op, {inner(into)}); };
  };
  if (cut) apply("detach", rt::Op::detach);
  bool fresh = llvm::all_of(flowsInto(host), [](const Flow& flow) { return isFresh(flow.read.tensor); });
  if (!fresh) apply("clone", rt::Op::clone);
  return term;
}

bool hasOwnDType(const Expr* tensor) {
  if (isTruth(tensor)) return true;
  auto* call = dyn_cast<CallExpr>(meaning(tensor));
  const FunctionDecl* callee = call ? torchCallee(call) : nullptr;
  if (!callee) return false;
  if (callee->getName() == "argmax" || callee->getName() == "argmin" || callee->getName() == "count_nonzero" || callee->getName() == "nonzero") return true;
  auto* member = dyn_cast<CXXMemberCallExpr>(call);
  const Expr* inner = member ? member->getImplicitObjectArgument() : call->getNumArgs() ? call->getArg(0) : nullptr;
  return inner && callee->getName() == "sum" && hasOwnDType(inner);
}

Term sourceTerm(const Expr* expr, ASTContext& context) {
  Term term;
  const Expr* inner = isa<ParenExpr>(strip(expr)) ? expr : strip(expr);
  term.text = sourceText(inner, context);
  term.whole = !term.text.empty();
  term.atom = isAtom(inner->IgnoreImplicit());
  term.lower = [expr](Lowering& into) { return into.expression(expr); };
  return term;
}

Term infixTerm(Term left, const std::string& spelling, rt::Op op, Term right) {
  Term term;
  term.text = left.operand() + spelling + right.operand();
  term.atom = false;
  term.lower = [l = left.lower, r = right.lower, op](Lowering& into) {
    rt::Slot a = l(into), b = r(into);
    return into.call(op, {a, b});
  };
  term.whole = left.whole && right.whole;
  term.needs(left);
  term.needs(right);
  return term;
}

Term callTerm(const std::string& function, rt::Op op, std::vector<Term> arguments) {
  Term term;
  std::vector<std::function<rt::Slot(Lowering&)>> parts;
  term.text = function + "(";
  for (Term& argument : arguments) {
    if (!parts.empty()) term.text += ", ";
    term.text += argument.text;
    term.whole &= argument.whole;
    parts.push_back(argument.lower);
    term.needs(argument);
  }
  term.text += ")";
  term.lower = [parts, op](Lowering& into) {
    std::vector<rt::Slot> slots;
    for (const auto& part : parts) slots.push_back(part(into));
    return into.call(op, slots);
  };
  return term;
}

Result tensorTerm(const Expr* host, TermStyle style, ASTContext& context) {
  host = meaning(host);
  if (host->getBeginLoc().isMacroID()) return refusal("a macro is in the way", host);
  if (auto read = readOf(host)) {
    if (read->api->name != "item" && read->api->name != "is_nonzero") return refusal("'" + std::string(read->api->name) + "' has no tensor form", host);
    return readTerm(*read, style, context);
  }
  if (isTruncation(host)) return refusal("the conversion to an integer truncates", host);
  if (auto* cast = dyn_cast<ExplicitCastExpr>(host)) return tensorTerm(cast->getSubExpr(), style, context);
  if (auto* op = dyn_cast<BinaryOperator>(host)) return op->isLogicalOp() ? logical(op, style, context) : combine(op, style, context);
  if (auto* use = dyn_cast<DeclRefExpr>(host))
    if (auto* variable = dyn_cast<VarDecl>(use->getDecl()); variable && variable->isLocalVarDecl()) return throughLocal(variable, use, style, context, false);
  if (auto* negation = dyn_cast<UnaryOperator>(host); negation && negation->getOpcode() == UO_LNot) return tensorCondition(host, style, context);
  if (auto* conversion = dyn_cast<CXXMemberCallExpr>(host); conversion && isScalar(conversion->getObjectType()))
    return tensorTerm(conversion->getImplicitObjectArgument(), style, context);
  auto* call = dyn_cast<CallExpr>(host);
  const FunctionDecl* callee = call ? call->getDirectCallee() : nullptr;
  if (callee && callee->isInStdNamespace() && call->getNumArgs() == 1 && callee->getDeclName().isIdentifier()) {
    std::string name = callee->getName() == "fabs" ? "abs" : callee->getName().str();
    Result inner = tensorTerm(call->getArg(0), style, context);
    if (auto op = rt::opNamed(name); op && std::holds_alternative<Term>(inner)) return callTerm("torch::" + name, *op, {std::get<Term>(inner)});
  }
  return refusal("'" + sourceText(host, context) + "' has no tensor form", host);
}

Result tensorCondition(const Expr* host, TermStyle style, ASTContext& context) {
  host = meaning(host);
  if (auto* negation = dyn_cast<UnaryOperator>(host); negation && negation->getOpcode() == UO_LNot) {
    Result inner = tensorCondition(negation->getSubExpr(), style, context);
    if (auto* term = std::get_if<Term>(&inner)) return callTerm("torch::logical_not", *rt::opNamed("logical_not"), {*term});
    return inner;
  }
  if (auto* use = dyn_cast<DeclRefExpr>(host); use && host->getType()->isBooleanType())
    if (auto* variable = dyn_cast<VarDecl>(use->getDecl()); variable && variable->isLocalVarDecl()) return throughLocal(variable, use, style, context, true);
  Result result = tensorTerm(host, style, context);
  auto* term = std::get_if<Term>(&result);
  if (!term) return result;
  auto* op = dyn_cast<BinaryOperator>(host);
  if (op && (op->isComparisonOp() || op->isLogicalOp())) return result;
  auto* conversion = dyn_cast<CXXMemberCallExpr>(host);
  bool scalar = conversion && isScalar(conversion->getObjectType());  // x.item().toBool()
  auto read = readOf(scalar ? meaning(conversion->getImplicitObjectArgument()) : host);
  if (read && isTruth(read->tensor)) return result;
  if (auto* call = dyn_cast<CallExpr>(host); call && !read && call->getType()->isBooleanType() && !isa<CXXMemberCallExpr>(call)) return result;
  return truthOf(*term);
}

std::vector<TermStyle> stylesFor(const Expr* host, ASTContext& context) {
  std::vector<TermStyle> styles = {TermStyle::plain};
  std::vector<Flow> flows = flowsInto(host);
  if (!llvm::all_of(flows, [](const Flow& flow) { return isWholeReduction(flow.read.tensor); })) styles.push_back(TermStyle::singleElement);
  bool narrow = llvm::any_of(flows, [](const Flow& flow) {
    auto type = hostTypeOf(flow.read.call->getType());
    return type && *type != rt::HostType::boolean;
  });
  if (narrow) styles.push_back(TermStyle::widened);
  return styles;
}

}  // namespace lint
