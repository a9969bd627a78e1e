// Expressions: each row of the op table in function, method and operator spelling, and C++ arithmetic on host numbers.
#pragma once

#include "analyzer/rewrite/lower.h"

namespace lint {

class ExpressionLowering {
 public:
  explicit ExpressionLowering(Lowering& into) : into_(into), context_(into.context_) {}

  /// The slot of a modelled expression; -1 when it is not modelled.
  rt::Slot lower(const clang::Expr*);
  /// The arguments of a call, sorted by the declared parameter types into tensors, ints and flags. False: not modelled.
  bool arguments(const clang::CallExpr*, unsigned firstArgument, rt::Step&);
  /// The op behind an operator or a name.
  static std::optional<rt::Op> operatorOp(clang::OverloadedOperatorKind, unsigned operands);

 private:
  rt::Slot constantOf(const clang::Expr*);
  rt::Slot hostBinary(const clang::BinaryOperator*);
  rt::Slot hostUnary(const clang::UnaryOperator*);
  rt::Slot hostCall(const clang::CallExpr*);
  rt::Slot shortCircuit(const clang::BinaryOperator*);
  bool arm(rt::Block&, rt::Slot result, llvm::function_ref<rt::Slot()> value);
  rt::Slot conditional(const clang::ConditionalOperator*);
  rt::Slot cast(const clang::CastExpr*);
  rt::Slot converted(rt::Slot, clang::QualType to);
  rt::Slot member(const clang::MemberExpr*);
  rt::Slot operatorCall(const clang::CXXOperatorCallExpr*);
  rt::Slot numberBy(rt::Op, rt::Slot number, rt::Slot tensor);
  rt::Slot torchCall(const clang::CallExpr*);
  rt::Slot metadata(const clang::CXXMemberCallExpr*, llvm::StringRef name);
  rt::Slot read(const clang::CallExpr*, rt::HostType);
  rt::Slot scalarConversion(const clang::CXXMemberCallExpr*);
  rt::Slot creation(const clang::CallExpr*, llvm::StringRef name);
  rt::Slot tupleElement(const clang::CallExpr*);
  bool argument(const clang::Expr*, clang::QualType parameter, rt::Step&);
  bool intList(const clang::Expr*, std::vector<rt::Slot>&);
  bool tensorList(const clang::Expr*, std::vector<rt::Slot>&);
  std::optional<rt::DType> dtype(const clang::Expr*);
  bool options(const clang::Expr*, std::optional<rt::DType>&, rt::Slot& like);

  Lowering& into_;
  clang::ASTContext& context_;
};

}  // namespace lint
