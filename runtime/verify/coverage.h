// Which arms of which branches of `before` counted runs have taken. A verdict without this would be vacuous: a rewrite is
// trivially right on inputs that never reach what it changes.
#pragma once

#include "runtime/verify/search.h"

#include <map>

namespace rt {

class Coverage {
 public:
  explicit Coverage(const Program& before);

  /// A throw on both sides covers an arm that does nothing but throw.
  void add(const Trial&, const Comparison&);

  /// Arms that no run has covered, of the branches that lie on a covered path.
  std::vector<std::pair<uint32_t, bool>> missing() const;

  /// Two trials of one form that took different arms, of single elements or (`many`) of several.
  struct Sides { uint32_t where; Trial a, b; };
  std::vector<Sides> sides() const;

  /// A trial that ran the branch, to start a search from.
  const Trial* example(uint32_t where) const;

  /// "no input reached the else arm of 'if (hot)'"
  std::string describe(uint32_t where, bool arm) const;

  /// Forgets the examples, not what was covered: they are of one dtype.
  void nextDType();

 private:
  struct Branch {
    std::string name;                  // of the condition
    bool fails[2] = {false, false};    // by arm: nothing but a throw
    bool covered[2] = {false, false};
    std::vector<Trial> examples[2];    // at most one of single elements and one of several
  };
  void collect(const Program&, const Block&);

  std::map<uint32_t, Branch> branches_;
};

}  // namespace rt
