// A Program as text, and the check that it is well formed: everything about programs that does not run them.

#include "runtime/host.h"
#include "runtime/program.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace rt {

namespace {

// ---- text

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program) {}
  std::string text();

 private:
  void block(const Block&, int depth);
  void branch(const Step&, int depth);
  void line(int depth, const std::string& s) { out_ += std::string(size_t(2 * depth), ' ') + s + "\n"; }
  std::string statement(const Step&) const;
  std::string input(const Input&) const;
  std::string slot(Slot) const;
  std::string list(const std::vector<Slot>&, size_t from = 0) const;
  std::string arguments(const Step&, size_t from) const;

  const Program& program_;
  std::string out_;
};

std::string number(const Scalar& v) {
  if (v.kind == Scalar::Kind::boolean) return v.b ? "true" : "false";
  if (v.kind == Scalar::Kind::integer) return std::to_string(v.i);
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, v.d).ptr};
}

// Shadowing gives two slots one name; the number tells them apart.
std::string Printer::slot(Slot s) const {
  if (s < 0) return "none";
  const std::string& name = program_.slots[size_t(s)].name;
  const auto sameName = std::ranges::count(program_.slots, name, &SlotInfo::name);
  return name.empty() || sameName > 1 ? name + "%" + std::to_string(s) : name;
}

std::string Printer::list(const std::vector<Slot>& slots, size_t from) const {
  std::string s;
  for (size_t i = from; i < slots.size(); ++i) s += (i > from ? ", " : "") + slot(slots[i]);
  return s;
}

std::string Printer::arguments(const Step& step, size_t from) const {
  std::string s = "(";
  const auto add = [&](std::string_view part) { s.append(s.size() > 1 ? ", " : "").append(part); };
  if (step.args.size() > from) add(list(step.args, from));
  if (!step.ints.empty()) add("["), s.append(list(step.ints)).append("]");
  if (!step.reals.empty()) add("{"), s.append(list(step.reals)).append("}");
  if (step.keepdim) add("keepdim");
  if (step.dtype) add(dtypeName(*step.dtype));
  if (step.dtypeOf >= 0) add("as " + slot(step.dtypeOf));
  return s.append(")");
}

std::string Printer::statement(const Step& step) const {
  static constexpr const char* metaNames[] = {"size", "dim", "numel", "defined"};
  const std::string dst = step.dst < 0 ? "" : slot(step.dst) + " = ";
  const std::string type = cppName(step.type);
  switch (step.kind) {
    case Step::Kind::call: return dst + info(step.op).name + arguments(step, 0);
    case Step::Kind::inPlace: return dst + slot(step.args[0]) + "." + info(step.op).name + "_" + arguments(step, 1);
    case Step::Kind::assign: return dst + slot(step.args[0]);
    case Step::Kind::constant: return dst + type + " " + number(step.value);
    case Step::Kind::host: return dst + name(step.hostOp) + "<" + type + ">(" + list(step.args) + ")";
    case Step::Kind::item: return dst + slot(step.args[0]) + ".item<" + type + ">()";
    case Step::Kind::meta: return dst + slot(step.args[0]) + "." + metaNames[size_t(step.what)] + "(" + list(step.args, 1) + ")";
    case Step::Kind::gradMode: return "gradMode " + number(step.value);
    case Step::Kind::fail: return "throw \"" + step.text + "\"";
    default: return "return " + list(step.args);
  }
}

void Printer::branch(const Step& step, int depth) {
  line(depth, "if " + slot(step.args[0]));
  block(step.then, depth + 1);
  if (step.otherwise.empty()) return;
  line(depth, "else");
  block(step.otherwise, depth + 1);
}

void Printer::block(const Block& steps, int depth) {
  for (const Step& step : steps) {
    if (step.kind == Step::Kind::branch) branch(step, depth);
    else line(depth, statement(step));
  }
}

std::string Printer::input(const Input& input) const {
  const SlotInfo& info = program_.slots[size_t(input.slot)];
  std::string s = "input " + slot(input.slot);
  if (!info.tensor) s += std::string(", ") + cppName(info.type);
  if (input.parameter) s += ", parameter";
  if (input.constant) s += ", constant";
  if (input.floatingOnly) s += ", floating";
  return s;
}

std::string Printer::text() {
  for (const Input& i : program_.inputs) line(0, input(i));
  block(program_.body, 0);
  if (!program_.outputs.empty()) line(0, "return " + list(program_.outputs));
  return std::move(out_);
}

// ---- check

class Checker {
 public:
  explicit Checker(const Program& program) : program_(program) {}
  std::string problem();

 private:
  enum class Want { tensor, host, either, optionalTensor };

