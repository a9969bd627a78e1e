#include "analyzer/rewrite/inputs.h"

namespace lint {

int InputTable::add(Key key, Entry entry) {
  auto [it, added] = index_.try_emplace(key, static_cast<int>(entries_.size()));
  if (added) entries_.push_back(std::move(entry));
  return it->second;
}

InputTable::Key InputTable::keyOf(const std::string& text) { return {&*texts_.insert(text).first, nullptr}; }

namespace {

void markUsed(const rt::Step& step, std::set<rt::Slot>& used) {
  used.insert(step.args.begin(), step.args.end());
  used.insert(step.ints.begin(), step.ints.end());
  used.insert(step.reals.begin(), step.reals.end());
  used.insert(step.dtypeOf);
  if (step.dst >= 0 && step.kind == rt::Step::Kind::assign) used.insert(step.dst);
  for (const rt::Block* block : {&step.then, &step.otherwise})
    for (const rt::Step& inner : *block) markUsed(inner, used);
}

std::set<rt::Slot> usedSlots(const rt::Program& program) {
  std::set<rt::Slot> used(program.outputs.begin(), program.outputs.end());
  for (const rt::Step& step : program.body) markUsed(step, used);
  return used;
}

bool isPure(rt::Step::Kind kind) {
  using enum rt::Step::Kind;
  return kind == call || kind == constant || kind == host || kind == meta || kind == assign || kind == item;
}

// A pure step whose result nobody uses goes; until nothing changes. Steps inside branches stay: they can throw.
void dropDead(rt::Program& program) {
  for (size_t before = program.body.size() + 1; before != program.body.size();) {
    before = program.body.size();
    std::set<rt::Slot> used(program.outputs.begin(), program.outputs.end());
    rt::Block kept;
    for (size_t i = program.body.size(); i-- > 0;) {
      rt::Step& step = program.body[i];
      if (isPure(step.kind) && !used.count(step.dst)) continue;
      markUsed(step, used);
      kept.push_back(std::move(step));
    }
    program.body.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
  }
}

rt::Slot slotOf(Lowered& lowered, int index, const InputTable::Entry& entry) {
  auto it = lowered.inputs.find(index);
  if (it != lowered.inputs.end()) return it->second;
  lowered.program.slots.push_back({entry.name, entry.tensor, entry.type});
  return static_cast<rt::Slot>(lowered.program.slots.size()) - 1;
}

}  // namespace

void matchInputs(Lowered& before, Lowered& after, const InputTable& table) {
  dropDead(before.program);
  dropDead(after.program);
  std::set<rt::Slot> usedBefore = usedSlots(before.program), usedAfter = usedSlots(after.program);
  for (int index = 0; index < static_cast<int>(table.entries().size()); ++index) {
    const InputTable::Entry& entry = table.entries()[index];
    rt::Slot inBefore = slotOf(before, index, entry), inAfter = slotOf(after, index, entry);
    if (!usedBefore.count(inBefore) && !usedAfter.count(inAfter)) continue;
    before.program.inputs.push_back({.slot = inBefore, .parameter = entry.parameter, .floatingOnly = entry.floatingOnly, .constant = entry.constant});
    after.program.inputs.push_back({.slot = inAfter, .parameter = entry.parameter, .floatingOnly = entry.floatingOnly, .constant = entry.constant});
  }
}

}  // namespace lint
