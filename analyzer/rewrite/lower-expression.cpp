#include "analyzer/rewrite/lower-expression.h"

#include "analyzer/facts/torch.h"

#include <map>

namespace lint {

using namespace clang;
using rt::HostOp;
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

constexpr struct { BinaryOperatorKind kind; HostOp op; } hostRows[] = {
    {BO_Add, HostOp::add}, {BO_Sub, HostOp::sub}, {BO_Mul, HostOp::mul}, {BO_Div, HostOp::div}, {BO_Rem, HostOp::mod}, {BO_LT, HostOp::lt},
    {BO_LE, HostOp::le},   {BO_GT, HostOp::gt},   {BO_GE, HostOp::ge},   {BO_EQ, HostOp::eq},   {BO_NE, HostOp::ne},
};

constexpr struct { const char* name; HostOp op; } hostFunctions[] = {
    {"abs", HostOp::abs},     {"fabs", HostOp::abs},    {"sqrt", HostOp::sqrt},   {"exp", HostOp::exp},   {"log", HostOp::log},
    {"pow", HostOp::pow},     {"floor", HostOp::floor}, {"ceil", HostOp::ceil},   {"isnan", HostOp::isnan}, {"isinf", HostOp::isinf},
    {"isfinite", HostOp::isfinite}, {"min", HostOp::min}, {"max", HostOp::max},
};

// Names that stand for a row under another name.
const std::map<llvm::StringRef, const char*> synonyms = {
    {"multiply", "mul"}, {"subtract", "sub"}, {"divide", "div"}, {"true_divide", "div"}, {"negative", "neg"}, {"absolute", "abs"},
    {"greater", "gt"}, {"less", "lt"}, {"greater_equal", "ge"}, {"less_equal", "le"}, {"not_equal", "ne"}, {"clip", "clamp"}, {"arctan2", "atan2"},
};

std::optional<rt::Op> opOf(llvm::StringRef name) {
  if (auto it = synonyms.find(name); it != synonyms.end()) name = it->second;
  return rt::opNamed(std::string_view(name));
}

const FunctionDecl* namedTorchCallee(const CallExpr* call) {
  const FunctionDecl* callee = call->getDirectCallee();
  return callee && callee->getDeclName().isIdentifier() && isTorch(callee) ? callee : nullptr;
}

std::string typeName(QualType type) { return type.getNonReferenceType().getUnqualifiedType().getCanonicalType().getAsString(); }

bool isIntArray(const std::string& type) {
  return type.find("ArrayRef<long>") != std::string::npos || type.find("ArrayRef<int64_t>") != std::string::npos ||
         type.find("ArrayRef<class c10::SymInt>") != std::string::npos || type.find("ArrayRef<c10::SymInt>") != std::string::npos ||
         type.find("OptionalArrayRef<") != std::string::npos;
}

bool isTensorArray(const std::string& type) {
  return type.find("ArrayRef<class at::Tensor>") != std::string::npos || type.find("ArrayRef<at::Tensor>") != std::string::npos ||
         type.find("IListRef<") != std::string::npos;
}

// Looks through the conversions that the call's parameter asked for, to what the user wrote.
const Expr* written(const Expr* expr) {
  while (true) {
    expr = strip(expr);
    const Expr* inner = expr;
    if (auto* construct = dyn_cast<CXXConstructExpr>(expr); construct && construct->getNumArgs() >= 1 && !isa<CXXTemporaryObjectExpr>(construct)) {
      bool restDefaulted = true;
      for (unsigned i = 1; i < construct->getNumArgs(); ++i) restDefaulted &= isa<CXXDefaultArgExpr>(construct->getArg(i));
      if (restDefaulted) inner = construct->getArg(0);
    } else if (auto* cast = dyn_cast<CastExpr>(expr); cast && (cast->getCastKind() == CK_UserDefinedConversion || cast->getCastKind() == CK_ConstructorConversion)) {
      inner = cast->getSubExpr();
    } else if (auto* list = dyn_cast<CXXStdInitializerListExpr>(expr)) {
      inner = list->getSubExpr();
    }
    if (inner == expr) return expr;
    expr = inner;
  }
}

bool isNullopt(const Expr* expr) {
  std::string type = typeName(expr->getType());
  return type.find("nullopt_t") != std::string::npos || type.find("NoneType") != std::string::npos;
}

}  // namespace

