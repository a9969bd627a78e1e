// Greedy: every simplification that keeps the difference is kept, the big ones are tried first.

#include "runtime/verify/shrink.h"

#include "runtime/verify/values.h"

#include <algorithm>
#include <utility>

namespace rt {

namespace {

constexpr double simpleValues[] = {0, 1, -1, 2, -2, 0.5};

class Shrinker {
 public:
  Shrinker(const Pair& pair, Counterexample start) : pair_(pair), best_(std::move(start)) {}
  Counterexample shrink();

 private:
  bool keep(Trial);
  void plainer();
  void smaller();
  bool smallerShape(const Shape& from, const Shape& to, bool elements);
  void simpler();
  void simplerInput(size_t i);

  const Pair& pair_;
  Counterexample best_;
  int runs_ = 400;
};

// A plain number that is wrong must not become a NaN that is wrong: the first tells more.
bool alike(const Difference& a, const Difference& b) {
  return a.kind == b.kind && a.finiteBefore == b.finiteBefore && a.finiteAfter == b.finiteAfter;
}

bool Shrinker::keep(Trial trial) {
  if (runs_-- <= 0) return false;
  Comparison c = compare(pair_, trial);
  if (!c.difference || !alike(*c.difference, best_.difference)) return false;
  best_ = {std::move(trial), std::move(*c.difference)};
  return true;
}

void Shrinker::plainer() {
  Trial trial = best_.trial;
  trial.unitCotangents = true;
  keep(trial);
  trial = best_.trial;
  trial.gradients = false;
  keep(trial);
  trial = best_.trial;
  for (InputValue& input : trial.inputs) input.transposed = false;
  keep(trial);
  trial = best_.trial;
  for (size_t i = 0; i < trial.inputs.size(); ++i) {
    InputValue& input = trial.inputs[i];
    if (input.dtype != trial.dtype || pair_.profile.inputs[i].host) continue;
    input.dtype = DType::float32;
    for (Scalar& v : input.values) v = quantize(v, DType::float32);
  }
  trial.dtype = DType::float32;
  keep(trial);
}

// The elements of `from` that a tensor of `count` elements keeps, when it starts at `first`.
std::vector<Scalar> kept(const std::vector<Scalar>& from, size_t first, size_t count) {
  return {from.begin() + ptrdiff_t(first), from.begin() + ptrdiff_t(first + count)};
}

// All inputs of shape `from`, either those that `item` reads or the others, get the shape `to`: a run of their elements.
bool Shrinker::smallerShape(const Shape& from, const Shape& to, bool elements) {
  const size_t count = size_t(numel(to)), had = size_t(numel(from));
  for (size_t first = 0; first + count <= had; ++first) {
    Trial trial = best_.trial;
    bool changed = false;
    for (size_t i = 0; i < trial.inputs.size(); ++i) {
      InputValue& input = trial.inputs[i];
      const InputProfile& p = pair_.profile.inputs[i];
      if (p.host || p.firstSize || input.shape != from || p.element != elements) continue;
      input = {input.dtype, to, kept(input.values, first, count), false};
      changed = true;
    }
    if (changed && keep(std::move(trial))) return true;
  }
  return false;
}

void Shrinker::smaller() {
  const Shape candidates[] = {{}, {1}, {2}, {3}, {1, 1}, {1, 2}, {2, 1}, {2, 2}};
  for (size_t i = 0; i < best_.trial.inputs.size(); ++i) {
    const Shape from = best_.trial.inputs[i].shape;
    for (const Shape& to : candidates)
      if (std::pair(numel(to), to.size()) < std::pair(numel(from), from.size()) &&
          smallerShape(from, to, pair_.profile.inputs[i].element)) break;
  }
}

void Shrinker::simplerInput(size_t i) {
  for (size_t k = 0; k < best_.trial.inputs[i].values.size(); ++k) {
    for (const double v : simpleValues) {
      const DType dtype = best_.trial.inputs[i].dtype;
      const Scalar simple = quantize(Scalar(v), dtype);
      if (identical(simple, best_.trial.inputs[i].values[k])) break;
      Trial trial = best_.trial;
      trial.inputs[i].values[k] = simple;
      if (keep(std::move(trial))) break;
    }
  }
}

// First everything alike, then element by element.
void Shrinker::simpler() {
  for (const double v : simpleValues) {
    Trial trial = best_.trial;
    for (InputValue& input : trial.inputs) std::ranges::fill(input.values, quantize(Scalar(v), input.dtype));
    if (keep(std::move(trial))) break;
  }
  for (size_t i = 0; i < best_.trial.inputs.size(); ++i) simplerInput(i);
}

Counterexample Shrinker::shrink() {
  plainer();
  smaller();
  simpler();
  return std::move(best_);
}

}  // namespace

Counterexample shrink(const Pair& pair, Counterexample start) { return Shrinker(pair, std::move(start)).shrink(); }

}  // namespace rt
