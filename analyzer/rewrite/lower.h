// From Clang's tree to a Program: the body around a target (of a loop, lambda or function) with everything that can be
// modelled, and free inputs for what cannot.
//
// - A local, parameter or member is a slot. Assigning a tensor rebinds it, as LibTorch's handle does.
// - An expression that is not modelled becomes a free input, one per expression, the same in both programs. Inside the
//   target this is a refusal: its effects are unknown, and the rewrite may run it when the original does not. Inside what
//   runs several times (a loop that is unrolled, a function that is inlined) it stops the unrolling: it has several values.
// - Where a statement after the target is not modelled, the program ends; its outputs are then what was assigned from
//   the target on. If something beyond writes to a tensor in place, that is a refusal: aliasing could differ.
//
// The work is spread over lower-*.cpp by what is lowered: statements, effects, loops, calls of the project's own functions;
// expressions are lower-expression.h's.
#pragma once

#include "analyzer/rewrite/candidate.h"
#include "analyzer/rewrite/inputs.h"
#include "analyzer/rewrite/peel.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

namespace lint {

/// How much of the body around the target becomes part of the program. Less is tried where more cannot be run, because
/// shapes are unknown.
enum class Extent : uint8_t { wholeBody, upToTarget, targetOnly };

class Lowering {
 public:
  Lowering(clang::ASTContext&, InputTable&, const clang::Stmt* target, Extent);
  /// A function, all of it: nothing may be unknown. Its parameters are inputs by their names.
  Lowering(clang::ASTContext&, InputTable&, const clang::FunctionDecl*);

  /// The program as written (no candidate), or with the target replaced. One call per object.
  std::variant<Lowered, Refusal> lower(const Candidate* = nullptr);
  std::variant<Lowered, Refusal> lowerFunction();

  // The pieces from which a candidate builds its replacement, and the walk below builds everything else.
  rt::Slot expression(const clang::Expr*);  // a tensor or a host scalar; -1 after a refusal
  rt::Slot call(rt::Op, std::vector<rt::Slot> args, std::vector<rt::Slot> ints = {}, std::optional<rt::DType> = {});
  void inPlace(rt::Op, std::vector<rt::Slot> args);
  rt::Slot host(rt::HostOp, rt::HostType operands, std::vector<rt::Slot> args);
  rt::Slot constant(rt::Scalar, rt::HostType);
  rt::Slot meta(rt::Meta, rt::Slot tensor, rt::Slot dimension = -1);
  rt::Slot converted(rt::Slot, rt::HostType);
  rt::Slot undefinedTensor() { return fresh("none", true); }
  rt::Slot local(const std::string& name, rt::Slot value);  // a new variable with this value
  void assign(const clang::Expr* place, rt::Slot value);
  void assign(const clang::ValueDecl*, rt::Slot value);
  /// A local that the candidate declares anew, as a tensor.
  void declare(const clang::ValueDecl*, rt::Slot value);
  bool statement(const clang::Stmt*);  // false: not modelled
  /// Lowers while a variable stands for another value, as a text does in which its name is replaced.
  rt::Slot standing(const std::map<const clang::ValueDecl*, rt::Slot>&, llvm::function_ref<rt::Slot()>);
  /// `if (condition) { ... }` that stays on the host.
  void onlyIf(const clang::Expr* condition, llvm::function_ref<void()>);
  /// The rest of the body runs whatever the condition, and what it returns is then chosen: `torch::where(condition, value,
  /// rest)`, where `value` is computed there.
  void chooseAtReturn(rt::Slot condition, std::function<rt::Slot(Lowering&)> value);
  /// Ends the program with a returned value; -1: there is none.
  void finish(rt::Slot value);
  rt::Slot refuse(std::string reason, const clang::Stmt* at);  // -1; a reason counts inside the target only
  bool refused() const { return refusal_.has_value(); }

 private:
  friend class ExpressionLowering;