std::optional<rt::Op> ExpressionLowering::operatorOp(OverloadedOperatorKind kind, unsigned operands) {
  for (const auto& row : operatorRows)
    if (row.kind == kind && row.operands == operands) return rt::opNamed(row.op);
  return {};
}

Slot ExpressionLowering::lower(const Expr* expr) {
  if (auto* op = dyn_cast<CXXOperatorCallExpr>(expr)) return operatorCall(op);
  if (auto* call = dyn_cast<CallExpr>(expr)) return torchCall(call);
  if (auto* use = dyn_cast<DeclRefExpr>(expr)) {
    if (Slot known = constantOf(expr); known >= 0) return known;
    auto* decl = dyn_cast<VarDecl>(use->getDecl());
    return decl ? into_.variable(decl) : -1;
  }
  if (auto* field = dyn_cast<MemberExpr>(expr)) return member(field);
  if (auto* choice = dyn_cast<ConditionalOperator>(expr)) return conditional(choice);
  if (!hostTypeOf(expr->getType())) return -1;
  if (Slot known = constantOf(expr); known >= 0) return known;
  if (auto* op = dyn_cast<BinaryOperator>(expr)) return op->isLogicalOp() ? shortCircuit(op) : hostBinary(op);
  if (auto* op = dyn_cast<UnaryOperator>(expr)) return hostUnary(op);
  if (auto* conversion = dyn_cast<CastExpr>(expr)) return cast(conversion);
  return -1;
}

Slot ExpressionLowering::constantOf(const Expr* expr) {
  auto type = hostTypeOf(expr->getType());
  Expr::EvalResult result;
  if (!type || expr->isValueDependent() || !expr->EvaluateAsRValue(result, context_) || result.HasSideEffects) return -1;
  if (into_.candidate_ && into_.contains(expr, into_.target_)) return -1;
  if (result.Val.isInt())
    return *type == HostType::boolean ? into_.constant(rt::Scalar(result.Val.getInt().getBoolValue()), *type)
                                      : into_.constant(rt::Scalar(int64_t(result.Val.getInt().getExtValue())), *type);
  if (!result.Val.isFloat()) return -1;
  llvm::APFloat value = result.Val.getFloat();
  bool lost = false;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lost);
  return into_.constant(rt::Scalar(value.convertToDouble()), *type);
}

Slot ExpressionLowering::hostBinary(const BinaryOperator* op) {
  for (const auto& row : hostRows)
    if (row.kind == op->getOpcode()) {
      auto type = hostTypeOf(op->getLHS()->getType());
      if (!type) return -1;
      Slot left = into_.expression(op->getLHS()), right = into_.expression(op->getRHS());
      return left < 0 || right < 0 ? -1 : into_.host(row.op, *type, {left, right});
    }
  return -1;
}

Slot ExpressionLowering::hostUnary(const UnaryOperator* op) {
  auto type = hostTypeOf(op->getSubExpr()->getType());
  bool negation = op->getOpcode() == UO_LNot, minus = op->getOpcode() == UO_Minus;
  if (!type || (!negation && !minus && op->getOpcode() != UO_Plus)) return -1;
  Slot operand = into_.expression(op->getSubExpr());
  if (operand < 0 || op->getOpcode() == UO_Plus) return operand;
  return into_.host(negation ? HostOp::logicalNot : HostOp::neg, *type, {operand});
}

Slot ExpressionLowering::converted(Slot value, QualType to) {
  auto type = hostTypeOf(to);
  if (value < 0 || !type) return -1;
  const rt::SlotInfo& info = into_.lowered_.program.slots[value];
  if (info.tensor || info.type == *type) return value;  // a tensor here is a candidate's replacement of a host value
  return into_.host(HostOp::cast, *type, {value});
}

