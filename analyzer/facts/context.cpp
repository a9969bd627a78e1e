#include "analyzer/facts/context.h"

#include "analyzer/facts/torch.h"

#include "clang/AST/ParentMapContext.h"

namespace lint {
namespace {

bool isLambdaBody(const clang::FunctionDecl* function) {
  auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
  return method && method->getParent()->isLambda();
}

bool returnsTensor(clang::QualType type) {
  if (isTensor(type)) return true;
  // A container or tuple of tensors: any template argument that is one.
  auto* record = type->getAsCXXRecordDecl();
  auto* special = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(record);
  if (!special) return false;
  for (const clang::TemplateArgument& argument : special->getTemplateArgs().asArray()) {
    if (argument.getKind() == clang::TemplateArgument::Type && isTensor(argument.getAsType())) return true;
    if (argument.getKind() == clang::TemplateArgument::Pack)
      for (const clang::TemplateArgument& element : argument.pack_elements())
        if (element.getKind() == clang::TemplateArgument::Type && isTensor(element.getAsType())) return true;
  }
  return false;
}

bool isLoop(const clang::Stmt* statement) {
  return llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(statement);
}

}  // namespace

void eachParent(const clang::Stmt* statement, clang::ASTContext& context,
                llvm::function_ref<bool(const clang::DynTypedNode&)> visit) {
  clang::DynTypedNode node = clang::DynTypedNode::create(*statement);
  while (true) {
    clang::DynTypedNodeList parents = context.getParents(node);
    if (parents.empty()) return;
    node = parents[0];
    if (!visit(node)) return;
  }
}

const clang::FunctionDecl* enclosingFunction(const clang::Stmt* statement, clang::ASTContext& context) {
  const clang::FunctionDecl* found = nullptr;
  eachParent(statement, context, [&](const clang::DynTypedNode& node) {
    auto* function = node.get<clang::FunctionDecl>();
    if (function && !isLambdaBody(function)) found = function;
    return !found;
  });
  return found;
}

const clang::CompoundStmt* enclosingBody(const clang::Stmt* statement, clang::ASTContext& context) {
  const clang::CompoundStmt* body = nullptr;
  const clang::CompoundStmt* last = nullptr;
  eachParent(statement, context, [&](const clang::DynTypedNode& node) {
    if (auto* compound = node.get<clang::CompoundStmt>()) last = compound;
    auto* outer = node.get<clang::Stmt>();
    bool boundary = node.get<clang::FunctionDecl>() || (outer && (isLoop(outer) || llvm::isa<clang::LambdaExpr>(outer)));
    if (boundary) body = last;
    return !boundary;
  });
  return body;
}

bool isDiscarded(const clang::Stmt* statement, clang::ASTContext& context) {
  const clang::Stmt* child = statement;
  bool discarded = false;
  eachParent(statement, context, [&](const clang::DynTypedNode& node) {
    auto* parent = node.get<clang::Stmt>();
    auto* branch = llvm::dyn_cast_or_null<clang::IfStmt>(parent);
    if (branch && branch->isConstexpr() && child != branch->getCond())
      if (auto taken = branch->getNondiscardedCase(context)) discarded = *taken != child;
    if (parent) child = parent;
    return !discarded && !node.get<clang::FunctionDecl>();
  });
  return discarded;
}

bool isForward(const clang::FunctionDecl* function) {
  auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(function);
  return method && method->getDeclName().isIdentifier() && method->getName().starts_with("forward") &&
         derivesFrom(method->getParent(), "torch::nn::Module");
}

bool isModelCode(const clang::FunctionDecl* function) {
  if (!function || function->isMain()) return false;
  if (isForward(function) || returnsTensor(function->getReturnType())) return true;
  auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function);
  return method && method->getDeclName().isIdentifier() && method->getName() == "step" &&
         derivesFrom(method->getParent(), "torch::optim::Optimizer");
}

}  // namespace lint
