// The course of a verification: all dtypes with shapes alike, forced branches, boundaries; then broadcasting shapes; then the
// question whether all that has shown anything. The first difference ends it, and is shrunk.

#include "runtime/verify/verify.h"

#include "runtime/verify/coverage.h"
#include "runtime/verify/shrink.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <map>

namespace rt {

namespace {

constexpr size_t broadcastingBudget = 160;

std::string quotedList(const std::vector<std::string>& names) {
  std::string s;
  for (size_t i = 0; i < names.size(); ++i) s += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + ("'" + names[i] + "'");
  return s;
}

std::string dtypeCondition(const std::vector<DType>& dtypes) {
  const std::vector<DType> floating = {DType::float32, DType::float64, DType::float16, DType::bfloat16};
  if (std::ranges::is_permutation(dtypes, floating)) return "the tensors are floating point";
  std::string s = "the tensors are ";
  for (size_t i = 0; i < dtypes.size(); ++i) s += (i == 0 ? "" : i + 1 == dtypes.size() ? " or " : ", ") + std::string(dtypeName(dtypes[i]));
  return s;
}

class Verification {
 public:
  /// `condition`: what is known to be needed.
  Verification(const Program& before, const Program& after, const VerifyOptions& options, std::string condition = "")
      : options_(options), condition_(std::move(condition)), profile_(profileOf(before, after, options)), pair_{before, after, profile_, options.device}, coverage_(before) {}
  Verdict run();

 private:
  std::vector<DType> dtypes() const;
  void alike(DType, size_t budget);
  bool attempt(const Trial&);           // false once there is a difference
  void searchArms(Inputs&);
  void searchBoundaries();
  void searchBoundary(const Trial&, const Trial&, uint32_t where);
  void checkGraph();
  void broadcasting();
  bool everyArmRuns(const Trial&);
  std::vector<size_t> notFiniteIn(const Trial&) const;
  bool hasNoDimensions(const Trial&) const;
  std::string finiteCondition() const;
  std::string condition() const;
  bool mayBroadcast(size_t i) const { return !profile_.inputs[i].host && !profile_.inputs[i].element; }
  std::string sameShapeCondition() const;
  Verdict verdict(Verdict::Kind, std::string text) const;
  Verdict refuted(const Counterexample&) const;
  Verdict conclusion() const;
  std::string at(const Trial&, const std::string& what) const;

