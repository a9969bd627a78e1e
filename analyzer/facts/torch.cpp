#include "analyzer/facts/torch.h"

#include <iterator>

namespace lint {
namespace {

constexpr ApiRow rows[] = {
#define API(owner, name, form, effect, since, note) {owner, name, ApiForm::form, ApiEffect::effect, since, note},
#include "analyzer/facts/torch-api.def"
};

const clang::CXXRecordDecl* recordOf(clang::QualType type) {
  return type.isNull() ? nullptr : type.getNonReferenceType()->getAsCXXRecordDecl();
}

bool isNamed(const clang::NamedDecl* decl, std::string_view qualifiedName) {
  return decl && decl->getDeclName().isIdentifier() && qualifiedName.ends_with(decl->getName()) &&
         decl->getQualifiedNameAsString() == qualifiedName;
}

// Tensor inherits its data members' accessors from TensorBase: both are "at::Tensor" to a user.
bool isTensorClass(const clang::CXXRecordDecl* record) {
  return isNamed(record, "at::Tensor") || isNamed(record, "at::TensorBase");
}

bool ownedBy(const clang::FunctionDecl* function, const ApiRow& row) {
  if (auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function))
    return row.form == ApiForm::method && row.owner == "at::Tensor" && isTensorClass(method->getParent());
  if (row.form != ApiForm::function) return false;
  auto* space = llvm::dyn_cast<clang::NamespaceDecl>(function->getDeclContext()->getEnclosingNamespaceContext());
  return isNamed(space, row.owner);
}

}  // namespace

const ApiRow* apiOf(const clang::FunctionDecl* function) {
  if (!function || !function->getDeclName().isIdentifier()) return nullptr;
  for (const ApiRow& row : rows)
    if (function->getName() == llvm::StringRef(row.name) && ownedBy(function, row)) return &row;
  return nullptr;
}

bool isTensor(clang::QualType type) { return isTensorClass(recordOf(type)); }
bool isScalar(clang::QualType type) { return isNamed(recordOf(type), "c10::Scalar"); }

bool isHostNumber(clang::QualType type) {
  return !type.isNull() && !type->isDependentType() && type.getNonReferenceType()->isArithmeticType();
}

bool derivesFrom(const clang::CXXRecordDecl* record, std::string_view qualifiedName) {
  if (!record || !record->hasDefinition()) return false;
  if (isNamed(record, qualifiedName)) return true;
  for (const clang::CXXBaseSpecifier& base : record->getDefinition()->bases())
    if (derivesFrom(recordOf(base.getType()), qualifiedName)) return true;
  return false;
}

bool isTorch(const clang::Decl* decl) {
  const clang::DeclContext* context = decl ? decl->getDeclContext() : nullptr;
  while (context && context->getParent() && !context->getParent()->isTranslationUnit()) context = context->getParent();
  auto* space = llvm::dyn_cast_or_null<clang::NamespaceDecl>(context);
  return space && (space->getName() == "at" || space->getName() == "torch" || space->getName() == "c10");
}

std::optional<Read> readOf(const clang::Expr* expr) {
  auto* call = llvm::dyn_cast_or_null<clang::CallExpr>(expr);
  const ApiRow* api = call ? apiOf(call->getDirectCallee()) : nullptr;
  if (!api || api->effect != ApiEffect::readsHost) return {};
  if (auto* member = llvm::dyn_cast<clang::CXXMemberCallExpr>(call)) return Read{call, member->getImplicitObjectArgument(), api};
  return Read{call, call->getArg(0), api};
}

namespace {
AST_MATCHER(clang::Stmt, isHostRead) {
  auto* expr = llvm::dyn_cast<clang::Expr>(&Node);
  return expr && readOf(expr).has_value();
}
}  // namespace

clang::ast_matchers::internal::Matcher<clang::Stmt> hostRead() { return isHostRead(); }

}  // namespace lint
