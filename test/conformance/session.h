// Runs a program line by line on both sides and says what differs first.
#pragma once

#include "test/conformance/samples.h"

#include <functional>
#include <map>

namespace samples {

/// `step`: where; `way`: what kind of difference (shrinking keeps it); both empty where there is none.
struct Difference {
  size_t step = 0;
  std::string way, text;
  explicit operator bool() const { return !way.empty(); }
};

/// What LibTorch alone makes of the magnitudes of a program's finite inputs: sums of them bound the error of any order of adding;
/// where they overflow, so may a partial sum, and the order decides.
struct Magnitudes {
  std::vector<at::Tensor> results, gradients;
};
Magnitudes magnitudesOf(const Program&);
/// The same of one step, from what it was given.
at::Tensor magnitudeOf(const Step&, const std::vector<at::Tensor>& in);

class Session {
 public:
  Difference run(const Step&);
  /// Everything that is alive, and the gradients.
  Difference finish();

  const Program& program() const { return program_; }
  const at::Tensor& result(size_t step) const { return theirs_[step]; }
  bool threw() const { return threw_; }                // the last step did, on both sides
  const std::map<std::string, int64_t>& open() const { return open_; }  // elements that LibTorch leaves open, by reason

 private:
  struct Leaf { rt::Tensor ours; at::Tensor theirs; };
  struct Arguments { std::vector<rt::Tensor> ours; std::vector<at::Tensor> theirs; bool complete = true; };

  /// As it was before the step: versions, and what an in-place write overwrites.
  struct Before { std::vector<uint32_t> ours, theirs; std::vector<at::Tensor> values; };

  Arguments argumentsOf(const Step&);
  static Before stateOf(const Step&, const Arguments&);
  bool skipped(const Step&) const;
  Difference compare(const Step&, const Arguments&, const Before&, const rt::Tensor&, const at::Tensor&);
  Difference compareValues(const Step&, const Before&, const rt::Tensor&, const at::Tensor&);
  Difference gradientDifference(size_t leaf);
  Difference different(std::string way, std::string text) const { return {program_.size() - 1, std::move(way), std::move(text)}; }

  Program program_;
  std::vector<rt::Tensor> ours_;   // by step; undefined where it gave nothing
  std::vector<at::Tensor> theirs_;
  std::vector<Leaf> leaves_;
  bool threw_ = false;
  bool partOfBackward_ = false;  // a backward pass that threw has reached some leaves and not others
  std::map<std::string, int64_t> open_;
};

Difference run(const Program&);

std::string textOf(const at::Tensor&);
std::string textOf(at::IntArrayRef);
/// What LibTorch makes of each step, and the gradients, as comments.
std::string resultsOf(const Program&);

// sides.cpp: the two sides.
/// Where ours runs.
extern rt::Device device;
/// What a call throws, as text; empty for nothing. Anything but the two libraries' errors says "another exception".
std::string thrownBy(const std::function<void()>&);
rt::Tensor makeOurs(const Argument&);
at::Tensor makeTheirs(const Argument&);
rt::Tensor runOurs(const Step&, const std::vector<rt::Tensor>&);
at::Tensor runTheirs(const Step&, const std::vector<at::Tensor>&);
/// Element i in row-major order; any dtype.
rt::Scalar elementOf(const at::Tensor&, int64_t i);
/// Overwrites the values, unseen by version counters: so that what a tolerance allows does not grow in later steps.
void assign(const rt::Tensor& to, const at::Tensor& from);

// tolerance.cpp
/// Of the row itself, and of its gradients; 0: bit for bit.
double ulpsOf(Op);
double gradientUlpsOf(Op);
double epsilonOf(at::ScalarType);
/// Any NaN equals any NaN; with ulps 0, -0 differs from 0. `size` is the least magnitude that ulps are taken of.
bool near(const rt::Scalar& ours, const rt::Scalar& theirs, at::ScalarType, double ulps, double size);
std::string textOf(const rt::Scalar&);

// undefined.cpp
/// An element that differs, with the operands that it was made of.
struct Element {
  Op op;
  const rt::Attributes& attributes;
  const std::vector<at::Tensor>& in;
  const at::Tensor& result;
  int64_t index;
  rt::Scalar ours, theirs;
  rt::Scalar operand(size_t k) const;  // of an elementwise row
};
/// Why this difference is none: LibTorch leaves the element open. Null otherwise.
const char* openIn(const Element&);
/// Whether LibTorch would end the process: the least integer divided by -1.
bool trapsIn(const Step&, const std::vector<at::Tensor>&);

}  // namespace samples
