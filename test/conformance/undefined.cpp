// Where LibTorch leaves a result open: two of its own builds, or its vector loop and the loop for the rest, differ there.
#include "test/conformance/session.h"

namespace samples {
namespace {

struct Open {
  const char* reason;
  bool (*holds)(const Step&, const Difference&);
};

const Open table[] = {
    {"", [](const Step&, const Difference&) { return false; }},
};

}  // namespace

const char* undefinedIn(const Step& step, const Difference& difference) {
  for (const Open& open : table)
    if (open.holds(step, difference)) return open.reason;
  return nullptr;
}

bool trapsIn(const Step& step, const std::vector<at::Tensor>& in) {
  if (!step.row || in.size() < 2 || !in[0].defined() || !in[1].defined()) return false;
  const std::string name = rt::info(step.row->op).name;
  bool divides = false;
  for (const char* part : {"mod", "div", "remainder"}) divides |= name.find(part) != name.npos;
  if (!divides || at::isFloatingType(in[0].scalar_type()) || at::isFloatingType(in[1].scalar_type())) return false;
  bool least = false, minusOne = false;
  for (int64_t i = 0; i < in[0].numel(); ++i) least |= elementOf(in[0], i).toDouble() <= -128;
  for (int64_t i = 0; i < in[1].numel(); ++i) minusOne |= elementOf(in[1], i).toDouble() == -1;
  return least && minusOne;
}

}  // namespace samples