  // Statements; false: not modelled.
  bool statementKind(const clang::Stmt*);
  bool compound(const clang::CompoundStmt*);
  bool statements(llvm::ArrayRef<const clang::Stmt*>);
  bool branchThenRest(const clang::IfStmt*, llvm::ArrayRef<const clang::Stmt*> rest);
  bool declaration(const clang::VarDecl*);
  bool bindings(const clang::DecompositionDecl*);
  bool ifStatement(const clang::IfStmt*);
  bool switchStatement(const clang::SwitchStmt*);
  bool forStatement(const clang::ForStmt*);
  bool rangeFor(const clang::CXXForRangeStmt*);
  bool rounds(const clang::Stmt* body, const clang::VarDecl*, size_t count, llvm::function_ref<rt::Slot(size_t)> value);
  bool returnStatement(const clang::ReturnStmt*);
  bool arm(rt::Block&, llvm::function_ref<bool()>);
  /// A condition that is a constant by now: of an inlined function's flag, of a loop's counter. Only its arm is lowered.
  std::optional<bool> decided(rt::Slot condition) const;
  void setGradMode(bool on);

  // Expressions that stand for their effect.
  bool effect(const clang::Expr*);
  bool compoundAssignment(const clang::CompoundAssignOperator*);
  bool increment(const clang::UnaryOperator*);
  bool inPlace(const clang::Expr*);
  bool copyInto(const clang::CXXOperatorCallExpr*);
  bool indexPut(const clang::CXXMemberCallExpr*);

  // A call of a function whose body this translation unit has: true when it could be lowered. `result` stays -1 for void.
  bool inlined(const clang::CallExpr*, rt::Slot& result);
  bool inlinedBody(const clang::FunctionDecl*, llvm::ArrayRef<const clang::Expr*> arguments, rt::Slot& result);
  bool bindParameters(const clang::FunctionDecl*, llvm::ArrayRef<const clang::Expr*> arguments);

  void stopHere(const clang::Stmt* before);
  /// A host local that the candidate made a tensor is named where that is not followed: no claim can be made.
  bool losesSightOf(const clang::Stmt*);
  void forgetWritesOf(const clang::Stmt*);
  bool contains(const clang::Stmt* outer, const clang::Stmt* inner) const;
  bool gradientsOffAround() const;
  bool isOwnLocal(const clang::ValueDecl*) const;
  bool isRepeated() const { return repeated_ > 0; }

  const clang::ValueDecl* origin(const clang::ValueDecl*) const;
  rt::Slot variable(const clang::ValueDecl*);
  rt::Slot freeInput(const clang::Expr*);
  rt::Slot drawn(const clang::Expr*);
  rt::Slot input(InputTable::Key, InputTable::Entry);
  rt::Slot fresh(std::string name, bool tensor, rt::HostType type = rt::HostType::float64);
  bool isTensorSlot(rt::Slot slot) const { return lowered_.program.slots[slot].tensor; }
  void emit(rt::Step step) { block_->push_back(std::move(step)); }
  uint32_t nextBranch() { return ++branches_; }
  std::string text(const clang::Stmt*) const;
  std::vector<rt::Slot> observed(bool all);

  // What is put back when lowering something as a whole fails halfway.
  struct State {
    std::map<const clang::ValueDecl*, rt::Slot> variables;
    std::map<const clang::ValueDecl*, const clang::ValueDecl*> references;        // a reference, and what it names
    std::map<const clang::ValueDecl*, const clang::Stmt*> forgotten;
    std::map<const clang::ValueDecl*, std::vector<rt::Slot>> tuples;
    std::vector<const clang::ValueDecl*> assigned;                         // from the target on, in order
    bool gradients = true, stopped = false;
  };
  bool wholly(llvm::function_ref<bool()>);

  struct Frame { const clang::FunctionDecl* function; rt::Slot result; };
  struct Choice {
    rt::Slot condition;
    std::function<rt::Slot(Lowering&)> value;
  };

  clang::ASTContext& context_;
  InputTable& inputs_;
  const clang::Stmt* target_;
  Extent extent_;
  const Candidate* candidate_ = nullptr;
  const clang::CompoundStmt* body_ = nullptr;
  const clang::Stmt* top_ = nullptr;  // the statement of the body that contains the target

  Lowered lowered_;
  rt::Block* block_ = nullptr;
  State state_;
  std::map<rt::Slot, rt::Scalar> known_;  // slots that hold constants at this point
  std::vector<Frame> frames_;  // of inlined functions
  std::optional<Choice> choice_;
  std::optional<Refusal> refusal_;
  std::set<const clang::ValueDecl*> redeclared_;  // as the candidate has it
  std::set<const clang::ValueDecl*> tensorNow_;   // host locals that the candidate made tensors
  uint32_t branches_ = 0;
  int repeated_ = 0, arms_ = 0;
  bool byName_ = false;
  bool inTarget_ = false, fromTarget_ = false;
};

}  // namespace lint