Slot ExpressionLowering::cast(const CastExpr* conversion) {
  if (auto* call = dyn_cast<CXXMemberCallExpr>(strip(conversion->getSubExpr())); call && conversion->getCastKind() == CK_UserDefinedConversion)
    return converted(scalarConversion(call), conversion->getType());
  return converted(into_.expression(conversion->getSubExpr()), conversion->getType());
}

// One side of a choice between values.
bool ExpressionLowering::arm(rt::Block& block, Slot result, llvm::function_ref<Slot()> value) {
  rt::Block* outer = std::exchange(into_.block_, &block);
  Slot slot = value();
  rt::Step assign{.kind = rt::Step::Kind::assign, .dst = result, .args = {slot}};
  into_.emit(std::move(assign));
  into_.block_ = outer;
  return slot >= 0;
}

// `a && b` runs b only if a holds.
Slot ExpressionLowering::shortCircuit(const BinaryOperator* op) {
  Slot left = into_.expression(op->getLHS());
  if (left < 0) return -1;
  Slot result = into_.fresh("", false, HostType::boolean);
  bool isAnd = op->getOpcode() == BO_LAnd;
  rt::Step step{.kind = rt::Step::Kind::branch, .args = {left}, .where = op->getOperatorLoc().getRawEncoding()};
  auto decided = [&] { return into_.constant(rt::Scalar(!isAnd), HostType::boolean); };
  if (!arm(isAnd ? step.then : step.otherwise, result, [&] { return into_.expression(op->getRHS()); })) return -1;
  arm(isAnd ? step.otherwise : step.then, result, decided);
  into_.emit(std::move(step));
  return result;
}

Slot ExpressionLowering::conditional(const ConditionalOperator* choice) {
  auto type = hostTypeOf(choice->getType());
  if (!type && !isTensor(choice->getType())) return -1;
  Slot condition = into_.expression(choice->getCond());
  if (condition < 0) return -1;
  Slot result = into_.fresh("", !type, type.value_or(HostType::float64));
  rt::Step step{.kind = rt::Step::Kind::branch, .args = {condition}, .where = choice->getQuestionLoc().getRawEncoding()};
  bool lowered = arm(step.then, result, [&] { return into_.expression(choice->getTrueExpr()); }) &&
                 arm(step.otherwise, result, [&] { return into_.expression(choice->getFalseExpr()); });
  if (!lowered) return -1;
  into_.emit(std::move(step));
  return result;
}

// A member of this object is a variable; `layer->weight` is an input known by its text.
Slot ExpressionLowering::member(const MemberExpr* field) {
  if (const ValueDecl* place = placeOf(field)) return into_.variable(place);
  auto* decl = dyn_cast<FieldDecl>(field->getMemberDecl());
  auto type = hostTypeOf(field->getType());
  if (!decl || (!type && !isTensor(field->getType()))) return -1;
  std::string name = into_.text(field);
  if (name.empty() || name.find('(') != std::string::npos) return -1;
  return into_.input(into_.inputs_.keyOf(name), {.name = name, .tensor = !type, .type = type.value_or(HostType::float64),
                                                 .parameter = derivesFrom(dyn_cast<CXXRecordDecl>(decl->getParent()), "torch::nn::Module")});
}

Slot ExpressionLowering::operatorCall(const CXXOperatorCallExpr* call) {
  if (!isTensor(call->getType())) return -1;
  if (call->getOperator() == OO_Subscript && isTensor(call->getArg(0)->getType())) {
    const Expr* index = written(call->getArg(1));
    if (!hostTypeOf(index->getType())) return -1;
    Slot self = into_.expression(call->getArg(0)), place = into_.expression(index);
    Slot zero = into_.constant(rt::Scalar(0), HostType::int64);
    return self < 0 || place < 0 ? -1 : into_.call(*rt::opNamed("select"), {self}, {zero, place});
  }
  auto op = operatorOp(call->getOperator(), call->getNumArgs());
  rt::Step step{.kind = rt::Step::Kind::call};
  if (!op || !arguments(call, 0, step)) return -1;
  bool numberFirst = step.args.size() == 2 && !isTensor(call->getArg(0)->getType());
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
      {"size", rt::Meta::size}, {"dim", rt::Meta::dim}, {"numel", rt::Meta::numel}, {"defined", rt::Meta::defined}};
  auto what = names.find(name);
  if (what == names.end() || !isTensor(call->getObjectType())) return -1;
  Slot self = into_.expression(call->getImplicitObjectArgument());
  Slot dimension = call->getNumArgs() ? into_.expression(call->getArg(0)) : -1;
  if (self < 0 || (call->getNumArgs() && dimension < 0)) return -1;
  return into_.meta(what->second, self, dimension);
}

