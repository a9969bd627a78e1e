// Calls of functions, methods of this object and lambdas whose bodies are here: their statements in the place of the call.
#include "analyzer/facts/torch.h"
#include "analyzer/rewrite/lower.h"

namespace lint {

using namespace clang;

namespace {

constexpr size_t deepest = 3;

// A lambda that is called where it stands, or through a local that holds it.
const LambdaExpr* lambdaOf(const CXXOperatorCallExpr* call) {
  const Expr* object = call->getOperator() == OO_Call ? strip(call->getArg(0)) : nullptr;
  bool direct = isa_and_nonnull<LambdaExpr>(object);
  if (auto* use = dyn_cast_or_null<DeclRefExpr>(object))
    if (auto* variable = dyn_cast<VarDecl>(use->getDecl()); variable && variable->isLocalVarDecl()) object = strip(variable->getInit());
  auto* lambda = dyn_cast_or_null<LambdaExpr>(object);
  if (!lambda) return nullptr;
  for (const LambdaCapture& capture : lambda->captures())  // what was copied earlier may differ from the variable by now
    if (!capture.capturesThis() && (!capture.capturesVariable() || lambda->isInitCapture(&capture) || (!direct && capture.getCaptureKind() == LCK_ByCopy))) return nullptr;
  return lambda;
}

bool dispatches(const CXXMemberCallExpr* call) {
  const CXXMethodDecl* method = call->getMethodDecl();
  return method && method->isVirtual() && !method->hasAttr<FinalAttr>() && !method->getParent()->isEffectivelyFinal();
}

}  // namespace

bool Lowering::inlined(const CallExpr* call, rt::Slot& result) {
  const FunctionDecl* function = call->getDirectCallee();
  llvm::SmallVector<const Expr*> arguments(call->arguments());
  if (auto* op = dyn_cast<CXXOperatorCallExpr>(call)) {
    if (!lambdaOf(op)) return false;
    arguments.erase(arguments.begin());
  } else if (auto* member = dyn_cast<CXXMemberCallExpr>(call)) {
    if (!isa<CXXThisExpr>(strip(member->getImplicitObjectArgument())) || dispatches(member)) return false;
  }
  function = function ? function->getDefinition() : nullptr;
  bool known = function && !isTorch(function) && !function->isInStdNamespace() && !function->isVariadic() && isa_and_nonnull<CompoundStmt>(function->getBody());
  bool recursive = llvm::any_of(frames_, [&](const Frame& frame) { return frame.function == function; });
  if (!known || recursive || frames_.size() == deepest || contains(function->getBody(), target_)) return false;
  ++repeated_;
  bool done = wholly([&] { return inlinedBody(function, arguments, result); });
  --repeated_;
  return done;
}

bool Lowering::inlinedBody(const FunctionDecl* function, llvm::ArrayRef<const Expr*> arguments, rt::Slot& result) {
  QualType type = function->getReturnType();
  auto number = hostTypeOf(type);
  if (!isTensor(type) && !number && !type->isVoidType()) return false;
  if (type->isLValueReferenceType() && !type.getNonReferenceType().isConstQualified()) return false;
  if (!bindParameters(function, arguments)) return false;
  result = type->isVoidType() ? -1 : fresh(function->getNameAsString(), !number, number.value_or(rt::HostType::float64));
  frames_.push_back({function, result});
  bool stoppedBefore = std::exchange(state_.stopped, false);
  bool done = compound(cast<CompoundStmt>(function->getBody()));
  bool returned = std::exchange(state_.stopped, stoppedBefore);
  frames_.pop_back();
  return done && (returned || result < 0);
}

// By value: a variable of its own. By reference: another name of the argument's variable, if it has one.
bool Lowering::bindParameters(const FunctionDecl* function, llvm::ArrayRef<const Expr*> arguments) {
  if (arguments.size() < function->getNumParams()) return false;
  std::vector<std::pair<const ParmVarDecl*, rt::Slot>> bound;
  for (unsigned i = 0; i < function->getNumParams(); ++i) {
    const ParmVarDecl* parameter = function->getParamDecl(i);
    auto number = hostTypeOf(parameter->getType());
    if (!number && !isTensor(parameter->getType())) continue;  // whoever names it fails
    bool named = parameter->getType()->isLValueReferenceType() && placeOf(arguments[i]);
    if (parameter->getType()->isLValueReferenceType() && !named && !parameter->getType().getNonReferenceType().isConstQualified()) return false;
    rt::Slot value = named ? variable(placeOf(arguments[i])) : expression(written(arguments[i]));
    if (value < 0 || isTensorSlot(value) != !number) return false;
    if (named) {
      state_.references[parameter] = placeOf(arguments[i]);
      state_.variables.erase(parameter);
      continue;
    }
    bound.emplace_back(parameter, number ? converted(value, *number) : value);
  }
  for (auto [parameter, value] : bound) {
    state_.references.erase(parameter);
    declare(parameter, value);
  }
  return true;
}

}  // namespace lint
