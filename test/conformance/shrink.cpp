// A program that differs is made smaller as long as it differs in the same way: fewer steps, plain memory order, fewer
// elements, simpler values.
#include "test/conformance/generate.h"

#include <algorithm>
#include <numeric>

namespace samples {
namespace {

// A literal of this argument's shape in row-major order, with its own values where it has some.
Argument literalOf(const Argument& argument) {
  Argument literal = argument;
  literal.from = -1;
  literal.offset = 0;
  rt::Dims strides = rt::contiguousStrides(argument.shape);
  literal.strides.assign(strides.begin(), strides.end());
  literal.values.clear();
  const int64_t n = rt::numelOf(argument.shape);
  for (int64_t i = 0; i < n; ++i) {
    int64_t offset = argument.offset, rest = i;
    for (size_t d = argument.shape.size(); d-- > 0; rest /= argument.shape[d]) offset += rest % argument.shape[d] * (d < argument.strides.size() ? argument.strides[d] : 0);
    bool has = argument.from < 0 && size_t(offset) < argument.values.size();
    bool floating = rt::kindOf(argument.dtype) == rt::DTypeKind::floating;
    literal.values.push_back(has ? argument.values[size_t(offset)] : argument.dtype == DType::boolean ? rt::Scalar(i % 2 == 0) : floating ? rt::Scalar(double(i + 1)) : rt::Scalar(i + 1));
  }
  return literal;
}

// Fewer elements along one dimension, or without it; in the same storage, so that the order in memory stays.
std::vector<Argument> smaller(const Argument& argument) {
  std::vector<Argument> results;
  for (size_t d = 0; d < argument.shape.size(); ++d) {
    const int64_t size = argument.shape[d];
    std::vector<int64_t> choices = {1};
    if (size > 2) choices = {1, 2, size / 2, size - 1};
    for (int64_t keep : choices) {
      if (keep >= size && size != 1) continue;
      results.push_back(argument);
      results.back().shape[d] = keep;
    }
    if (size == 0) continue;
    results.push_back(argument);
    results.back().shape.erase(results.back().shape.begin() + int64_t(d));
    if (!results.back().strides.empty()) results.back().strides.erase(results.back().strides.begin() + int64_t(d));
  }
  return results;
}

// The same order of dimensions in memory, without gaps.
Argument compact(const Argument& argument) {
  std::vector<size_t> order(argument.shape.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return argument.strides[a] > argument.strides[b]; });
  Argument result = argument, dense = literalOf(argument);
  int64_t step = 1, last = 0;
  for (size_t i = order.size(); i-- > 0;) {
    const size_t d = order[i];
    if (argument.strides[d] == 0 && argument.shape[d] > 1) continue;
    result.strides[d] = step;
    last += std::max<int64_t>(argument.shape[d] - 1, 0) * step;
    step *= std::max<int64_t>(argument.shape[d], 1);
  }
  result.offset = 0;
  result.values.assign(dense.values.empty() ? 0 : size_t(last + 1), rt::Scalar(0.0));
  for (size_t i = 0; i < dense.values.size(); ++i) {
    int64_t offset = 0, rest = int64_t(i);
    for (size_t d = argument.shape.size(); d-- > 0; rest /= argument.shape[d]) offset += rest % argument.shape[d] * result.strides[d];
    result.values[size_t(offset)] = dense.values[i];
  }
  return result;
}

bool any(std::initializer_list<bool> list) { return std::find(list.begin(), list.end(), true) != list.end(); }

class Shrinker {
 public:
  explicit Shrinker(Finding finding) : best_(std::move(finding)) {}

  Finding shrunk() {
    bool better = true;
    for (int round = 0; better && round < 8; ++round) better = any({fewerSteps(), plainer(), fewerElements(), simplerValues()});
    return best_;
  }

 private:
  bool accept(const Program& candidate) {
    if (++tries_ > 3000) return false;
    Difference difference = run(candidate);
    if (difference.way != best_.difference.way) return false;
    best_ = {candidate, difference, {}};
    return true;
  }

  // What a removed step gave becomes a literal.
  static Program without(const Program& program, size_t gone) {
    Program result;
    for (size_t i = 0; i < program.size(); ++i) {
      if (i == gone) continue;
      Step step = program[i];
      step.when = step.when == int(gone) ? -1 : step.when > int(gone) ? step.when - 1 : step.when;
      for (Argument& argument : step.arguments) {
        if (argument.from == int(gone)) argument = program[gone].arguments.empty() || argument.shape != program[gone].arguments[0].shape ? literalOf(argument) : program[gone].arguments[0];
        else if (argument.from > int(gone)) --argument.from;
      }
      result.push_back(std::move(step));
    }
    return result;
  }