  const VerifyOptions& options_;
  std::string condition_;
  Profile profile_;
  Pair pair_;
  Coverage coverage_;
  int64_t counted_ = 0;
  std::vector<DType> countedDTypes_;
  std::optional<Trial> firstCounted_;
  std::string thrown_;                                // the first message, of what both programs threw
  std::optional<Counterexample> found_;
  std::vector<Counterexample> broadcastingFound_;
  std::map<DType, Counterexample> impossibleFound_;   // at shapes that one of the arms never accepts
  bool mixesShapes_ = false;                          // in the second phase
  std::vector<Counterexample> notFiniteFound_;        // gradients that only infinite or NaN inputs spoil
  std::optional<Counterexample> zeroDimFound_;        // dtypes that differ where a tensor has no dimensions
  std::map<DType, Counterexample> emptyFound_;        // where a tensor has no elements
  std::map<std::string, bool> everyArmRuns_;          // by shapes and dtypes
  std::map<Difference::Kind, std::string> slight_;    // what was named first
  uint64_t requiresBefore_ = 0, requiresAfter_ = 0;   // over all runs, by output
  std::optional<Trial> differentGraph_;               // the first run in which these bits differed
  std::vector<Slot> slots_;                           // of its results
};

// Without a tensor that follows the run's dtype, all dtypes are alike.
std::vector<DType> Verification::dtypes() const {
  const auto follows = [](const InputProfile& p, DType d) { return !p.host && !p.dtype && (!p.floatingOnly || isFloating(d)); };
  std::vector<DType> dtypes;
  for (const DType d : options_.dtypes)
    if (std::ranges::any_of(profile_.inputs, [&](const InputProfile& p) { return follows(p, d); })) dtypes.push_back(d);
  if (dtypes.empty()) dtypes.push_back(options_.dtypes.empty() ? DType::float32 : options_.dtypes[0]);
  return dtypes;
}

bool Verification::attempt(const Trial& trial) {
  Comparison c = compare(pair_, trial);
  coverage_.add(trial, c);
  if (c.difference) {
    Counterexample found{trial, std::move(*c.difference)};
    if (found.difference.kind == Difference::Kind::throws && !c.before.threw && !mixesShapes_) {
      const bool empty = std::ranges::any_of(trial.inputs, [](const InputValue& input) { return input.values.empty(); });
      std::map<DType, Counterexample>* excluded = empty ? &emptyFound_ : everyArmRuns(trial) ? nullptr : &impossibleFound_;
      if (excluded) excluded->emplace(trial.dtype, found);
      if (excluded) return true;
    }
    // A tensor without dimensions is weaker in promotion than one with.
    if (found.difference.kind == Difference::Kind::dtype && !mixesShapes_ && hasNoDimensions(trial)) {
      if (!zeroDimFound_) zeroDimFound_ = std::move(found);
      return true;
    }
    // A number that no tensor can hold, made a tensor.
    const auto numbers = [&](size_t i) { return profile_.inputs[i].host.has_value(); };
    if (found.difference.kind == Difference::Kind::throws && !c.before.threw && !mixesShapes_ && std::ranges::any_of(notFiniteIn(trial), numbers)) {
      if (notFiniteFound_.size() < 64) notFiniteFound_.push_back(std::move(found));
      return true;
    }
    // 0 * NaN: the arm that was not taken sends what is not finite into a gradient. Values must agree even there.
    if (found.difference.kind == Difference::Kind::gradient && found.difference.finiteBefore && !found.difference.finiteAfter && !notFiniteIn(trial).empty()) {
      if (notFiniteFound_.size() < 64) notFiniteFound_.push_back(std::move(found));
      return true;
    }
    found_ = std::move(found);
    return false;
  }
  if (c.slight) slight_.emplace(c.slight->kind, c.slight->text);
  if (c.threw) {
    if (thrown_.empty()) thrown_ = c.message;
    return true;
  }
  ++counted_;
  if (!firstCounted_ && trial.gradients) firstCounted_ = trial;
  if (!std::ranges::count(countedDTypes_, trial.dtype)) countedDTypes_.push_back(trial.dtype);
  requiresBefore_ |= c.requiresBefore;
  requiresAfter_ |= c.requiresAfter;
  if (c.requiresBefore != c.requiresAfter && !differentGraph_) {
    differentGraph_ = trial;
    slots_.assign(c.before.slots.begin(), c.before.slots.end());
  }
  return true;
}

// The rewrite computes all arms. Where an arm throws at these shapes whatever the values, nobody can have meant them.
bool Verification::everyArmRuns(const Trial& trial) {
  std::string form;
  for (const InputValue& input : trial.inputs) form += toText(input.shape) + dtypeName(input.dtype);
  const auto [known, isNew] = everyArmRuns_.try_emplace(form, true);
  if (!isNew) return known->second;
  Inputs inputs(profile_, trial.dtype, options_.seed);
  for (const auto& [where, arm] : runBefore(pair_, trial).taken)
    if (!force(pair_, inputs, trial, where, !arm) && reachesThrowing(pair_, inputs, trial, where, !arm)) return known->second = false;
  return true;
}

void Verification::alike(DType dtype, size_t budget) {
  Inputs inputs(profile_, dtype, options_.seed);
  coverage_.nextDType();
  for (const Trial& trial : inputs.alike(budget))
    if (!attempt(trial)) return;
  searchArms(inputs);
  searchBoundaries();
}

void Verification::searchArms(Inputs& inputs) {
  for (const auto& [where, arm] : coverage_.missing()) {
    const Trial* like = found_ ? nullptr : coverage_.example(where);
    if (!like) continue;
    auto trial = force(pair_, inputs, *like, where, arm);
    if (!trial) continue;
    attempt(*trial);
    trial->gradients = !trial->gradients;
    if (!found_) attempt(*trial);
  }
}

// Once as the two trials are, and once for each input with zeros for the others: then a sum or a difference can meet a literal.
void Verification::searchBoundaries() {
  for (const auto& side : coverage_.sides()) {
    searchBoundary(side.a, side.b, side.where);
    for (size_t kept = 0; profile_.inputs.size() > 1 && kept < profile_.inputs.size(); ++kept) {
      std::optional<Trial> byArm[2];
      for (const double value : {0.0, 1.0, -1.0, 100.0, -100.0}) {
        Trial trial = side.a;
        for (size_t i = 0; i < trial.inputs.size(); ++i) std::ranges::fill(trial.inputs[i].values, quantize(Scalar(i == kept ? value : 0.0), trial.inputs[i].dtype));
        const Outcome o = runBefore(pair_, trial);
        const auto arm = armAt(o, side.where);
        if (!o.threw && arm && !byArm[*arm]) byArm[*arm] = std::move(trial);
      }
      if (byArm[0] && byArm[1]) searchBoundary(*byArm[0], *byArm[1], side.where);
    }
  }
}

void Verification::searchBoundary(const Trial& one, const Trial& other, uint32_t where) {
  auto [a, b] = boundary(pair_, one, other, where);
  for (Trial* trial : {&a, &b}) {
    trial->gradients = true;
    if (!found_) attempt(*trial);
  }
}

// A result that requires a gradient in some runs of one program but in no run of the other belongs to another graph.
void Verification::checkGraph() {
  const uint64_t different = requiresBefore_ ^ requiresAfter_;
  for (size_t i = 0; i < slots_.size() && i < 64 && !found_; ++i) {
    if (!(different >> i & 1)) continue;
    const std::string name = resultName(pair_.before, slots_, i);
    const bool gained = requiresAfter_ >> i & 1;
    found_ = Counterexample{*differentGraph_, {Difference::Kind::graph, name + (gained ? " requires a gradient, that of 'before' never does"
                                                                                       : " no longer requires a gradient")}};
  }
}

void Verification::broadcasting() {
  size_t inputs = 0;
  for (size_t i = 0; i < profile_.inputs.size(); ++i) inputs += mayBroadcast(i);
  if (inputs < 2) return;
  const DType dtype = countedDTypes_.empty() ? dtypes()[0] : countedDTypes_[0];
  mixesShapes_ = true;
  for (const Trial& trial : Inputs(profile_, dtype, options_.seed + 1).broadcasting(broadcastingBudget)) {
    if (attempt(trial)) continue;
    broadcastingFound_.push_back(std::move(*found_));
    found_.reset();
  }
}

// The smallest set of inputs that are not all of one shape in any of the runs that differed.
std::string Verification::sameShapeCondition() const {
  std::vector<size_t> inputs;
  for (size_t i = 0; i < profile_.inputs.size(); ++i)
    if (mayBroadcast(i) && inputs.size() < 10) inputs.push_back(i);
  const auto explains = [&](uint32_t set) {
    return std::ranges::all_of(broadcastingFound_, [&](const Counterexample& c) {
      std::vector<Shape> shapes;
      for (size_t k = 0; k < inputs.size(); ++k)
        if (set >> k & 1) shapes.push_back(c.trial.inputs[inputs[k]].shape);
      return std::ranges::any_of(shapes, [&](const Shape& s) { return s != shapes[0]; });
    });
  };
  uint32_t best = (uint32_t(1) << inputs.size()) - 1;
  for (uint32_t set = 1; set < best; ++set)
    if (std::popcount(set) < std::popcount(best) && explains(set)) best = set;
  std::vector<std::string> names;
  for (size_t k = 0; k < inputs.size(); ++k)
    if (best >> k & 1) names.push_back(pair_.before.slots[size_t(pair_.before.inputs[inputs[k]].slot)].name);
  return quotedList(names) + " have the same shape";
}

// What has a square that the run's dtype cannot hold counts too: numbers that come near overflow become infinite on their way.
std::vector<size_t> Verification::notFiniteIn(const Trial& trial) const {
  const auto overflows = [&](const Scalar& v) { return !std::isfinite(quantize(Scalar(v.toDouble() * v.toDouble()), trial.dtype).toDouble()); };
  std::vector<size_t> inputs;
  for (size_t i = 0; isFloating(trial.dtype) && i < trial.inputs.size(); ++i)
    if (std::ranges::any_of(trial.inputs[i].values, overflows)) inputs.push_back(i);
  return inputs;
}

bool Verification::hasNoDimensions(const Trial& trial) const {
  for (size_t i = 0; i < trial.inputs.size(); ++i)
    if (mayBroadcast(i) && trial.inputs[i].shape.empty()) return true;
  return false;
}

bool holdsOnlyFinite(const Trial& trial) {
  return std::ranges::all_of(trial.inputs, [](const InputValue& input) {
    return std::ranges::all_of(input.values, [](const Scalar& v) { return std::isfinite(v.toDouble()); });
  });
}

// The inputs that had to be finite: those of the runs where no other one was not.
std::string Verification::finiteCondition() const {
  std::vector<size_t> needed;
  for (size_t size = 1; size <= profile_.inputs.size(); ++size)
    for (const Counterexample& c : notFiniteFound_) {
      const std::vector<size_t> inputs = notFiniteIn(c.trial);
      const bool explained = std::ranges::any_of(inputs, [&](size_t i) { return std::ranges::count(needed, i) > 0; });
      if (inputs.size() == size && !explained) needed.insert(needed.end(), inputs.begin(), inputs.end());
    }
  std::ranges::sort(needed);
  std::vector<std::string> names;
  for (const size_t i : needed) names.push_back(pair_.before.slots[size_t(pair_.before.inputs[i].slot)].name);
  const bool near = std::ranges::any_of(notFiniteFound_, [](const Counterexample& c) { return holdsOnlyFinite(c.trial); });
  return quotedList(names) + (names.size() == 1 ? " is finite" : " are finite") + (near ? " and far from overflow" : "");
}

std::string Verification::at(const Trial& trial, const std::string& what) const {
  const std::string inputs = rt::describe(pair_.before, trial);
  return inputs.empty() ? what : "at " + inputs + " " + what;
}

Verdict Verification::verdict(Verdict::Kind kind, std::string text) const {
  Verdict v;
  v.kind = kind;
  v.text = std::move(text);
  v.inputs = counted_;
  v.example = firstCounted_;
  v.dtypes = countedDTypes_;
  return v;
}

Verdict Verification::refuted(const Counterexample& found) const {
  const Counterexample small = found.difference.kind == Difference::Kind::graph ? found : shrink(pair_, found);
  Verdict v = verdict(Verdict::Kind::refuted, at(small.trial, small.difference.text));
  v.differing = found.trial.dtype;
  v.example = small.trial;
  return v;
}

Verdict Verification::conclusion() const {
  if (!counted_ && thrown_.empty() && !impossibleFound_.empty())
    return verdict(Verdict::Kind::notVerified, "every input tried throws: " + impossibleFound_.begin()->second.difference.text);
  if (!counted_) return verdict(Verdict::Kind::notVerified, "every input tried throws: " + thrown_);
  const auto missing = coverage_.missing();
  if (!missing.empty()) return verdict(Verdict::Kind::notVerified, coverage_.describe(missing[0].first, missing[0].second));
  const std::string condition = this->condition();
  if (condition.empty()) return verdict(Verdict::Kind::tested, "");
  const Counterexample* found = nullptr;
  if (!broadcastingFound_.empty()) found = &broadcastingFound_[0];
  else if (!impossibleFound_.empty()) found = &impossibleFound_.begin()->second;
  else if (!emptyFound_.empty()) found = &emptyFound_.begin()->second;
  else if (zeroDimFound_) found = &*zeroDimFound_;
  else if (!notFiniteFound_.empty()) found = &notFiniteFound_[0];
  std::string text;
  if (found) {
    const Counterexample small = shrink(pair_, *found);
    text = at(small.trial, small.difference.text);
  }
  Verdict v = verdict(Verdict::Kind::conditional, std::move(text));
  v.condition = condition;
  return v;
}

// Beside `text`, the conditions under which no run differed.
std::string Verification::condition() const {
  std::vector<std::string> all;
  const auto add = [&](std::string one) { all.push_back(std::move(one)); };
  // What no run of a dtype survives tells of the dtype.
  const auto counted = [&](const auto& found) { return std::ranges::count(countedDTypes_, found.first) > 0; };
  const auto notCounted = [&](const auto& found) { return !counted(found); };
  if (!condition_.empty()) add(condition_);
  else if (std::ranges::any_of(impossibleFound_, notCounted)) add(dtypeCondition(countedDTypes_));
  if (!broadcastingFound_.empty()) add(sameShapeCondition());
  if (std::ranges::any_of(impossibleFound_, counted)) add("every arm accepts the shapes");
  if (std::ranges::any_of(emptyFound_, counted)) add("no tensor is empty");
  if (zeroDimFound_) add("the tensors have dimensions");
  if (!notFiniteFound_.empty()) add(finiteCondition());
  for (const auto& [kind, name] : slight_)
    add(kind == Difference::Kind::layout ? "nothing depends on how " + name + " lies in memory"
                                         : "no backward pass to come needs '" + name + "' as it was");
  std::string text;
  for (size_t i = 0; i < all.size(); ++i) text += (i == 0 ? "" : i + 1 == all.size() ? " and " : ", ") + all[i];
  return text;
}

Verdict Verification::run() {
  const std::vector<DType> all = dtypes();
  const size_t budget = size_t(std::max<int64_t>(options_.maxInputs, 1));
  const size_t alikeBudget = (budget - std::min(budget / 4, broadcastingBudget)) / all.size();
  for (const DType dtype : all)
    if (!found_) alike(dtype, std::max<size_t>(alikeBudget, 1));
  if (!found_) checkGraph();
  if (found_ && zeroDimFound_ && found_->difference.kind == Difference::Kind::dtype) return refuted(*zeroDimFound_);
  if (found_) return refuted(*found_);
  const bool shown = counted_ > 0 && coverage_.missing().empty();
  broadcasting();
  if (!shown && !broadcastingFound_.empty()) return refuted(broadcastingFound_[0]);
  return conclusion();
}

}  // namespace

Verdict verify(const Program& before, const Program& after, const VerifyOptions& options) {
  assert(before.inputs.size() == after.inputs.size());
  const SemanticsScope semantics(options.semantics);
  const Verdict whole = Verification(before, after, options).run();
  Verdict last = whole;
  VerifyOptions fewer = options;
  while (last.kind == Verdict::Kind::refuted && fewer.dtypes.size() > 1 && last.differing != fewer.dtypes[0]) {
    std::erase(fewer.dtypes, last.differing);
    last = Verification(before, after, fewer, dtypeCondition(fewer.dtypes)).run();
  }
  if (whole.kind != Verdict::Kind::refuted || last.kind != Verdict::Kind::conditional) return whole;
  last.text = whole.text;
  return last;
}

}  // namespace rt
