// In which code a statement stands: code that runs for every batch on the device's clock, or code that may wait.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"

namespace lint {

/// The function written in the source that contains the statement; lambdas are looked through to the function around them.
const clang::FunctionDecl* enclosingFunction(const clang::Stmt*, clang::ASTContext&);

/// The nearest body around a statement: of a loop, a lambda or the function. Its statements run in order.
const clang::CompoundStmt* enclosingBody(const clang::Stmt*, clang::ASTContext&);

/// A `forward...` method of a class that derives from torch::nn::Module.
bool isForward(const clang::FunctionDecl*);

/// Code whose host reads cost: forward methods, the step of a torch::optim::Optimizer, forward and backward of a
/// torch::autograd::Function, and functions that compute tensors (they return one). Not main, not a driver's loop.
bool isModelCode(const clang::FunctionDecl*);

/// In a branch of `if constexpr` that is not compiled.
bool isDiscarded(const clang::Stmt*, clang::ASTContext&);

/// Walks outwards: the statement's parents, nearest first, until `visit` returns false.
void eachParent(const clang::Stmt*, clang::ASTContext&, llvm::function_ref<bool(const clang::DynTypedNode&)> visit);

}  // namespace lint
