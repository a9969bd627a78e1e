// From Clang's tree to a Program: the body around a target (of a loop, lambda or function) with everything that can be
// modelled, and free inputs for what cannot.
//
// - A local, parameter or member is a slot. Assigning a tensor rebinds it, as LibTorch's handle does.
// - An expression that is not modelled becomes a free input, one per expression, the same in both programs. Inside the
//   target this is a refusal: its effects are unknown, and the rewrite may run it when the original does not.
// - Where a statement after the target is not modelled, the program ends; its outputs are then what was assigned from
//   the target on. If something beyond writes to a tensor in place, that is a refusal: aliasing could differ.
#pragma once

#include "analyzer/rewrite/candidate.h"
#include "runtime/program.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

#include <map>
#include <set>

namespace lint {

/// Free inputs by what they stand for. `before` and `after` share one table, so that they have the same inputs.
class InputTable {
 public:
  struct Entry {
    std::string name;
    bool tensor = true;
    rt::HostType type = rt::HostType::float64;
    bool parameter = false;
  };
  /// A node, and the statement since which its value is unknown (null: from the start).
  using Key = std::pair<const void*, const void*>;

  int add(Key, Entry);
  /// A key that stands for a text, such as "layer->weight".
  Key keyOf(const std::string& text);
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::map<Key, int> index_;
  std::set<std::string> texts_;
  std::vector<Entry> entries_;
};

/// How much of the body around the target becomes part of the program. Less is tried where more cannot be run, because
/// shapes are unknown.
enum class Extent : uint8_t { wholeBody, upToTarget, targetOnly };

/// A program whose inputs are still indices into the table.
struct Lowered {
  rt::Program program;
  std::map<int, rt::Slot> inputs;
};

class Lowering {
 public:
  Lowering(clang::ASTContext&, InputTable&, const clang::Stmt* target, Extent);

  /// The program as written (no candidate), or with the target replaced. One call per object.
  std::variant<Lowered, Refusal> lower(const Candidate* = nullptr);

  // The pieces from which a candidate builds its replacement, and the walk below builds everything else.
  rt::Slot expression(const clang::Expr*);  // a tensor or a host scalar; -1 after a refusal
  rt::Slot call(rt::Op, std::vector<rt::Slot> args, std::vector<rt::Slot> ints = {}, std::optional<rt::DType> = {});
  rt::Slot host(rt::HostOp, rt::HostType operands, std::vector<rt::Slot> args);
  rt::Slot constant(rt::Scalar, rt::HostType);
  rt::Slot meta(rt::Meta, rt::Slot tensor, rt::Slot dimension = -1);
  rt::Slot undefinedTensor() { return fresh("none", true); }
  void assign(const clang::Expr* place, rt::Slot value);
  /// Ends the program with a returned value; -1: there is none.
  void finish(rt::Slot value);
  bool refused() const { return refusal_.has_value(); }

 private:
  friend class ExpressionLowering;

  // Statements; false: not modelled.
  bool statement(const clang::Stmt*);
  bool statementKind(const clang::Stmt*);
  bool compound(const clang::CompoundStmt*);
  bool declaration(const clang::VarDecl*);
  bool ifStatement(const clang::IfStmt*);
  bool returnStatement(const clang::ReturnStmt*);
  bool effect(const clang::Expr*);
  bool inPlace(const clang::Expr*);
  bool arm(const clang::Stmt*, rt::Block&);
  void stopHere();
  void forgetWritesOf(const clang::Stmt*);
  bool contains(const clang::Stmt* outer, const clang::Stmt* inner) const;
  const clang::Stmt* firstInPlaceAfterTarget() const;
  bool gradientsOffAround() const;

  rt::Slot variable(const clang::ValueDecl*);
  rt::Slot freeInput(const clang::Expr*);
  rt::Slot input(InputTable::Key, InputTable::Entry);
  void bind(const clang::ValueDecl*, rt::Slot value);
  rt::Slot fresh(std::string name, bool tensor, rt::HostType type = rt::HostType::float64);
  void emit(rt::Step step) { block_->push_back(std::move(step)); }
  rt::Slot refuse(std::string reason, const clang::Stmt* at);
  std::string text(const clang::Stmt*) const;
  std::vector<rt::Slot> observed(bool all);

  clang::ASTContext& context_;
  InputTable& inputs_;
  const clang::Stmt* target_;
  Extent extent_;
  const Candidate* candidate_ = nullptr;
  const clang::CompoundStmt* body_ = nullptr;
  const clang::Stmt* top_ = nullptr;  // the statement of the body that contains the target

  Lowered lowered_;
  rt::Block* block_ = nullptr;
  std::map<const clang::ValueDecl*, rt::Slot> variables_;
  std::map<const clang::ValueDecl*, const clang::Stmt*> forgotten_;
  std::vector<const clang::ValueDecl*> assigned_;  // from the target on, in order
  std::optional<Refusal> refusal_;
  size_t prefix_ = 0;
  bool inTarget_ = false, fromTarget_ = false, stopped_ = false;
};

/// Is this the place of a variable or of a member of `this`? Then its declaration.
const clang::ValueDecl* placeOf(const clang::Expr*);
/// Looks through parentheses, temporaries, cleanups, copies and casts that change nothing.
const clang::Expr* strip(const clang::Expr*);
/// The host types that programs know; unsigned and small integers are not among them.
std::optional<rt::HostType> hostTypeOf(clang::QualType);
/// A tensor method or operator that writes through its object: `x.add_(1)`, `x += 1`.
bool writesInPlace(const clang::Expr*);

/// Gives both programs the inputs that either uses, in one order, and drops what the target does not depend on.
void matchInputs(Lowered& before, Lowered& after, const InputTable&);

}  // namespace lint