Slot ExpressionLowering::hostCall(const CallExpr* call) {
  const FunctionDecl* callee = call->getDirectCallee();
  auto type = hostTypeOf(call->getNumArgs() ? call->getArg(0)->getType() : QualType());
  if (!callee || !type || !callee->getDeclName().isIdentifier() || call->getNumArgs() > 2) return -1;
  if (callee->getName() == "__builtin_expect") return into_.expression(call->getArg(0));  // C10_UNLIKELY
  if (!callee->isInStdNamespace() && !callee->getBuiltinID() && !callee->isExternC()) return -1;
  for (const auto& row : hostFunctions)
    if (callee->getName() == row.name) {
      std::vector<Slot> args;
      for (const Expr* argument : call->arguments()) args.push_back(converted(into_.expression(argument), call->getArg(0)->getType()));
      return llvm::is_contained(args, -1) ? -1 : into_.host(row.op, *type, args);
    }
  return -1;
}

Slot ExpressionLowering::torchCall(const CallExpr* call) {
  const FunctionDecl* callee = namedTorchCallee(call);
  if (!callee) {
    Slot element = tupleElement(call);
    return element >= 0 ? element : hostCall(call);
  }
  llvm::StringRef name = callee->getName();
  auto* member = dyn_cast<CXXMemberCallExpr>(call);
  if (auto type = hostTypeOf(call->getType())) {
    if (member && isScalar(member->getObjectType())) return scalarConversion(member);
    if (Slot found = member ? metadata(member, name) : -1; found >= 0) return found;
    return read(call, *type);
  }
  if (!isTensor(call->getType())) return -1;
  if (Slot made = creation(call, name); made >= 0) return made;
  auto op = opOf(name);
  if (!op || (member && !isTensor(member->getObjectType()))) return -1;
  rt::Step step{.kind = rt::Step::Kind::call};
  if (member) {
    Slot self = into_.expression(member->getImplicitObjectArgument());
    if (self < 0) return -1;
    step.args.push_back(self);
  }
  if (!arguments(call, 0, step)) return -1;
  const rt::OpInfo& info = rt::info(*op);
  int count = static_cast<int>(step.args.size());
  if (count < info.minTensors || (info.maxTensors >= 0 && count > info.maxTensors)) return -1;
  step.op = *op;
  step.dst = into_.fresh(std::string(name), true);
  Slot result = step.dst;
  into_.emit(std::move(step));
  return result;
}

// std::get<I>(x.max(dim)): the values, or the index.
Slot ExpressionLowering::tupleElement(const CallExpr* call) {
  const FunctionDecl* callee = call->getDirectCallee();
  if (!callee || !callee->isInStdNamespace() || !callee->getDeclName().isIdentifier() || callee->getName() != "get" || call->getNumArgs() != 1) return -1;
  auto* arguments = callee->getTemplateSpecializationArgs();
  auto* inner = dyn_cast<CXXMemberCallExpr>(strip(call->getArg(0)));
  const FunctionDecl* reduction = inner ? namedTorchCallee(inner) : nullptr;
  if (!reduction || !arguments || arguments->get(0).getKind() != TemplateArgument::Integral) return -1;
  bool values = arguments->get(0).getAsIntegral() == 0;
  bool isMax = reduction->getName() == "max";
  if (!isMax && reduction->getName() != "min") return -1;
  auto op = rt::opNamed(values ? (isMax ? "max_dim" : "min_dim") : (isMax ? "argmax" : "argmin"));
  Slot self = into_.expression(inner->getImplicitObjectArgument());
  rt::Step step{.kind = rt::Step::Kind::call, .args = {self}};
  if (!op || self < 0 || !this->arguments(inner, 0, step) || step.ints.size() != 1) return -1;
  step.op = *op;
  step.dst = into_.fresh(std::string(reduction->getName()), true);
  Slot result = step.dst;
  into_.emit(std::move(step));
  return result;
}

