// Most rows are a function of their name; the table below has the others.

#include "runtime/program-cpp.h"

#include "runtime/host.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

namespace rt {

namespace {

// $0, $1 are the tensors, #0 the ints, ## all ints as a list, ~0 the reals, ^ is keepdim.
const std::map<std::string, std::string> spelled = {
    {"max_dim", "std::get<0>($0.max(#0, ^))"},       {"min_dim", "std::get<0>($0.min(#0, ^))"},   {"median_dim", "std::get<0>($0.median(#0, ^))"},
    {"median_index", "std::get<1>($0.median(#0, ^))"}, {"transpose", "$0.transpose(#0, #1)"},      {"select", "$0.select(#0, #1)"},
    {"narrow", "$0.narrow(#0, #1, #2)"},             {"slice", "$0.slice(#0, #1, #2, #3)"},       {"unsqueeze", "$0.unsqueeze(#0)"},
    {"flatten", "$0.flatten(#0, #1)"},               {"softmax", "$0.softmax(#0)"},               {"log_softmax", "$0.log_softmax(#0)"},
    {"cumsum", "$0.cumsum(#0)"},                     {"cumprod", "$0.cumprod(#0)"},               {"cat", "torch::cat({$*}, #0)"},
    {"stack", "torch::stack({$*}, #0)"},             {"gather", "$0.gather(#0, $1)"},             {"index_select", "$0.index_select(#0, $1)"},
    {"tril", "$0.tril(#0)"},                         {"triu", "$0.triu(#0)"},                     {"clone", "$0.clone()"},
    {"detach", "$0.detach()"},                       {"contiguous", "$0.contiguous()"},           {"view", "$0.view(##)"},
    {"reshape", "$0.reshape(##)"},                   {"permute", "$0.permute(##)"},               {"expand", "$0.expand(##)"},
    {"repeat", "$0.repeat(##)"},                     {"t", "$0.t()"},                             {"zeros_like", "torch::zeros_like($0)"},
    {"ones_like", "torch::ones_like($0)"},           {"full_like", "torch::full_like($0, $1)"},   {"new_full", "$0.new_full(##, $1)"},
    {"new_zeros", "$0.new_zeros(##)"},               {"new_ones", "$0.new_ones(##)"},             {"div_floor", "torch::div($0, $1, \"floor\")"},
    {"div_trunc", "torch::div($0, $1, \"trunc\")"},  {"flip", "$0.flip(##)"},                     {"gelu_tanh", "torch::gelu($0, \"tanh\")"},
    {"copy", "$0.copy_($1)"},                        {"fill", "$0.fill_($1)"},                    {"zero", "$0.zero_()"},
};

// Reductions over all dimensions or some.
const std::set<std::string> severalDims = {"sum", "nansum", "mean", "amax", "amin", "logsumexp", "count_nonzero"};
const std::set<std::string> oneDim = {"prod", "argmax", "argmin", "all", "any"};

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size())) text.replace(at, what.size(), by);
  return text;
}

std::string joined(const std::vector<std::string>& parts, size_t from = 0) {
  std::string text;
  for (size_t i = from; i < parts.size(); ++i) text += (i > from ? ", " : "") + parts[i];
  return text;
}

class Writer {
 public:
  Writer(const Program& program, std::string name) : program_(program), name_(std::move(name)) {}
  std::string text();

 private:
  std::string slot(Slot s) const { return s < 0 ? "torch::Tensor()" : "v" + std::to_string(s); }
  std::vector<std::string> slots(const std::vector<Slot>&) const;
  std::string call(const Step&) const;
  std::string inPlace(const Step&) const;
  std::string host(const Step&) const;
  std::string meta(const Step&) const;
  void block(const Block&, int depth);
  void step(const Step&, int depth);
  void line(int depth, const std::string& s) { out_ += std::string(size_t(2 * depth + 2), ' ') + s + "\n"; }

  const Program& program_;
  std::string name_, out_;
};

std::vector<std::string> Writer::slots(const std::vector<Slot>& list) const {
  std::vector<std::string> texts;
  for (const Slot s : list) texts.push_back(slot(s));
  return texts;
}

