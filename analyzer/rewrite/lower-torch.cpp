// Calls: LibTorch's functions and operators, reads of values, modules, and the project's own functions.
#include "analyzer/rewrite/lower-expression.h"

#include "analyzer/facts/torch.h"
#include "analyzer/rewrite/writes.h"

#include <map>

namespace lint {

using namespace clang;
using rt::HostType;
using rt::Slot;

namespace {

constexpr struct { OverloadedOperatorKind kind; unsigned operands; const char* op; } operatorRows[] = {
    {OO_Plus, 2, "add"},        {OO_Minus, 2, "sub"},        {OO_Star, 2, "mul"},        {OO_Slash, 2, "div"},
    {OO_Less, 2, "lt"},         {OO_LessEqual, 2, "le"},     {OO_Greater, 2, "gt"},      {OO_GreaterEqual, 2, "ge"},
    {OO_EqualEqual, 2, "eq"},   {OO_ExclaimEqual, 2, "ne"},  {OO_Amp, 2, "bitwise_and"}, {OO_Pipe, 2, "bitwise_or"},
    {OO_Caret, 2, "bitwise_xor"}, {OO_Minus, 1, "neg"},      {OO_Tilde, 1, "bitwise_not"}, {OO_Exclaim, 1, "logical_not"},
    {OO_Percent, 2, "remainder"},
};

constexpr struct { const char* name; size_t tensors; const char* op; } spellings[] = {
#define SPELLING(name, tensors, op) {#name, tensors, #op},
#include "analyzer/rewrite/calls.def"
};

// Rows that are not what the function of their name does to a model: they draw numbers or update statistics.
constexpr llvm::StringLiteral notPure[] = {"dropout", "batch_norm", "native_batch_norm", "instance_norm", "empty", "empty_like"};

constexpr llvm::StringLiteral drawing[] = {"rand", "randn", "randint", "randperm", "rand_like", "randn_like", "bernoulli", "normal", "multinomial", "dropout"};

// The results of a call that returns a tuple, each a row.
constexpr struct { const char* name; const char* rows[2]; } tupleRows[] = {
    {"max", {"max_dim", "argmax"}},       {"min", {"min_dim", "argmin"}},       {"median", {"median_dim", "median_index"}},
    {"sort", {"sort", "argsort"}},        {"topk", {"topk", "topk_indices"}},   {"cummax", {"cummax", "cummax_indices"}},
    {"cummin", {"cummin", "cummin_indices"}},
};

// Modules without options that are a row.
constexpr struct { const char* module; const char* op; } moduleRows[] = {
    {"SigmoidImpl", "sigmoid"}, {"TanhImpl", "tanh"}, {"SiLUImpl", "silu"}, {"MishImpl", "mish"}, {"SoftsignImpl", "softsign"},
    {"LogSigmoidImpl", "log_sigmoid"}, {"TanhshrinkImpl", "tanhshrink"},
};

// `layer(x)`, `layer->forward(x)`: the expression that names the module.
const Expr* moduleOf(const CallExpr* call) {
  const Expr* object = nullptr;
  if (auto* op = dyn_cast<CXXOperatorCallExpr>(call); op && op->getOperator() == OO_Call) object = strip(op->getArg(0));
  if (auto* method = dyn_cast<CXXMemberCallExpr>(call); method && method->getMethodDecl() && method->getMethodDecl()->getDeclName().isIdentifier() &&
                                                         method->getMethodDecl()->getName() == "forward")
    object = strip(method->getImplicitObjectArgument());
  if (auto* arrow = dyn_cast_or_null<CXXOperatorCallExpr>(object); arrow && arrow->getOperator() == OO_Arrow) object = strip(arrow->getArg(0));
  return object;
}

// torch::nn::Linear holds a LinearImpl.
llvm::StringRef moduleClass(const Expr* object) {
  auto* record = object->getType().getNonReferenceType()->getAsCXXRecordDecl();
  if (!record) return {};
  for (const CXXBaseSpecifier& base : record->hasDefinition() ? record->getDefinition()->bases() : CXXRecordDecl::base_class_range(nullptr, nullptr))
    if (auto* holder = dyn_cast_or_null<ClassTemplateSpecializationDecl>(base.getType()->getAsCXXRecordDecl()); holder && holder->getName() == "ModuleHolder")
      return holder->getTemplateArgs()[0].getAsType()->getAsCXXRecordDecl()->getName();
  return isTorch(record) ? record->getName() : llvm::StringRef();
}

}  // namespace

std::optional<rt::Op> ExpressionLowering::operatorOp(OverloadedOperatorKind kind, unsigned operands) {
  for (const auto& row : operatorRows)
    if (row.kind == kind && row.operands == operands) return rt::opNamed(row.op);
  return {};
}

std::optional<rt::Op> ExpressionLowering::opCalled(llvm::StringRef name, size_t tensors) {
  for (const auto& row : spellings)
    if (name == row.name && (row.tensors == 0 || row.tensors == tensors)) return rt::opNamed(row.op);
  return llvm::is_contained(notPure, name) || name.starts_with("_") ? std::nullopt : rt::opNamed(std::string_view(name));
}

bool ExpressionLowering::onlyDraws(const CallExpr* call) {
  const FunctionDecl* callee = torchCallee(call);
  if (!callee || isa<CXXMemberCallExpr>(call) || !llvm::is_contained(drawing, callee->getName())) return false;
  return llvm::all_of(call->arguments(), [&](const Expr* argument) {  // of known sizes, of known options
    argument = written(argument);
    std::vector<Slot> sizes;
    rt::Step step;
    return isa<DeclRefExpr>(argument) || intList(argument, sizes) || options(argument, step);
  });
}

std::string ExpressionLowering::reasonFor(const Expr* expr) {
  auto* call = dyn_cast<CallExpr>(expr);
  const FunctionDecl* callee = call ? call->getDirectCallee() : nullptr;
  std::string shown = "'" + into_.text(expr) + "'", draws = " draws random numbers: the rewrite would draw them in either case";
  if (callee && callee->getDeclName().isIdentifier()) {
    llvm::StringRef name = callee->getName();
    if (isTorch(callee) && llvm::is_contained(drawing, name.rtrim('_'))) return shown + draws;
    if (call->getType()->isVoidType()) return "'" + name.str() + "' may have side effects";
  }
  llvm::StringRef module;
  if (const Expr* object = call ? moduleOf(call) : nullptr) module = moduleClass(object);
  if (module.contains("Dropout")) return shown + draws;
  if (module.contains("BatchNorm") || module.contains("InstanceNorm")) return shown + " updates running statistics";
  return shown + " is not modelled: it may have side effects";
}

Slot ExpressionLowering::operatorCall(const CXXOperatorCallExpr* call) {
  if (!isTensor(call->getType())) return -1;
  if (call->getOperator() == OO_Subscript && isTensor(call->getArg(0)->getType())) {
    const Expr* index = written(call->getArg(1));
    if (!hostTypeOf(index->getType())) return -1;
    Slot self = into_.expression(call->getArg(0)), place = self < 0 ? -1 : into_.expression(index);
    return into_.call(*rt::opNamed("select"), {self}, {into_.constant(rt::Scalar(0), HostType::int64), place});
  }
  auto op = operatorOp(call->getOperator(), call->getNumArgs());
  rt::Step step{.kind = rt::Step::Kind::call};
  if (op) step.op = *op;
  if (!op || !arguments(call, 0, step)) return -1;
  bool numberFirst = step.args.size() == 2 && !into_.isTensorSlot(step.args[0]);
  if (numberFirst && (*op == rt::Op::sub || *op == rt::Op::div || *op == rt::Op::remainder)) return numberBy(*op, step.args[0], step.args[1]);
  return into_.call(*op, step.args);
}

// `1 - x`: LibTorch's operator fills a tensor like x with the number and works on it in place, so that the dtype is x's, and
// `1 / x` of integers throws.
Slot ExpressionLowering::numberBy(rt::Op op, Slot number, Slot tensor) {
  Slot filled = into_.call(*rt::opNamed("full_like"), {tensor, number});
  rt::Step step{.kind = rt::Step::Kind::inPlace, .dst = into_.fresh("", true), .args = {filled, tensor}, .op = op};
  Slot result = step.dst;
  into_.emit(std::move(step));
  return result;
}

Slot ExpressionLowering::read(const CallExpr* call, HostType type) {
  auto found = readOf(call);
  if (!found || (found->api->name != "item" && found->api->name != "is_nonzero")) return -1;
  Slot tensor = into_.expression(found->tensor);
  if (tensor < 0) return -1;
  Slot result = into_.fresh("", false, type);
  rt::Step step{.kind = rt::Step::Kind::item, .dst = result, .args = {tensor}, .type = type};
  into_.emit(std::move(step));
  return result;
}

// `x.item().toFloat()`, `x.item().to<float>()`
Slot ExpressionLowering::scalarConversion(const CXXMemberCallExpr* call) {
  auto type = hostTypeOf(call->getType());
  auto* inner = dyn_cast_or_null<CallExpr>(strip(call->getImplicitObjectArgument()));
  return type && inner && isScalar(call->getObjectType()) ? read(inner, *type) : -1;
}

Slot ExpressionLowering::metadata(const CXXMemberCallExpr* call, llvm::StringRef name) {
  static const std::map<llvm::StringRef, rt::Meta> names = {
      {"size", rt::Meta::size}, {"dim", rt::Meta::dim}, {"ndimension", rt::Meta::dim}, {"numel", rt::Meta::numel}, {"defined", rt::Meta::defined}};
  auto what = names.find(name);
  if (what == names.end() || !isTensor(call->getObjectType())) return -1;
  Slot self = into_.expression(call->getImplicitObjectArgument());
  Slot dimension = call->getNumArgs() ? into_.expression(call->getArg(0)) : -1;
  if (self < 0 || (call->getNumArgs() && dimension < 0)) return -1;
  return into_.meta(what->second, self, dimension);
}

Slot ExpressionLowering::anyCall(const CallExpr* call) {
  auto* writing = dyn_cast<CXXMemberCallExpr>(call);
  if (writing && isTensor(call->getType()) && isTensor(writing->getObjectType()) && writesInPlace(call))  // its value is the tensor
    return into_.inPlace(call) ? into_.expression(writing->getImplicitObjectArgument()) : -1;
  if (const FunctionDecl* callee = torchCallee(call)) return torchCall(call, callee);
  if (Slot element = tupleElement(call); element >= 0) return element;
  if (Slot number = hostCall(call); number >= 0 || into_.refused()) return number;
  if (Slot result = moduleCall(call); result >= 0) return result;
  Slot result = -1;
  return into_.inlined(call, result) ? result : -1;
}

// A Linear is its function of two parameters; the others have options that are not known here.
Slot ExpressionLowering::moduleCall(const CallExpr* call) {
  const Expr* object = moduleOf(call);
  if (!object || !isTensor(call->getType())) return -1;
  llvm::StringRef module = moduleClass(object);
  const Expr* argument = call->getNumArgs() ? call->getArg(call->getNumArgs() - 1) : nullptr;
  std::string name = into_.text(object);
  if (module.empty() || !argument || !isTensor(argument->getType()) || into_.isRepeated()) return -1;
  for (const auto& row : moduleRows)
    if (module == row.module) return into_.call(*rt::opNamed(row.op), {into_.expression(argument)});
  if (module != "LinearImpl") return -1;
  auto parameter = [&](const char* which) { return into_.input(into_.inputs_.keyOf(name + which), {.name = name + which, .parameter = true}); };
  Slot input = into_.expression(argument);
  return input < 0 ? -1 : into_.call(*rt::opNamed("linear"), {input, parameter("->weight"), parameter("->bias")});
}

Slot ExpressionLowering::torchCall(const CallExpr* call, const FunctionDecl* callee) {
  llvm::StringRef name = callee->getName();
  auto* member = dyn_cast<CXXMemberCallExpr>(call);
  if (auto type = hostTypeOf(call->getType())) {
    if (member && isScalar(member->getObjectType())) return scalarConversion(member);
    if (Slot found = member ? metadata(member, name) : -1; found >= 0) return found;
    return read(call, *type);
  }
  if (!isTensor(call->getType())) return -1;
  if (member && !isTensor(member->getObjectType())) return moduleCall(call);
  if (member && name == "index" && call->getNumArgs() == 1) return indexed(member);
  if (member && (name == "cpu" || name == "cuda")) return into_.call(*rt::opNamed("to"), {into_.expression(member->getImplicitObjectArgument())});
  if (Slot made = creation(call, name); made >= 0 || into_.refused()) return made;
  size_t tensors = member ? 1 : 0;
  for (const Expr* argument : call->arguments()) tensors += isTensor(argument->getType());
  rt::Step step{.kind = rt::Step::Kind::call};
  auto op = opCalled(name, tensors);
  if (!op) return -1;
  step.op = *op;
  if (member) {
    Slot self = into_.expression(member->getImplicitObjectArgument());
    if (self < 0) return -1;
    step.args.push_back(self);
  }
  if (!arguments(call, 0, step)) return -1;
  const rt::OpInfo& info = rt::info(step.op);
  int count = static_cast<int>(step.args.size());
  bool numbers = info.tensors > 0 && info.tensors < info.maxTensors;
  if (count < info.minTensors || (info.maxTensors >= 0 && count > info.maxTensors && !numbers)) return -1;
  step.dst = into_.fresh(std::string(name), true);
  Slot result = step.dst;
  into_.emit(std::move(step));
  return result;
}

Slot ExpressionLowering::withoutWriting(const Expr* expr) {
  rt::Step step{.kind = rt::Step::Kind::call};
  if (auto* op = dyn_cast<CXXOperatorCallExpr>(expr)) {
    auto plain = operatorOp(withoutAssignment(op->getOperator()), 2);
    step.args = {into_.expression(op->getArg(0))};
    if (!plain || step.args[0] < 0) return -1;
    step.op = *plain;
    return arguments(op, 1, step) ? into_.call(step.op, step.args) : -1;
  }
  auto* call = cast<CXXMemberCallExpr>(expr);
  auto op = opCalled(call->getMethodDecl()->getName().drop_back(), 2);
  step.args = {into_.expression(call->getImplicitObjectArgument())};
  if (!op || step.args[0] < 0) return -1;
  step.op = *op;
  if (!arguments(call, 0, step)) return -1;
  step.dst = into_.fresh("", true);
  Slot result = step.dst;
  into_.emit(std::move(step));
  return result;
}

bool ExpressionLowering::tuple(const CallExpr* call, std::vector<Slot>& parts) {
  const FunctionDecl* callee = torchCallee(call);
  if (!callee) return false;
  auto* member = dyn_cast<CXXMemberCallExpr>(call);
  for (const auto& row : tupleRows) {
    if (callee->getName() != row.name || isTensor(call->getType()) || (member && !isTensor(member->getObjectType()))) continue;
    rt::Step step{.kind = rt::Step::Kind::call, .op = *rt::opNamed(row.rows[0])};
    if (member) step.args.push_back(into_.expression(member->getImplicitObjectArgument()));
    if (llvm::is_contained(step.args, -1) || !arguments(call, 0, step) || step.args.size() != 1 || step.ints.empty()) return false;
    for (const char* op : row.rows) {
      rt::Step part = step;
      part.op = *rt::opNamed(op);
      part.dst = into_.fresh(op, true);
      parts.push_back(part.dst);
      into_.emit(std::move(part));
    }
    return true;
  }
  return false;
}

// std::get<I>(x.max(dim)), std::get<I>(t) of a local t
Slot ExpressionLowering::tupleElement(const CallExpr* call) {
  const FunctionDecl* callee = call->getDirectCallee();
  if (!callee || !callee->isInStdNamespace() || !callee->getDeclName().isIdentifier() || callee->getName() != "get" || call->getNumArgs() != 1) return -1;
  auto* arguments = callee->getTemplateSpecializationArgs();
  if (!arguments || arguments->get(0).getKind() != TemplateArgument::Integral) return -1;
  size_t which = arguments->get(0).getAsIntegral().getZExtValue();
  const Expr* from = strip(call->getArg(0));
  std::vector<Slot> parts;
  if (auto* use = dyn_cast<DeclRefExpr>(from)) {
    auto it = into_.state_.tuples.find(use->getDecl());
    if (it != into_.state_.tuples.end()) parts = it->second;
  } else if (auto* made = dyn_cast<CallExpr>(from)) {
    tuple(made, parts);
  }
  return which < parts.size() ? parts[which] : -1;
}

}  // namespace lint