bool ExpressionLowering::arguments(const CallExpr* call, unsigned first, rt::Step& step) {
  const FunctionDecl* callee = call->getDirectCallee();
  if (!callee) return false;
  // A member operator's object is its first argument but no parameter.
  unsigned shift = isa<CXXOperatorCallExpr>(call) && isa<CXXMethodDecl>(callee) ? 1 : 0;
  for (unsigned i = first; i < call->getNumArgs(); ++i) {
    if (i < shift) {
      Slot self = into_.expression(call->getArg(i));
      if (self < 0) return false;
      step.args.push_back(self);
      continue;
    }
    if (i - shift >= callee->getNumParams() || !argument(call->getArg(i), callee->getParamDecl(i - shift)->getType(), step)) return false;
  }
  return true;
}

// The declared type says what an argument is to the op.
bool ExpressionLowering::argument(const Expr* value, QualType parameter, rt::Step& step) {
  std::string type = typeName(parameter);
  bool optional = type.find("optional<") != std::string::npos || type.find("Optional") != std::string::npos;
  bool defaulted = isa<CXXDefaultArgExpr>(value);
  const Expr* inner = written(defaulted ? clang::cast<CXXDefaultArgExpr>(value)->getExpr() : value);
  bool absent = optional && isNullopt(inner);
  auto push = [](std::vector<Slot>& to, Slot slot) {
    if (slot >= 0) to.push_back(slot);
    return slot >= 0;
  };
  if (type.find("ScalarType") != std::string::npos) {
    if (!absent) step.dtype = dtype(inner);
    return absent || step.dtype;
  }
  if (isTensorArray(type)) return tensorList(inner, step.args);
  if (isIntArray(type)) return absent || intList(inner, step.ints);
  if (type.find("Scalar") != std::string::npos || type.find("at::Tensor") != std::string::npos) {
    if (absent) return push(step.args, into_.undefinedTensor());
    if (defaulted) return type.find("Scalar") != std::string::npos;  // alpha = 1, p = 2: the row's own default
    return (hostTypeOf(inner->getType()) || isTensor(inner->getType())) && push(step.args, into_.expression(inner));
  }
  if (absent) return true;
  if (parameter.getNonReferenceType()->isBooleanType()) {
    bool flag = false;
    if (!inner->EvaluateAsBooleanCondition(flag, context_)) return false;
    step.keepdim |= flag;
    return true;
  }
  if (hostTypeOf(inner->getType()) && (type == "long" || type.find("optional<long>") != std::string::npos || type.find("SymInt") != std::string::npos))
    return push(step.ints, into_.expression(inner));
  return defaulted;
}

bool ExpressionLowering::intList(const Expr* list, std::vector<Slot>& into) {
  list = written(list);
  auto* elements = dyn_cast<InitListExpr>(list);
  if (!elements) {
    if (auto* construct = dyn_cast<CXXConstructExpr>(list); construct && construct->getNumArgs() == 0) return true;  // IntArrayRef dim = {}
    if (!hostTypeOf(list->getType())) return false;
    Slot slot = into_.expression(list);
    into.push_back(slot);
    return slot >= 0;
  }
  for (const Expr* element : elements->inits()) {
    Slot slot = into_.expression(written(element));
    if (slot < 0) return false;
    into.push_back(slot);
  }
  return true;
}