std::string Writer::call(const Step& step) const {
  const OpInfo& op = info(step.op);
  const std::string name = op.name;
  const std::vector<std::string> args = slots(step.args), ints = slots(step.ints), reals = slots(step.reals);
  const std::string keepdim = step.keepdim ? "true" : "false";
  if (name == "to") return args[0] + ".to(" + (step.dtypeOf >= 0 ? slot(step.dtypeOf) + ".scalar_type()" : step.dtype ? torchConstant(*step.dtype) : args[0] + ".scalar_type()") + ")";
  if (name == "norm") return args[0] + (ints.empty() ? ".norm(" + (reals.empty() ? "2" : reals[0]) + ")" : ".norm(" + (reals.empty() ? "2" : reals[0]) + ", {" + joined(ints) + "}, " + keepdim + ")");
  if ((name == "std" || name == "var") && ints.empty()) return args[0] + "." + name + "(" + (reals.empty() ? "true" : reals[0] + " != 0") + ")";
  if (severalDims.contains(name)) return args[0] + "." + name + (ints.empty() ? "()" : "({" + joined(ints) + "}" + (name == "count_nonzero" ? ")" : ", " + keepdim + ")"));
  if (oneDim.contains(name)) return args[0] + "." + name + (ints.empty() ? "()" : "(" + ints[0] + ", " + keepdim + ")");
  if (name == "squeeze") return args[0] + ".squeeze(" + joined(ints) + ")";
  if (name == "full" || name == "zeros" || name == "ones") {
    const std::string dtype = step.dtypeOf >= 0 ? ", " + slot(step.dtypeOf) + ".scalar_type()" : step.dtype ? std::string(", ") + torchConstant(*step.dtype) : "";
    return "torch::" + name + "(torch::IntArrayRef({" + joined(ints) + "})" + (args.empty() ? "" : ", " + args[0]) + dtype + ")";
  }
  if (const auto known = spelled.find(name); known != spelled.end()) {
    std::string text = replaced(known->second, "##", "torch::IntArrayRef({" + joined(ints) + "})");
    for (size_t i = 0; i < ints.size(); ++i) text = replaced(text, "#" + std::to_string(i), ints[i]);
    for (size_t i = 0; i < args.size(); ++i) text = replaced(text, "$" + std::to_string(i), args[i]);
    return replaced(replaced(text, "$*", joined(args)), "^", keepdim);
  }
  const bool plain = ints.empty() && reals.empty() && !step.dtype && step.dtypeOf < 0;
  if (!plain) return "";
  const bool elementwise = op.kind == OpKind::unary || op.kind == OpKind::binary || op.kind == OpKind::ternary || op.kind == OpKind::reduce || op.kind == OpKind::kernel;
  return elementwise ? "torch::" + name + "(" + joined(args) + ")" : "";
}

std::string Writer::inPlace(const Step& step) const {
  const std::string name = info(step.op).name;
  if (!step.ints.empty() || !step.reals.empty()) return "";
  return slot(step.args[0]) + "." + name + "_(" + joined(slots(step.args), 1) + ")";
}

std::string Writer::host(const Step& step) const {
  static const std::map<HostOp, std::string> infix = {{HostOp::add, "+"}, {HostOp::sub, "-"}, {HostOp::mul, "*"}, {HostOp::div, "/"}, {HostOp::lt, "<"}, {HostOp::le, "<="},
                                                      {HostOp::gt, ">"},  {HostOp::ge, ">="}, {HostOp::eq, "=="}, {HostOp::ne, "!="}};
  const std::string type = cppName(step.type);
  std::vector<std::string> args;
  for (const Slot s : step.args) args.push_back("static_cast<" + type + ">(" + slot(s) + ")");
  if (const auto op = infix.find(step.hostOp); op != infix.end()) return args[0] + " " + op->second + " " + args[1];
  if (step.hostOp == HostOp::mod) return isFloating(step.type) ? "std::fmod(" + joined(args) + ")" : args[0] + " % " + args[1];
  if (step.hostOp == HostOp::neg) return "-" + args[0];
  if (step.hostOp == HostOp::logicalNot) return "!" + args[0];
  if (step.hostOp == HostOp::cast) return args[0];
  return std::string("std::") + rt::name(step.hostOp) + "(" + joined(args) + ")";
}

