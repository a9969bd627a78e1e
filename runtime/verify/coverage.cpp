// Bookkeeping of branches.

#include "runtime/verify/coverage.h"

#include <algorithm>

namespace rt {

namespace {

bool onlyFails(const Block& block) { return !block.empty() && block.back().kind == Step::Kind::fail; }

bool finite(const Trial& trial) {
  return std::ranges::all_of(trial.inputs, [](const InputValue& input) {
    return std::ranges::all_of(input.values, [](const Scalar& v) { return v.toDouble() - v.toDouble() == 0; });
  });
}

bool hasMany(const Trial& trial) {
  return std::ranges::any_of(trial.inputs, [](const InputValue& input) { return input.values.size() > 1; });
}

}  // namespace

Coverage::Coverage(const Program& before) { collect(before, before.body); }

void Coverage::collect(const Program& program, const Block& block) {
  for (const Step& step : block) {
    if (step.kind != Step::Kind::branch) continue;
    Branch& branch = branches_[step.where];
    branch.name = program.slots[size_t(step.args[0])].name;
    branch.fails[true] = onlyFails(step.then);
    branch.fails[false] = onlyFails(step.otherwise);
    collect(program, step.then);
    collect(program, step.otherwise);
  }
}

void Coverage::add(const Trial& trial, const Comparison& c) {
  for (const auto& [where, arm] : c.before.taken) {
    Branch& branch = branches_.at(where);
    if (!c.counted() && !branch.fails[arm]) continue;
    branch.covered[arm] = true;
    if (!finite(trial)) continue;
    // The second arm's example must fit the first one's.
    std::vector<Trial>&own = branch.examples[arm], &other = branch.examples[!arm];
    if (std::ranges::any_of(own, [&](const Trial& t) { return hasMany(t) == hasMany(trial); })) continue;
    const auto rival = std::ranges::find_if(other, [&](const Trial& t) { return hasMany(t) == hasMany(trial); });
    if (rival == other.end() || sameForm(*rival, trial)) own.push_back(trial);
  }
}

std::vector<std::pair<uint32_t, bool>> Coverage::missing() const {
  std::vector<std::pair<uint32_t, bool>> arms;
  for (const auto& [where, branch] : branches_) {
    if (!branch.covered[false] && !branch.covered[true]) continue;
    for (const bool arm : {true, false})
      if (!branch.covered[arm]) arms.emplace_back(where, arm);
  }
  return arms;
}

std::vector<Coverage::Sides> Coverage::sides() const {
  std::vector<Sides> sides;
  for (const auto& [where, branch] : branches_)
    for (const Trial& a : branch.examples[false])
      for (const Trial& b : branch.examples[true])
        if (sameForm(a, b)) sides.push_back({where, a, b});
  return sides;
}

const Trial* Coverage::example(uint32_t where) const {
  const Branch& branch = branches_.at(where);
  for (const auto& examples : branch.examples)
    if (!examples.empty()) return &examples[0];
  return nullptr;
}

std::string Coverage::describe(uint32_t where, bool arm) const {
  const std::string text = arm ? "no input reached the first arm" : "no input reached the else arm";
  if (branches_.size() == 1) return text;
  const std::string& name = branches_.at(where).name;
  const auto number = std::distance(branches_.begin(), branches_.find(where)) + 1;
  return text + " of " + (name.empty() ? "branch " + std::to_string(number) : "'if (" + name + ")'");
}

void Coverage::nextDType() {
  for (auto& [where, branch] : branches_)
    for (auto& examples : branch.examples) examples.clear();
}

}  // namespace rt