bool ExpressionLowering::tensorList(const Expr* list, std::vector<Slot>& into) {
  auto* elements = dyn_cast<InitListExpr>(written(list));
  if (!elements) return false;
  for (const Expr* element : elements->inits()) {
    Slot slot = isTensor(element->getType()) ? into_.expression(element) : -1;
    if (slot < 0) return false;
    into.push_back(slot);
  }
  return true;
}

std::optional<rt::DType> ExpressionLowering::dtype(const Expr* expr) {
  static const std::map<llvm::StringRef, rt::DType> names = {
#define DTYPE(name, type, kind, constant) {#constant, rt::DType::name},
#include "runtime/dtypes.def"
      {"kI64", rt::DType::int64}, {"kI32", rt::DType::int32}, {"kF32", rt::DType::float32}, {"kF64", rt::DType::float64},
      {"kFloat32", rt::DType::float32}, {"kFloat64", rt::DType::float64}, {"kInt64", rt::DType::int64}, {"kInt32", rt::DType::int32},
      {"kFloat16", rt::DType::float16}, {"kByte", rt::DType::uint8}, {"kChar", rt::DType::int8}, {"kShort", rt::DType::int16},
      {"Float", rt::DType::float32}, {"Double", rt::DType::float64}, {"Half", rt::DType::float16}, {"BFloat16", rt::DType::bfloat16},
      {"Long", rt::DType::int64}, {"Int", rt::DType::int32}, {"Bool", rt::DType::boolean}, {"Byte", rt::DType::uint8},
  };
  auto* use = dyn_cast<DeclRefExpr>(written(expr));
  if (!use || !isTorch(use->getDecl()) || !use->getDecl()->getDeclName().isIdentifier()) return {};
  auto it = names.find(use->getDecl()->getName());
  return it == names.end() ? std::nullopt : std::optional(it->second);
}

// TensorOptions: a dtype, or the options of a tensor, with or without another dtype. Devices are not modelled.
bool ExpressionLowering::options(const Expr* expr, std::optional<rt::DType>& chosen, Slot& like) {
  if (isa<CXXDefaultArgExpr>(expr)) return true;
  expr = written(expr);
  if ((chosen = dtype(expr))) return true;
  auto* call = dyn_cast<CallExpr>(expr);
  const FunctionDecl* callee = call ? namedTorchCallee(call) : nullptr;
  if (!callee) {
    auto* construct = dyn_cast<CXXConstructExpr>(expr);
    return construct && construct->getNumArgs() == 0;
  }
  auto* member = dyn_cast<CXXMemberCallExpr>(call);
  llvm::StringRef name = callee->getName();
  if (member && name == "options" && isTensor(member->getObjectType())) return (like = into_.expression(member->getImplicitObjectArgument())) >= 0;
  if (member && !options(member->getImplicitObjectArgument(), chosen, like)) return false;
  if (name == "dtype" && call->getNumArgs() == 1) return (chosen = dtype(call->getArg(0))).has_value();
  return name == "device" || name == "requires_grad";
}

// zeros({2, 3}, x.options()): new_zeros(x, {2, 3}). The elementwise `_like` forms are ordinary rows unless they take options.
Slot ExpressionLowering::creation(const CallExpr* call, llvm::StringRef name) {
  bool filled = name == "full";
  if (name != "zeros" && name != "ones" && !filled) return -1;
  if (isa<CXXMemberCallExpr>(call) || call->getNumArgs() < (filled ? 2u : 1u)) return -1;
  std::vector<Slot> ints;
  std::optional<rt::DType> chosen;
  Slot like = -1;
  if (!intList(call->getArg(0), ints)) return -1;
  for (unsigned i = filled ? 2 : 1; i < call->getNumArgs(); ++i)
    if (!options(call->getArg(i), chosen, like)) return -1;
  std::vector<Slot> args;
  if (like >= 0) args.push_back(like);
  if (filled) {
    Slot fill = into_.expression(written(call->getArg(1)));
    if (fill < 0) return -1;
    args.push_back(fill);
  }
  auto op = rt::opNamed(like >= 0 ? "new_" + name.str() : name.str());
  return op ? into_.call(*op, args, ints, chosen) : -1;
}

}  // namespace lint
