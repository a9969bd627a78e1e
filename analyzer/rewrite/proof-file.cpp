#include "analyzer/rewrite/proof-file.h"

#include "runtime/host.h"
#include "runtime/program-cpp.h"

#include <nlohmann/json.hpp>

#include <bit>

namespace lint {

using nlohmann::json;

namespace {

constexpr const char* kinds[] = {"call", "inPlace", "assign", "constant", "host", "item", "meta", "branch", "gradMode", "fail", "finish"};
constexpr const char* metas[] = {"size", "dim", "numel", "defined"};
constexpr const char* verdicts[] = {"tested", "conditional", "refuted", "not verified"};
constexpr rt::HostType hostTypes[] = {rt::HostType::boolean, rt::HostType::int32, rt::HostType::int64, rt::HostType::float32, rt::HostType::float64};

template <typename Names>
size_t indexOf(const Names& names, const std::string& name, const char* what) {
  for (size_t i = 0; i < std::size(names); ++i)
    if (name == names[i]) return i;
  throw std::runtime_error("'" + name + "' is no " + what);
}

rt::HostType typeNamed(const std::string& name) {
  for (rt::HostType type : hostTypes)
    if (name == rt::cppName(type)) return type;
  throw std::runtime_error("'" + name + "' is no type of a number");
}

rt::HostOp hostOpNamed(const std::string& name) {
  for (int i = 0; i <= int(rt::HostOp::isfinite); ++i)
    if (name == rt::name(rt::HostOp(i))) return rt::HostOp(i);
  throw std::runtime_error("'" + name + "' is no operation on numbers");
}

rt::DType dtypeNamed(const std::string& name) {
  for (int i = 0; i <= int(rt::DType::float64); ++i)
    if (name == rt::dtypeName(rt::DType(i))) return rt::DType(i);
  throw std::runtime_error("'" + name + "' is no dtype");
}

// JSON has no NaN, and a double must come back bit for bit.
json numberToJson(const rt::Scalar& v) {
  if (v.kind == rt::Scalar::Kind::boolean) return v.b;
  if (v.kind == rt::Scalar::Kind::integer) return v.i;
  if (std::isfinite(v.d)) return json{{"double", v.d}};
  return json{{"bits", std::bit_cast<uint64_t>(v.d)}};
}

rt::Scalar numberFrom(const json& j) {
  if (j.is_boolean()) return rt::Scalar(j.get<bool>());
  if (j.is_number_integer()) return rt::Scalar(j.get<int64_t>());
  return rt::Scalar(j.contains("bits") ? std::bit_cast<double>(j.at("bits").get<uint64_t>()) : j.at("double").get<double>());
}

json blockToJson(const rt::Block&);
rt::Block blockFrom(const json&);

json stepToJson(const rt::Step& step) {
  using Kind = rt::Step::Kind;
  json j = {{"kind", kinds[size_t(step.kind)]}, {"args", step.args}};
  if (step.dst >= 0) j["dst"] = step.dst;
  if (step.kind == Kind::call || step.kind == Kind::inPlace) {
    j["op"] = rt::info(step.op).name;
    if (!step.ints.empty()) j["ints"] = step.ints;
    if (!step.reals.empty()) j["reals"] = step.reals;
    if (step.keepdim) j["keepdim"] = true;
    if (step.dtype) j["dtype"] = rt::dtypeName(*step.dtype);
    if (step.dtypeOf >= 0) j["dtypeOf"] = step.dtypeOf;
  }
  if (step.kind == Kind::constant || step.kind == Kind::host || step.kind == Kind::item) j["type"] = rt::cppName(step.type);
  if (step.kind == Kind::host) j["hostOp"] = rt::name(step.hostOp);
  if (step.kind == Kind::meta) j["what"] = metas[size_t(step.what)];
  if (step.kind == Kind::constant || step.kind == Kind::gradMode) j["value"] = numberToJson(step.value);
  if (step.kind == Kind::fail) j["text"] = step.text;
  if (step.kind == Kind::branch) j.update({{"then", blockToJson(step.then)}, {"otherwise", blockToJson(step.otherwise)}, {"where", step.where}});
  return j;
}

rt::Step stepFrom(const json& j) {
  rt::Step step{.kind = rt::Step::Kind(indexOf(kinds, j.at("kind"), "kind of step"))};
  step.args = j.at("args").get<std::vector<rt::Slot>>();
  step.dst = j.value("dst", -1);
  if (j.contains("op")) {
    auto op = rt::opNamed(j.at("op").get<std::string>());
    if (!op) throw std::runtime_error("'" + j.at("op").get<std::string>() + "' is no op");
    step.op = *op;
  }
  step.ints = j.value("ints", std::vector<rt::Slot>());
  step.reals = j.value("reals", std::vector<rt::Slot>());
  step.keepdim = j.value("keepdim", false);
  if (j.contains("dtype")) step.dtype = dtypeNamed(j.at("dtype"));
  step.dtypeOf = j.value("dtypeOf", -1);
  if (j.contains("type")) step.type = typeNamed(j.at("type"));
  if (j.contains("hostOp")) step.hostOp = hostOpNamed(j.at("hostOp"));
  if (j.contains("what")) step.what = rt::Meta(indexOf(metas, j.at("what"), "question about a tensor"));
  if (j.contains("value")) step.value = numberFrom(j.at("value"));
  step.text = j.value("text", "");
  if (j.contains("then")) step.then = blockFrom(j.at("then")), step.otherwise = blockFrom(j.at("otherwise")), step.where = j.at("where").get<uint32_t>();
  return step;
}

json blockToJson(const rt::Block& block) {
  json j = json::array();
  for (const rt::Step& step : block) j.push_back(stepToJson(step));
  return j;
}

rt::Block blockFrom(const json& j) {
  rt::Block block;
  for (const json& step : j) block.push_back(stepFrom(step));
  return block;
}

json programToJson(const rt::Program& program) {
  json slots = json::array(), inputs = json::array();
  for (const rt::SlotInfo& slot : program.slots) slots.push_back(slot.tensor ? json{{"name", slot.name}} : json{{"name", slot.name}, {"type", rt::cppName(slot.type)}});
  for (const rt::Input& input : program.inputs)
    inputs.push_back({{"slot", input.slot}, {"parameter", input.parameter}, {"floatingOnly", input.floatingOnly}, {"constant", input.constant}});
  return {{"slots", slots}, {"inputs", inputs}, {"body", blockToJson(program.body)}, {"outputs", program.outputs}};
}

rt::Program programFrom(const json& j) {
  rt::Program program;
  for (const json& slot : j.at("slots"))
    program.slots.push_back({slot.at("name"), !slot.contains("type"), slot.contains("type") ? typeNamed(slot.at("type")) : rt::HostType::float64});
  for (const json& input : j.at("inputs")) program.inputs.push_back({input.at("slot"), input.at("parameter"), input.at("floatingOnly"), input.at("constant")});
  program.body = blockFrom(j.at("body"));
  program.outputs = j.at("outputs").get<std::vector<rt::Slot>>();
  if (std::string problem = rt::malformed(program); !problem.empty()) throw std::runtime_error("a program is not well formed: " + problem);
  return program;
}

json exampleToJson(const rt::Trial& trial) {
  json inputs = json::array();
  for (const rt::InputValue& input : trial.inputs) {
    json values = json::array();
    for (const rt::Scalar& v : input.values) values.push_back(numberToJson(v));
    inputs.push_back({{"dtype", rt::dtypeName(input.dtype)}, {"shape", input.shape}, {"values", values}, {"transposed", input.transposed}});
  }
  return {{"dtype", rt::dtypeName(trial.dtype)}, {"inputs", inputs}, {"gradients", trial.gradients}};
}

rt::Trial exampleFrom(const json& j) {
  rt::Trial trial;
  trial.dtype = dtypeNamed(j.at("dtype"));
  trial.gradients = j.at("gradients");
  for (const json& one : j.at("inputs")) {
    rt::InputValue input;
    input.dtype = dtypeNamed(one.at("dtype"));
    input.shape = one.at("shape").get<rt::Shape>();
    for (const json& v : one.at("values")) input.values.push_back(numberFrom(v));
    input.transposed = one.at("transposed");
    trial.inputs.push_back(std::move(input));
  }
  return trial;
}

ProofRecord recordFrom(const json& j) {
  ProofRecord record{.file = j.at("file"), .check = j.at("check"), .shown = j.at("rewrite"), .line = j.at("line")};
  record.before = programFrom(j.at("before"));
  record.after = programFrom(j.at("after"));
  if (record.before.inputs.size() != record.after.inputs.size()) throw std::runtime_error("the two programs have different inputs");
  record.options.semantics = {j.at("torch")[0], j.at("torch")[1]};
  record.options.seed = j.at("seed");
  record.options.maxInputs = j.at("maxInputs");
  record.options.dtypes.clear();
  for (const json& dtype : j.at("dtypes")) record.options.dtypes.push_back(dtypeNamed(dtype));
  for (const json& fixed : j.at("fixedSizes")) record.options.fixedSizes.emplace_back(fixed[0].get<int>(), fixed[1].get<int64_t>());
  const json& verdict = j.at("verdict");
  record.verdict.kind = rt::Verdict::Kind(indexOf(verdicts, verdict.at("kind"), "verdict"));
  record.verdict.text = verdict.at("text");
  record.verdict.condition = verdict.at("condition");
  record.verdict.inputs = verdict.at("inputs");
  if (verdict.contains("example")) record.verdict.example = exampleFrom(verdict.at("example"));
  return record;
}

// ---- C++

std::string tensorText(const rt::InputValue& input, bool gradients) {
  const bool floating = rt::kindOf(input.dtype) == rt::DTypeKind::floating, boolean = input.dtype == rt::DType::boolean;
  std::string values, shape;
  for (const rt::Scalar& v : input.values) values += (values.empty() ? "" : ", ") + rt::cppLiteral(v, floating ? rt::HostType::float64 : rt::HostType::int64);
  for (int64_t size : input.shape) shape += (shape.empty() ? "" : ", ") + std::to_string(size);
  std::string text = "torch::tensor(std::vector<" + std::string(floating ? "double" : "int64_t") + ">{" + values + "}, " + (floating ? "torch::kDouble" : "torch::kLong") +
                     ").to(" + rt::torchConstant(input.dtype) + ").reshape(torch::IntArrayRef({" + shape + "}))";
  if (input.transposed) text += ".t().contiguous().t()";
  return text + (gradients && floating && !boolean ? ".detach().requires_grad_()" : "");
}

std::string argumentText(const rt::SlotInfo& slot, const rt::InputValue& input, bool gradients) {
  return slot.tensor ? tensorText(input, gradients) : rt::cppLiteral(input.values[0], slot.type);
}

}  // namespace

std::string toJson(const ProofRecord& record) {
  json dtypes = json::array(), fixed = json::array();
  for (rt::DType dtype : record.options.dtypes) dtypes.push_back(rt::dtypeName(dtype));
  for (const auto& [input, size] : record.options.fixedSizes) fixed.push_back({input, size});
  json verdict = {{"kind", verdicts[size_t(record.verdict.kind)]}, {"text", record.verdict.text}, {"condition", record.verdict.condition}, {"inputs", record.verdict.inputs}};
  if (record.verdict.example) verdict["example"] = exampleToJson(*record.verdict.example);
  return json{{"file", record.file},
              {"line", record.line},
              {"check", record.check},
              {"rewrite", record.shown},
              {"torch", {record.options.semantics.major, record.options.semantics.minor}},
              {"seed", record.options.seed},
              {"maxInputs", record.options.maxInputs},
              {"dtypes", dtypes},
              {"fixedSizes", fixed},
              {"before", programToJson(record.before)},
              {"after", programToJson(record.after)},
              {"verdict", verdict}}
      .dump();
}

std::string proofFile(const std::vector<std::string>& records, const std::string& version) {
  std::string text = "{\"torch-tidy\": " + json(version).dump() + ", \"proofs\": [";
  for (size_t i = 0; i < records.size(); ++i) text += (i ? ",\n" : "\n") + records[i];
  return text + "\n]}\n";
}

std::string readProofs(const std::string& text, std::vector<ProofRecord>& records) {
  try {
    const json whole = json::parse(text);
    for (const json& record : whole.at("proofs")) records.push_back(recordFrom(record));
  } catch (const std::exception& e) {
    return e.what();
  }
  return {};
}

std::string summary(const rt::Verdict& verdict) {
  using Kind = rt::Verdict::Kind;
  std::string text = verdicts[size_t(verdict.kind)];
  if (verdict.kind == Kind::conditional) text += ", where " + verdict.condition + ",";
  if (verdict.kind == Kind::tested || verdict.kind == Kind::conditional) return text + " on " + std::to_string(verdict.inputs) + " inputs";
  return text + ": " + verdict.text;
}

std::string standAlone(const ProofRecord& record) {
  std::string text = "// " + record.file + ":" + std::to_string(record.line) + ": " + record.shown + "\n// " + summary(record.verdict) +
                     "\n#include <torch/torch.h>\n\n#include <cmath>\n#include <iostream>\n\n" + rt::toCpp(record.before, "before") + "\n" +
                     rt::toCpp(record.after, "after") + R"cpp(
// What a version gives on the input, and the gradients that it sends back.
template <typename Version, typename... Inputs>
void show(const char* name, Version version, Inputs... inputs) {
  std::cout << "== " << name << "\n";
  try {
    torch::Tensor sum;
    for (const torch::Tensor& result : version(inputs...)) {
      std::cout << result << "\n";
      if (result.requires_grad()) sum = sum.defined() ? sum + result.to(torch::kDouble).sum() : result.to(torch::kDouble).sum();
    }
    if (sum.defined()) sum.backward();
    auto gradient = [](const auto& input) {
      if constexpr (std::is_same_v<std::decay_t<decltype(input)>, torch::Tensor>)
        if (input.is_leaf() && input.requires_grad()) std::cout << "gradient: " << (input.grad().defined() ? input.grad() : torch::Tensor()) << "\n";
    };
    (gradient(inputs), ...);
  } catch (const std::exception& e) {
    std::cout << "throws: " << std::string(e.what()).substr(0, 200) << "\n";
  }
}

int main() {
)cpp";
  if (!record.verdict.example) return text + "  std::cout << \"no input is known\\n\";\n}\n";
  for (const char* version : {"before", "after"}) {
    text += std::string("  show(\"") + version + "\", " + version;
    for (size_t i = 0; i < record.before.inputs.size(); ++i)
      text += ",\n       " + argumentText(record.before.slots[size_t(record.before.inputs[i].slot)], record.verdict.example->inputs[i],
                                          record.verdict.example->gradients && !record.before.inputs[i].constant);
    text += ");\n";
  }
  return text + "}\n";
}

}  // namespace lint
