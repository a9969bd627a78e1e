// Expressions: each row of the op table in function, method and operator spelling, and C++ arithmetic on host numbers.
// lower-host.cpp has the numbers, lower-torch.cpp the calls, lower-arguments.cpp what their parameters mean.
#pragma once

#include "analyzer/rewrite/lower.h"

namespace lint {

class ExpressionLowering {
 public:
  explicit ExpressionLowering(Lowering& into) : into_(into), context_(into.context_) {}

  /// The slot of a modelled expression; -1 when it is not modelled.
  rt::Slot lower(const clang::Expr*);
  /// Why an expression cannot be part of a rewrite.
  std::string reasonFor(const clang::Expr*);
  /// The arguments of a call, sorted by the declared parameters into tensors, ints and flags. False: not modelled.
  bool arguments(const clang::CallExpr*, unsigned firstArgument, rt::Step&);
  /// What `x.add_(y)` or `x += y` would write: x.add(y).
  rt::Slot withoutWriting(const clang::Expr*);
  /// The results of a call that returns a tuple: x.max(1), x.sort().
  bool tuple(const clang::CallExpr*, std::vector<rt::Slot>& parts);
  /// A LibTorch function whose only effect is that it draws random numbers, of arguments that have none.
  bool onlyDraws(const clang::CallExpr*);
  /// The view that x.index({...}) gives for ints, slices and None; -1 where an index is a tensor.
  rt::Slot viewAt(rt::Slot self, const clang::Expr* indices);
  /// Appends index tensors, undefined where a dimension is taken whole.
  bool tensorIndices(const clang::Expr* indices, std::vector<rt::Slot>& args);

  /// The op behind an operator or a name with so many tensors.
  static std::optional<rt::Op> operatorOp(clang::OverloadedOperatorKind, unsigned operands);
  static std::optional<rt::Op> opCalled(llvm::StringRef name, size_t tensors);
  static std::optional<rt::HostOp> hostOp(clang::BinaryOperatorKind);

 private:
  rt::Slot constantOf(const clang::Expr*);
  rt::Slot hostBinary(const clang::BinaryOperator*);
  rt::Slot hostUnary(const clang::UnaryOperator*);
  rt::Slot hostCall(const clang::CallExpr*);
  rt::Slot shortCircuit(const clang::BinaryOperator*);
  rt::Slot conditional(const clang::ConditionalOperator*);
  bool arm(rt::Block&, rt::Slot result, llvm::function_ref<rt::Slot()> value);
  rt::Slot cast(const clang::CastExpr*);
  rt::Slot member(const clang::MemberExpr*);
  rt::Slot operatorCall(const clang::CXXOperatorCallExpr*);
  rt::Slot numberBy(rt::Op, rt::Slot number, rt::Slot tensor);
  rt::Slot anyCall(const clang::CallExpr*);
  rt::Slot torchCall(const clang::CallExpr*, const clang::FunctionDecl*);
  rt::Slot moduleCall(const clang::CallExpr*);
  rt::Slot indexed(const clang::CXXMemberCallExpr*);
  rt::Slot metadata(const clang::CXXMemberCallExpr*, llvm::StringRef name);
  rt::Slot read(const clang::CallExpr*, rt::HostType);
  rt::Slot scalarConversion(const clang::CXXMemberCallExpr*);
  rt::Slot creation(const clang::CallExpr*, llvm::StringRef name);
  rt::Slot tupleElement(const clang::CallExpr*);
  bool argument(const clang::Expr*, const clang::ParmVarDecl*, rt::Step&);
  bool intList(const clang::Expr*, std::vector<rt::Slot>&);
  bool tensorList(const clang::Expr*, std::vector<rt::Slot>&);
  bool dtype(const clang::Expr*, rt::Step&);
  bool options(const clang::Expr*, rt::Step&);

  Lowering& into_;
  clang::ASTContext& context_;
};

}  // namespace lint
