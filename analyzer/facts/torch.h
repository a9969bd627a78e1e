// What LibTorch's declarations mean. Everything is decided by declaration, never by a spelled name.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/ASTMatchers/ASTMatchers.h"

#include <optional>
#include <string_view>

namespace lint {

enum class ApiForm : uint8_t { method, function };
enum class ApiEffect : uint8_t { readsHost };

struct ApiRow {
  std::string_view owner, name;
  ApiForm form;
  ApiEffect effect;
  std::string_view since, note;
};

/// The row that describes this declaration.
const ApiRow* apiOf(const clang::FunctionDecl*);

/// at::Tensor (torch::Tensor is an alias of it), c10::Scalar; references and cv are looked through.
bool isTensor(clang::QualType);
bool isScalar(clang::QualType);
/// bool, an integer or a floating type of the host.
bool isHostNumber(clang::QualType);
/// A class that derives from the named one, directly or not, or is it.
bool derivesFrom(const clang::CXXRecordDecl*, std::string_view qualifiedName);
/// A function or method of LibTorch: declared in torch::, at:: or c10::.
bool isTorch(const clang::Decl*);

/// A call that copies a tensor's value to the host: `x.item<float>()`.
struct Read {
  const clang::Expr* call;
  const clang::Expr* tensor;  // the object, or the first argument of a function
  const ApiRow* api;
};
std::optional<Read> readOf(const clang::Expr*);

/// Matches such calls.
clang::ast_matchers::internal::Matcher<clang::Stmt> hostRead();

}  // namespace lint
