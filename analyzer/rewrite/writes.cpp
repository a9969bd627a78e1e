#include "analyzer/rewrite/writes.h"

#include "analyzer/facts/torch.h"
#include "analyzer/rewrite/peel.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"

namespace lint {

using namespace clang;

// Assigning to a tensor that has no name copies into it: `x[0] = y`.
static bool writes(const CXXOperatorCallExpr* op) {
  if (!op->isAssignmentOp() || !isTensor(op->getArg(0)->getType())) return false;
  return op->getOperator() != OO_Equal || !op->getArg(0)->isLValue();
}

bool writesInPlace(const Expr* expr) {
  if (auto* op = dyn_cast<CXXOperatorCallExpr>(expr)) return writes(op);
  auto* call = dyn_cast<CallExpr>(expr);
  const FunctionDecl* callee = call ? call->getDirectCallee() : nullptr;
  if (!callee || !callee->getDeclName().isIdentifier()) return false;
  llvm::StringRef name = callee->getName();
  if (!name.ends_with("_") && !name.ends_with("_out") && name != "set_data") return false;
  if (auto* method = dyn_cast<CXXMemberCallExpr>(call); method && isTensor(method->getObjectType())) return name != "requires_grad_" && name != "retain_grad";
  return llvm::any_of(call->arguments(), [](const Expr* argument) { return isTensor(argument->getType()); });
}

namespace {

class WriteVisitor : public DynamicRecursiveASTVisitor {
 public:
  std::set<const ValueDecl*> written;
  void note(const Expr* place) {
    if (const ValueDecl* decl = placeOf(place)) written.insert(decl);
  }
  bool VisitBinaryOperator(BinaryOperator* op) override { if (op->isAssignmentOp()) note(op->getLHS()); return true; }
  bool VisitUnaryOperator(UnaryOperator* op) override {
    if (op->isIncrementDecrementOp() || op->getOpcode() == UO_AddrOf) note(op->getSubExpr());
    return true;
  }
  bool VisitCallExpr(CallExpr* call) override {
    auto* op = dyn_cast<CXXOperatorCallExpr>(call);
    auto* method = dyn_cast<CXXMemberCallExpr>(call);
    if (op && op->isAssignmentOp()) note(op->getArg(0));
    else if (writesInPlace(call)) note(method ? method->getImplicitObjectArgument() : call->getArg(0));
    auto* callee = call->getDirectCallee();
    unsigned shift = op && isa_and_nonnull<CXXMethodDecl>(callee) ? 1 : 0;  // an operator's object comes first
    for (unsigned i = 0; callee && i < callee->getNumParams() && i + shift < call->getNumArgs(); ++i) {
      QualType type = callee->getParamDecl(i)->getType();
      if (type->isLValueReferenceType() && !type.getNonReferenceType().isConstQualified()) note(call->getArg(i + shift));
    }
    return true;
  }
  bool VisitLambdaExpr(LambdaExpr* lambda) override {
    for (const LambdaCapture& capture : lambda->captures())
      if (capture.capturesVariable() && capture.getCaptureKind() == LCK_ByRef) written.insert(cast<ValueDecl>(capture.getCapturedVar()));
    return true;
  }
};

class InPlaceFinder : public DynamicRecursiveASTVisitor {
 public:
  InPlaceFinder(const SourceManager& sources, SourceLocation after) : sources_(sources), after_(after) {}
  const Stmt* found = nullptr;
  bool VisitCallExpr(CallExpr* call) override {
    if (writesInPlace(call) && sources_.isBeforeInTranslationUnit(after_, call->getBeginLoc())) found = call;
    return !found;
  }

 private:
  const SourceManager& sources_;
  SourceLocation after_;
};

class BufferFinder : public DynamicRecursiveASTVisitor {
 public:
  explicit BufferFinder(const ValueDecl* field) : field_(field) {}
  bool found = false;
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr* assignment) override {
    if (assignment->getOperator() == OO_Equal && placeOf(assignment->getArg(0)) == field_) found |= registers(assignment->getArg(1));
    return !found;
  }
  static bool registers(const Expr* value) {
    auto* call = dyn_cast_or_null<CallExpr>(strip(value));
    const FunctionDecl* callee = call ? torchCallee(call) : nullptr;
    return callee && callee->getName() == "register_buffer";
  }

 private:
  const ValueDecl* field_;
};

class LeaveFinder : public DynamicRecursiveASTVisitor {
 public:
  bool found = false;
  bool TraverseLambdaExpr(LambdaExpr*) override { return true; }
  bool VisitReturnStmt(ReturnStmt*) override { return !(found = true); }
  bool VisitBreakStmt(BreakStmt*) override { return !(found = true); }
  bool VisitContinueStmt(ContinueStmt*) override { return !(found = true); }
  bool VisitGotoStmt(GotoStmt*) override { return !(found = true); }
};

}  // namespace

std::set<const ValueDecl*> writtenBy(const Stmt* statement) {
  WriteVisitor visitor;
  visitor.TraverseStmt(const_cast<Stmt*>(statement));
  return std::move(visitor.written);
}

const Stmt* writeInPlaceAfter(SourceLocation after, const Stmt* in, const SourceManager& sources) {
  InPlaceFinder finder(sources, after);
  finder.TraverseStmt(const_cast<Stmt*>(in));
  return finder.found;
}

bool isBuffer(const ValueDecl* decl) {
  auto* field = dyn_cast<FieldDecl>(decl);
  auto* record = field ? dyn_cast<CXXRecordDecl>(field->getParent()) : nullptr;
  if (!record) return false;
  if (BufferFinder::registers(field->getInClassInitializer())) return true;
  for (const CXXConstructorDecl* constructor : record->ctors()) {
    const FunctionDecl* definition = constructor->getDefinition();
    if (!definition) continue;
    for (const CXXCtorInitializer* initializer : cast<CXXConstructorDecl>(definition)->inits())
      if (initializer->getMember() == field && BufferFinder::registers(initializer->getInit())) return true;
    BufferFinder finder(field);
    if (definition->getBody()) finder.TraverseStmt(const_cast<Stmt*>(definition->getBody()));
    if (finder.found) return true;
  }
  return false;
}

bool leaves(const Stmt* statement) {
  LeaveFinder finder;
  finder.TraverseStmt(const_cast<Stmt*>(statement));
  return finder.found;
}

std::optional<bool> gradModeSetBy(const Stmt* statement, ASTContext& context) {
  auto* declaration = dyn_cast<DeclStmt>(statement);
  if (!declaration) return {};
  for (const Decl* decl : declaration->decls()) {
    auto* variable = dyn_cast<VarDecl>(decl);
    auto* record = variable ? variable->getType()->getAsCXXRecordDecl() : nullptr;
    if (!record) continue;
    for (const char* off : {"at::NoGradGuard", "c10::NoGradGuard", "c10::InferenceMode"})
      if (derivesFrom(record, off)) return false;
    auto* construct = derivesFrom(record, "c10::AutoGradMode") ? dyn_cast_or_null<CXXConstructExpr>(strip(variable->getInit())) : nullptr;
    bool on = false;
    if (construct && construct->getNumArgs() == 1 && construct->getArg(0)->EvaluateAsBooleanCondition(on, context)) return on;
  }
  return {};
}

}  // namespace lint
