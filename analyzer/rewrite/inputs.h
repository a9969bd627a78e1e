// The free inputs of two lowered programs, and how the programs come to have the same ones.
#pragma once

#include "runtime/program.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace lint {

/// Free inputs by what they stand for. `before` and `after` share one table, so that they have the same inputs.
class InputTable {
 public:
  struct Entry {
    std::string name;
    bool tensor = true;
    rt::HostType type = rt::HostType::float64;
    bool parameter = false;
    bool floatingOnly = false;
    bool constant = false;  // a buffer: requires no gradient
  };
  /// A node, and the statement since which its value is unknown (null: from the start).
  using Key = std::pair<const void*, const void*>;

  int add(Key, Entry);
  /// A key that stands for a text, such as "layer->weight".
  Key keyOf(const std::string& text);
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::map<Key, int> index_;
  std::set<std::string> texts_;
  std::vector<Entry> entries_;
};

/// A program whose inputs are still indices into the table.
struct Lowered {
  rt::Program program;
  std::map<int, rt::Slot> inputs;
  std::vector<const void*> drawn;  // the expressions that draw random numbers, in order
};

/// Gives both programs the inputs that either uses, in one order, and drops what the target does not depend on.
void matchInputs(Lowered& before, Lowered& after, const InputTable&);

}  // namespace lint
