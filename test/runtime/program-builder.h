// Builds Programs by hand, for tests: one call a step, ops by name, blocks as lambdas.
#pragma once

#include "runtime/host.h"

#include <functional>
#include <utility>

namespace rt {

class ProgramBuilder {
 public:
  using Body = std::function<void()>;

  ProgramBuilder() = default;
  ProgramBuilder(const ProgramBuilder&) = delete;  // block_ points into this

  Slot input(const char* name, bool parameter = false, bool floatingOnly = false) {
    const Slot s = tensor(name);
    program_.inputs.push_back({s, parameter, floatingOnly});
    return s;
  }
  Slot hostInput(const char* name, HostType type) {
    const Slot s = host(type, name);
    program_.inputs.push_back({s, false, false});
    return s;
  }
  Slot tensor(const char* name = "") { return slot({name, true, HostType::float64}); }

  Slot number(double v, HostType type = HostType::float64) { return constant(Scalar(v), type); }
  Slot integer(int64_t v, HostType type = HostType::int64) { return constant(Scalar(v), type); }
  Slot truth(bool v) { return constant(Scalar(v), HostType::boolean); }

  /// y = op(args); into a slot of its own unless `into` names one.
  Slot op(const char* name, std::vector<Slot> args, std::vector<int64_t> ints = {}, Slot into = -1) {
    Step s = step(Step::Kind::call, std::move(args));
    s.op = opNamed(name).value();
    for (const int64_t i : ints) s.ints.push_back(integer(i));
    s.dst = into < 0 ? tensor() : into;
    return add(std::move(s));
  }
  void inPlace(const char* name, std::vector<Slot> args) {
    Step s = step(Step::Kind::inPlace, std::move(args));
    s.op = opNamed(name).value();
    add(std::move(s));
  }
  Slot view(Slot t, std::vector<Slot> shape, Slot into) {
    Step s = step(Step::Kind::call, {t});
    s.op = opNamed("view").value();
    s.ints = std::move(shape);
    s.dst = into;
    return add(std::move(s));
  }
  Slot to(Slot t, DType dtype) {
    Step s = step(Step::Kind::call, {t});
    s.op = opNamed("to").value();
    s.dtype = dtype;
    s.dst = tensor();
    return add(std::move(s));
  }
  Slot item(Slot t, HostType type) {
    Step s = step(Step::Kind::item, {t});
    s.type = type;
    s.dst = host(type);
    return add(std::move(s));
  }
  Slot hostOp(HostOp op, HostType type, std::vector<Slot> args) {
    Step s = step(Step::Kind::host, std::move(args));
    s.hostOp = op;
    s.type = type;
    s.dst = host(resultType(op, type));
    return add(std::move(s));
  }
  Slot meta(Meta what, std::vector<Slot> args) {
    Step s = step(Step::Kind::meta, std::move(args));
    s.what = what;
    s.dst = host(what == Meta::defined ? HostType::boolean : HostType::int64);
    return add(std::move(s));
  }
  void let(Slot dst, Slot value) {
    Step s = step(Step::Kind::assign, {value});
    s.dst = dst;
    add(std::move(s));
  }
  void branch(Slot condition, const Body& then, const Body& otherwise = [] {}) {
    Step s = step(Step::Kind::branch, {condition});
    s.where = ++branches_;
    s.then = nested(then);
    s.otherwise = nested(otherwise);
    add(std::move(s));
  }
  void gradMode(bool on) {
    Step s = step(Step::Kind::gradMode, {});
    s.value = Scalar(on);
    add(std::move(s));
  }
  void fail(const char* text) {
    Step s = step(Step::Kind::fail, {});
    s.text = text;
    add(std::move(s));
  }
  void finish(std::vector<Slot> outputs) { add(step(Step::Kind::finish, std::move(outputs))); }

  Program returning(std::vector<Slot> outputs) {
    program_.outputs = std::move(outputs);
    return std::move(program_);
  }

 private:
  static Step step(Step::Kind kind, std::vector<Slot> args) {
    Step s;
    s.kind = kind;
    s.args = std::move(args);
    return s;
  }
  Slot slot(SlotInfo info) {
    program_.slots.push_back(std::move(info));
    return Slot(program_.slots.size()) - 1;
  }
  Slot host(HostType type, const char* name = "") { return slot({name, false, type}); }
  Slot constant(Scalar v, HostType type) {
    Step s = step(Step::Kind::constant, {});
    s.value = v;
    s.type = type;
    s.dst = host(type);
    return add(std::move(s));
  }
  Slot add(Step s) {
    const Slot dst = s.dst;
    block_->push_back(std::move(s));
    return dst;
  }
  Block nested(const Body& body) {
    Block block;
    Block* outer = std::exchange(block_, &block);
    body();
    block_ = outer;
    return block;
  }

  Program program_;
  Block* block_ = &program_.body;
  uint32_t branches_ = 0;
};

}  // namespace rt
