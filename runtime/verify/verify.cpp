// The course of a verification: all dtypes with shapes alike, forced branches, boundaries; then broadcasting shapes; then the
// question whether all that has shown anything. The first difference ends it, and is shrunk.

#include "runtime/verify/verify.h"

#include "runtime/verify/coverage.h"
#include "runtime/verify/shrink.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace rt {

namespace {

constexpr size_t broadcastingBudget = 160;

std::string quotedList(const std::vector<std::string>& names) {
  std::string s;
  for (size_t i = 0; i < names.size(); ++i) s += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + ("'" + names[i] + "'");
  return s;
}

class Verification {
 public:
  Verification(const Program& before, const Program& after, const VerifyOptions& options)
      : options_(options), profile_(profileOf(before, after, options)), pair_{before, after, profile_, options.device}, coverage_(before) {}
  Verdict run();

 private:
  std::vector<DType> dtypes() const;
  void alike(DType, size_t budget);
  bool attempt(const Trial&);           // false once there is a difference
  void searchArms(Inputs&);
  void searchBoundaries();
  void checkGraph();
  void broadcasting();
  bool mayBroadcast(size_t i) const { return !profile_.inputs[i].host && !profile_.inputs[i].element; }
  std::string sameShapeCondition() const;
  Verdict verdict(Verdict::Kind, std::string text) const;
  Verdict refuted(const Counterexample&) const;
  Verdict conclusion() const;
  std::string at(const Trial&, const std::string& what) const;

  const VerifyOptions& options_;
  Profile profile_;
  Pair pair_;
  Coverage coverage_;
  int64_t counted_ = 0;
  std::vector<DType> countedDTypes_;
  std::string thrown_;                                // the first message, of what both programs threw
  std::optional<Counterexample> found_;
  std::vector<Counterexample> broadcastingFound_;
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
    found_ = Counterexample{trial, std::move(*c.difference)};
    return false;
  }
  if (c.threw) {
    if (thrown_.empty()) thrown_ = c.message;
    return true;
  }
  ++counted_;
  if (!std::ranges::count(countedDTypes_, trial.dtype)) countedDTypes_.push_back(trial.dtype);
  requiresBefore_ |= c.requiresBefore;
  requiresAfter_ |= c.requiresAfter;
  if (c.requiresBefore != c.requiresAfter && !differentGraph_) {
    differentGraph_ = trial;
    slots_.assign(c.before.slots.begin(), c.before.slots.end());
  }
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

void Verification::searchBoundaries() {
  for (const auto& side : coverage_.sides()) {
    auto [a, b] = boundary(pair_, side.a, side.b, side.where);
    for (Trial* trial : {&a, &b}) {
      trial->gradients = true;
      if (!found_) attempt(*trial);
    }
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

std::string Verification::at(const Trial& trial, const std::string& what) const {
  const std::string inputs = rt::describe(pair_.before, trial);
  return inputs.empty() ? what : "at " + inputs + " " + what;
}

Verdict Verification::verdict(Verdict::Kind kind, std::string text) const {
  Verdict v;
  v.kind = kind;
  v.text = std::move(text);
  v.inputs = counted_;
  v.dtypes = countedDTypes_;
  return v;
}

Verdict Verification::refuted(const Counterexample& found) const {
  const Counterexample small = found.difference.kind == Difference::Kind::graph ? found : shrink(pair_, found);
  return verdict(Verdict::Kind::refuted, at(small.trial, small.difference.text));
}

Verdict Verification::conclusion() const {
  if (!counted_) return verdict(Verdict::Kind::notVerified, "every input tried throws: " + thrown_);
  const auto missing = coverage_.missing();
  if (!missing.empty()) return verdict(Verdict::Kind::notVerified, coverage_.describe(missing[0].first, missing[0].second));
  if (broadcastingFound_.empty()) return verdict(Verdict::Kind::tested, "");
  const Counterexample small = shrink(pair_, broadcastingFound_[0]);
  Verdict v = verdict(Verdict::Kind::conditional, at(small.trial, small.difference.text));
  v.condition = sameShapeCondition();
  return v;
}

Verdict Verification::run() {
  const std::vector<DType> all = dtypes();
  const size_t budget = size_t(std::max<int64_t>(options_.maxInputs, 1));
  const size_t alikeBudget = (budget - std::min(budget / 4, broadcastingBudget)) / all.size();
  for (const DType dtype : all)
    if (!found_) alike(dtype, std::max<size_t>(alikeBudget, 1));
  if (!found_) checkGraph();
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
  return Verification(before, after, options).run();
}

}  // namespace rt