std::string Writer::meta(const Step& step) const {
  static constexpr const char* names[] = {"size", "dim", "numel", "defined"};
  return slot(step.args[0]) + "." + names[size_t(step.what)] + "(" + joined(slots(step.args), 1) + ")";
}

void Writer::step(const Step& step, int depth) {
  const std::string dst = step.dst < 0 ? "" : slot(step.dst) + " = ";
  const auto statement = [&](const std::string& text) { line(depth, text.empty() ? "throw std::logic_error(\"'" + std::string(info(step.op).name) + "' is not printed\");" : dst + text + ";"); };
  switch (step.kind) {
    case Step::Kind::call: return statement(call(step));
    case Step::Kind::inPlace: return statement(inPlace(step));
    case Step::Kind::assign: return statement(slot(step.args[0]));
    case Step::Kind::constant: return statement(cppLiteral(step.value, step.type));
    case Step::Kind::host: return statement(host(step));
    case Step::Kind::item: return statement(slot(step.args[0]) + ".item<" + cppName(step.type) + ">()");
    case Step::Kind::meta: return statement(meta(step));
    case Step::Kind::gradMode: return line(depth, std::string("torch::GradMode::set_enabled(") + (castTo(HostType::boolean, step.value).b ? "true" : "false") + ");");
    case Step::Kind::fail: return line(depth, "throw std::runtime_error(\"a check failed\");");
    case Step::Kind::finish: return line(depth, "return {" + joined(slots(step.args)) + "};");
    case Step::Kind::branch:
      line(depth, "if (" + slot(step.args[0]) + ") {");
      block(step.then, depth + 1);
      line(depth, "} else {");
      block(step.otherwise, depth + 1);
      return line(depth, "}");
  }
}

void Writer::block(const Block& steps, int depth) {
  for (const Step& s : steps) step(s, depth);
}

std::string Writer::text() {
  std::vector<std::string> parameters;
  std::set<Slot> given;
  const auto typed = [&](Slot s) { return (program_.slots[size_t(s)].tensor ? "torch::Tensor" : cppName(program_.slots[size_t(s)].type)) + std::string(" ") + slot(s); };
  for (const Input& i : program_.inputs) parameters.push_back(typed(i.slot)), given.insert(i.slot);
  out_ = "std::vector<torch::Tensor> " + name_ + "(" + joined(parameters) + ") {\n";
  line(0, "torch::AutoGradMode mode(true);");
  for (Slot s = 0; s < Slot(program_.slots.size()); ++s)
    if (!given.contains(s)) line(0, "[[maybe_unused]] " + typed(s) + (program_.slots[size_t(s)].tensor ? ";" : " = 0;"));
  block(program_.body, 0);
  line(0, "return {" + joined(slots(program_.outputs)) + "};");
  return out_ + "}\n";
}

}  // namespace

const char* torchConstant(DType dtype) {
  static constexpr const char* names[] = {
#define DTYPE(name, type, kind, constant) "torch::" #constant,
#include "runtime/dtypes.def"
  };
  return names[size_t(dtype)];
}

std::string cppLiteral(const Scalar& value, HostType type) {
  const Scalar v = castTo(type, value);
  if (type == HostType::boolean) return v.b ? "true" : "false";
  if (!isFloating(type)) {
    if (v.i == INT64_MIN) return "INT64_MIN";
    return std::to_string(v.i) + (type == HostType::int64 ? "L" : "");
  }
  if (std::isnan(v.d)) return "NAN";
  if (std::isinf(v.d)) return v.d < 0 ? "-INFINITY" : "INFINITY";
  char buffer[40];
  std::string text(buffer, std::to_chars(buffer, buffer + sizeof buffer, v.d).ptr);
  return text.find_first_of(".e") == text.npos ? text + ".0" : text;
}

std::string toCpp(const Program& program, const std::string& name) { return Writer(program, name).text(); }

}  // namespace rt
