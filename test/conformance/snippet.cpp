// A finding as C++ for a person: LibTorch's side, to be pasted into a main(), and what each side makes of it as comments.
#include "test/conformance/generate.h"

#include <cmath>

namespace samples {
namespace {

std::string cppOf(const rt::Scalar& v) {
  if (v.kind == rt::Scalar::Kind::floating) {
    if (std::isnan(v.d)) return "NAN";
    if (std::isinf(v.d)) return v.d < 0 ? "-INFINITY" : "INFINITY";
  }
  std::string text = textOf(v);
  if (v.kind == rt::Scalar::Kind::integer) return v.i == INT64_MIN ? "INT64_MIN" : text + (std::abs(v.i) > INT32_MAX ? "LL" : "");
  return v.kind == rt::Scalar::Kind::floating && text.find_first_of(".e") == text.npos ? text + ".0" : text;
}

std::string listOf(const std::vector<int64_t>& ints) {
  std::string text = "{";
  for (size_t i = 0; i < ints.size(); ++i) text += (i ? ", " : "") + std::to_string(ints[i]);
  return text + "}";
}

const char* constantOf(DType dtype) {
  static constexpr const char* names[] = {
#define DTYPE(name, type, kind, constant) "torch::" #constant,
#include "runtime/dtypes.def"
  };
  return names[size_t(dtype)];
}

std::string literalText(const Argument& argument) {
  if (argument.kind == Argument::Kind::undefined) return "torch::Tensor()";
  if (argument.kind == Argument::Kind::number) return cppOf(argument.values[0]);
  std::string values;
  for (size_t i = 0; i < argument.values.size(); ++i) values += (i ? ", " : "") + cppOf(argument.values[i]);
  const bool floating = rt::kindOf(argument.dtype) == rt::DTypeKind::floating;
  std::string text = argument.values.empty() ? "torch::empty({0}, " + std::string(constantOf(argument.dtype)) + ")"
                                             : "torch::tensor({" + values + "}, " + (floating ? "torch::kFloat64" : argument.dtype == DType::boolean ? "torch::kBool" : "torch::kInt64") + ").to(" + constantOf(argument.dtype) + ")";
  text += ".as_strided(" + listOf(argument.shape) + ", " + listOf(argument.strides) + (argument.offset ? ", " + std::to_string(argument.offset) : "") + ")";
  return argument.requiresGrad ? text + ".requires_grad_()" : text;
}

// The call as rows/ has it, over `t` and `a`; by name for elementwise rows.
std::string callText(const Step& step, const std::vector<std::string>& names, const std::string& result) {
  const bool inPlace = step.kind == Step::Kind::inPlace;
  const std::string op = rt::info(step.row->op).name, described = inPlace ? step.row->inPlaceText : step.row->text;
  if (!described.empty()) {
    std::string list;
    for (size_t i = 0; i < names.size(); ++i) list += (i ? ", " : "") + (step.arguments[i].kind == Argument::Kind::number ? "at::native::wrapped_scalar_tensor(" + names[i] + ")" : names[i]);
    std::string attributes = "struct { std::vector<int64_t> ints; bool keepdim; } a{" + listOf(rt::vectorOf(step.attributes.ints)) + ", " + (step.attributes.keepdim ? "true" : "false") + "};";
    std::string dtype = step.attributes.dtype ? std::string("  // dtype: ") + constantOf(*step.attributes.dtype) : "";
    for (double v : step.attributes.reals) dtype += (dtype.empty() ? "  // reals: " : ", ") + textOf(rt::Scalar(v));
    return "  torch::Tensor " + result + "; { std::vector<torch::Tensor> t = {" + list + "}; " + attributes + " " + result + " = " + described + "; }" + dtype + "\n";
  }
  std::string list;
  for (size_t i = inPlace ? 1 : 0; i < names.size(); ++i) list += (list.empty() ? "" : ", ") + names[i];
  return "  auto " + result + " = " + (inPlace ? names[0] + "." + op + "_(" : "torch::" + op + "(") + list + ");\n";
}

}  // namespace

std::string textOf(at::IntArrayRef ints) { return rt::toText({ints.data(), ints.size()}); }

std::string textOf(const at::Tensor& t) {
  if (!t.defined()) return "undefined";
  std::string text = std::string(c10::toString(t.scalar_type())) + textOf(t.sizes()) + " {";
  for (int64_t i = 0; i < t.numel() && i < 8; ++i) text += (i ? ", " : "") + textOf(elementOf(t, i));
  return text + (t.numel() > 8 ? ", ...}" : "}");
}

std::string resultsOf(const Program& program) {
  std::string text;
  std::vector<at::Tensor> results, leaves;
  for (const Step& step : program) {
    std::vector<at::Tensor> in;
    for (const Argument& argument : step.arguments) {
      in.push_back(argument.from >= 0 ? results[size_t(argument.from)] : makeTheirs(argument));
      if (argument.from < 0) leaves.push_back(in.back());
    }
    at::Tensor result;
    std::string thrown = thrownBy([&] { result = runTheirs(step, in); });
    text += "  // LibTorch: " + (thrown.empty() ? textOf(result) : "throws " + thrown) + "\n";
    results.push_back(result);
  }
  for (const at::Tensor& leaf : leaves)
    if (leaf.defined() && leaf.requires_grad() && leaf.is_leaf()) text += "  // LibTorch: gradient " + textOf(leaf.grad()) + "\n";
  return text;
}

std::string snippetOf(const Finding& finding) {
  std::string text = "  // here: " + finding.difference.way + ": " + finding.difference.text + "\n";
  int literals = 0;
  for (size_t s = 0; s < finding.program.size(); ++s) {
    const Step& step = finding.program[s];
    std::vector<std::string> names;
    for (const Argument& argument : step.arguments) {
      if (argument.from >= 0) names.push_back("y" + std::to_string(argument.from));
      else if (argument.kind != Argument::Kind::tensor) names.push_back(literalText(argument));
      else {
        names.push_back("x" + std::to_string(literals++));
        text += "  auto " + names.back() + " = " + literalText(argument) + ";\n";
      }
    }
    const std::string result = "y" + std::to_string(s);
    if (step.when >= 0) text += "  if (y" + std::to_string(step.when) + ".flatten()[0].item<double>() > 0)\n  ";
    if (!step.grad) text += "  // the next line under torch::NoGradGuard\n";
    if (step.kind == Step::Kind::backward) text += "  " + names[0] + ".backward(" + (step.attributes.ints[0] == 2 ? "torch::ones_like(" + names[0] + ")" : "/* cotangent " + std::to_string(step.attributes.ints[0]) + " of sides.cpp */") + ", true);\n";
    else if (step.kind == Step::Kind::input) text += "  auto " + result + " = " + names[0] + ";\n";
    else text += callText(step, names, result);
  }
  return text + resultsOf(finding.program);
}

}  // namespace samples