  void block(const Block&);
  void step(const Step&);
  void signature(const Step&);
  void want(Slot, Want, const char* what);
  void wantAll(const std::vector<Slot>&, Want, const char* what, size_t from = 0);
  void wantType(Slot, HostType);
  void wantArgs(const Step&, size_t atLeast, size_t atMost);
  void say(const std::string& s) { if (problem_.empty()) problem_ = s; }

  const Program& program_;
  std::set<uint32_t> branches_;
  std::string problem_;
};

void Checker::want(Slot s, Want want, const char* what) {
  if (s == -1 && want == Want::optionalTensor) return;
  if (s < 0 || size_t(s) >= program_.slots.size()) return say(std::string(what) + ": there is no slot " + std::to_string(s));
  const SlotInfo& info = program_.slots[size_t(s)];
  if (want == Want::tensor && !info.tensor) say(std::string(what) + ": slot '" + info.name + "' is no tensor");
  if (want == Want::host && info.tensor) say(std::string(what) + ": slot '" + info.name + "' is no host scalar");
}

void Checker::wantAll(const std::vector<Slot>& slots, Want kind, const char* what, size_t from) {
  for (size_t i = from; i < slots.size(); ++i) want(slots[i], kind, what);
}

void Checker::wantType(Slot s, HostType type) {
  want(s, Want::host, "result");
  if (problem_.empty() && program_.slots[size_t(s)].type != type)
    say("slot '" + program_.slots[size_t(s)].name + "' is not of type " + cppName(type));
}

void Checker::wantArgs(const Step& step, size_t atLeast, size_t atMost) {
  if (step.args.size() < atLeast || step.args.size() > atMost) say("wrong number of arguments: " + std::to_string(step.args.size()));
}

void Checker::signature(const Step& step) {
  const size_t n = step.args.size();
  switch (step.kind) {
    case Step::Kind::call: return want(step.dst, Want::tensor, "result");
    case Step::Kind::inPlace: wantArgs(step, 1, n); if (n) want(step.args[0], Want::tensor, "self"); return;
    case Step::Kind::assign: wantArgs(step, 1, 1); return want(step.dst, Want::either, "result");
    case Step::Kind::constant: wantArgs(step, 0, 0); return wantType(step.dst, step.type);
    case Step::Kind::host: wantArgs(step, size_t(arity(step.hostOp)), size_t(arity(step.hostOp)));
                           return wantType(step.dst, resultType(step.hostOp, step.type));
    case Step::Kind::item: wantArgs(step, 1, 1); return wantType(step.dst, step.type);
    case Step::Kind::meta: wantArgs(step, step.what == Meta::size ? 2 : 1, step.what == Meta::size ? 2 : 1);
                           return wantType(step.dst, step.what == Meta::defined ? HostType::boolean : HostType::int64);
    case Step::Kind::branch: wantArgs(step, 1, 1);
                             if (!branches_.insert(step.where).second) say("two branches at " + std::to_string(step.where));
                             return;
    default: return;
  }
}

void Checker::step(const Step& step) {
  signature(step);
  wantAll(step.ints, Want::host, "attribute");
  wantAll(step.reals, Want::host, "attribute");
  if (step.dtypeOf >= 0) want(step.dtypeOf, Want::tensor, "dtype");
  switch (step.kind) {
    case Step::Kind::call:
    case Step::Kind::inPlace: return wantAll(step.args, Want::optionalTensor, "argument");
    case Step::Kind::host:
    case Step::Kind::branch: return wantAll(step.args, Want::host, "argument");
    case Step::Kind::item: return wantAll(step.args, Want::tensor, "argument");
    case Step::Kind::meta:
      if (!step.args.empty()) want(step.args[0], Want::tensor, "argument");
      return wantAll(step.args, Want::host, "dimension", 1);
    case Step::Kind::assign:
      wantAll(step.args, Want::either, "argument");
      if (problem_.empty() && program_.slots[size_t(step.dst)].tensor != program_.slots[size_t(step.args[0])].tensor)
        say("slot '" + program_.slots[size_t(step.dst)].name + "' cannot be assigned a value of another kind");
      return;
    default: return wantAll(step.args, Want::either, "argument");
  }
}

void Checker::block(const Block& steps) {
  for (const Step& s : steps) {
    step(s);
    block(s.then);
    block(s.otherwise);
  }
}

std::string Checker::problem() {
  for (const Input& i : program_.inputs) want(i.slot, Want::either, "input");
  block(program_.body);
  wantAll(program_.outputs, Want::either, "output");
  return std::move(problem_);
}

}  // namespace

std::string print(const Program& program) { return Printer(program).text(); }
std::string malformed(const Program& program) { return Checker(program).problem(); }

}  // namespace rt