  bool fewerSteps() {
    bool any = false;
    for (size_t i = best_.program.size(); i-- > 0;)
      if (i < best_.program.size() && best_.program.size() > 1) any |= accept(without(best_.program, i));
    return any;
  }

  template <typename Change> bool change(Change&& alter) {
    Program candidate = best_.program;
    return alter(candidate) && accept(candidate);
  }

  template <typename Visit> bool eachArgument(Visit&& visit) {
    bool any = false;
    for (size_t s = 0; s < best_.program.size(); ++s)
      for (size_t i = 0; i < best_.program[s].arguments.size(); ++i)
        if (const Argument& argument = best_.program[s].arguments[i]; argument.from < 0 && argument.kind == Argument::Kind::tensor) any |= visit(s, i);
    return any;
  }

  bool plainer() {
    bool any = false;
    for (size_t s = 0; s < best_.program.size(); ++s) {
      any |= change([&](Program& p) { return !std::exchange(p[s].grad, true); });
      any |= change([&](Program& p) { return std::exchange(p[s].when, -1) >= 0; });
      any |= change([&](Program& p) { return p[s].kind == Step::Kind::backward && std::exchange(p[s].ints()[0], 2) != 2; });
      any |= change([&](Program& p) { return std::exchange(p[s].attributes.keepdim, false); });
    }
    any |= eachArgument([&](size_t s, size_t i) {
      bool plain = change([&](Program& p) {
        Argument dense = literalOf(p[s].arguments[i]);
        return dense.strides != std::exchange(p[s].arguments[i], dense).strides;
      });
      bool leaf = change([&](Program& p) { return std::exchange(p[s].arguments[i].requiresGrad, false); });
      bool dtype = change([&](Program& p) {
        Argument& argument = p[s].arguments[i];
        return rt::kindOf(argument.dtype) == rt::DTypeKind::floating && std::exchange(argument.dtype, DType::float32) != DType::float32;
      });
      return plain || leaf || dtype;
    });
    return any;
  }

  // One argument; all of its shape together; the same dimension, counted from the last, of all.
  bool fewerElements() {
    bool any = eachArgument([&](size_t s, size_t i) {
      const std::vector<int64_t> shape = best_.program[s].arguments[i].shape;
      const size_t choices = smaller(best_.program[s].arguments[i]).size();
      for (size_t k = 0; k < choices; ++k) {
        auto one = [&](Program& p) { return p[s].arguments[i] = smaller(p[s].arguments[i])[k], true; };
        auto all = [&](Program& p) {
          for (Step& step : p)
            for (Argument& argument : step.arguments)
              if (argument.kind == Argument::Kind::tensor && argument.shape == shape) argument = smaller(argument)[k];
          return true;
        };
        if (change(one) || change(all)) return true;
      }
      return change([&](Program& p) {
        Argument packed = compact(p[s].arguments[i]);
        return packed.values.size() < std::exchange(p[s].arguments[i], packed).values.size();
      });
    });
    for (int64_t fromLast = 0; fromLast < 6; ++fromLast)
      for (int64_t keep : {0, 1, 2}) any |= change([&](Program& p) { return cutAll(p, fromLast, keep); });
    return any;
  }

  // keep 0: without the dimension.
  static bool cutAll(Program& program, int64_t fromLast, int64_t keep) {
    bool changed = false;
    for (Step& step : program)
      for (Argument& argument : step.arguments) {
        const int64_t d = argument.rank() - 1 - fromLast;
        if (argument.kind != Argument::Kind::tensor || d < 0 || argument.from >= 0 || argument.size(d) <= keep) continue;
        changed = true;
        if (keep) argument.shape[size_t(d)] = keep;
        else argument.shape.erase(argument.shape.begin() + d), argument.strides.erase(argument.strides.begin() + d);
      }
    return changed;
  }

  bool simplerValues() {
    return eachArgument([&](size_t s, size_t i) {
      bool any = false;
      for (size_t k = 0; k < best_.program[s].arguments[i].values.size(); ++k)
        for (double simple : {0.0, 1.0, 2.0, -1.0}) {
          const rt::Scalar now = best_.program[s].arguments[i].values[k];
          if (now.kind == rt::Scalar::Kind::boolean || now.toDouble() == simple) break;
          rt::Scalar wanted = now.kind == rt::Scalar::Kind::integer ? rt::Scalar(int64_t(simple)) : rt::Scalar(simple);
          if (best_.program[s].arguments[i].dtype == DType::uint8 && simple < 0) continue;
          if (change([&](Program& p) { return p[s].arguments[i].values[k] = wanted, true; })) {
            any = true;
            break;
          }
        }
      return any;
    });
  }

  Finding best_;
  int tries_ = 0;
};

}  // namespace

Finding shrunk(const Finding& finding) { return Shrinker(finding).shrunk(); }

}  // namespace samples
