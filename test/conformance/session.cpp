#include "test/conformance/session.h"

namespace samples {

Session::Arguments Session::argumentsOf(const Step& step) {
  Arguments arguments;
  for (const Argument& argument : step.arguments) {
    if (argument.from >= 0) {
      arguments.ours.push_back(ours_[size_t(argument.from)]);
      arguments.theirs.push_back(theirs_[size_t(argument.from)]);
      arguments.complete &= arguments.theirs.back().defined();
      continue;
    }
    arguments.ours.push_back(makeOurs(argument));
    arguments.theirs.push_back(makeTheirs(argument));
    leaves_.push_back({arguments.ours.back(), arguments.theirs.back()});
  }
  return arguments;
}

Session::Before Session::stateOf(const Step& step, const Arguments& arguments) {
  Before before;
  for (const rt::Tensor& tensor : arguments.ours) before.ours.push_back(tensor.defined() ? tensor.version() : 0);
  for (const at::Tensor& tensor : arguments.theirs) before.theirs.push_back(tensor.defined() ? uint32_t(tensor._version()) : 0);
  before.values = arguments.theirs;
  if (step.kind == Step::Kind::inPlace)
    for (at::Tensor& tensor : before.values)
      if (tensor.defined() && !isNumber(tensor)) tensor = tensor.detach().clone();
  return before;
}

bool Session::skipped(const Step& step) const {
  if (step.when < 0) return false;
  const at::Tensor& condition = theirs_[size_t(step.when)];
  return !condition.defined() || condition.numel() == 0 || !(elementOf(condition, 0).toDouble() > 0);
}

Difference Session::run(const Step& step) {
  program_.push_back(step);
  Arguments arguments = argumentsOf(step);
  rt::Tensor mine;
  at::Tensor referee;
  const Before before = stateOf(step, arguments);
  threw_ = false;
  Difference difference;
  if (arguments.complete && !skipped(step) && !trapsIn(step, arguments.theirs)) {
    std::string thrown = thrownBy([&] { mine = runOurs(step, arguments.ours); });
    std::string wanted = thrownBy([&] { referee = runTheirs(step, arguments.theirs); });
    if (wanted.starts_with("another exception: aten has no")) throw std::logic_error(wanted);
    const std::string where = step.kind == Step::Kind::backward ? "backward " : "";
    if (thrown.empty() && !wanted.empty()) difference = different(where + "does not throw", wanted);
    else if (!thrown.empty() && wanted.empty()) difference = different(where + "throws", thrown);
    else if (thrown.starts_with("another exception") ) difference = different(where + "throws no rt::Error", thrown);
    else if (threw_ = !thrown.empty(); !threw_ && step.row) difference = compare(step, arguments, before, mine, referee);
    partOfBackward_ |= threw_ && step.kind == Step::Kind::backward;
    // What an in-place write that throws leaves behind is nobody's business.
    const bool written = threw_ && step.kind == Step::Kind::inPlace && arguments.theirs[0].defined();
    if (written && rt::toText(arguments.ours[0].sizes()) == textOf(arguments.theirs[0].sizes())) assign(arguments.ours[0], arguments.theirs[0]);
    if (threw_ || difference) mine = rt::Tensor(), referee = at::Tensor();
  }
  ours_.push_back(mine);
  theirs_.push_back(referee);
  return difference;
}

Difference run(const Program& program) {
  Session session;
  for (const Step& step : program)
    if (Difference difference = session.run(step)) return difference;
  return session.finish();
}

}  // namespace samples
