// Trials as tensors and as text.

#include "runtime/verify/trial.h"

#include "runtime/verify/values.h"

namespace rt {

namespace {

// The elements below the first `depth` dimensions, starting at element `i`, which is moved behind them.
std::string nested(std::span<const int64_t> shape, std::span<const Scalar> values, DType dtype, size_t& i) {
  if (shape.empty()) return toText(values[i++], dtype);
  std::string s = "[";
  for (int64_t k = 0; k < shape[0]; ++k) s += (k ? ", " : "") + nested(shape.subspan(1), values, dtype, i);
  return s + "]";
}

std::string toText(std::span<const int64_t> shape, std::span<const Scalar> values, DType dtype) {
  size_t i = 0;
  return nested(shape, values, dtype, i);
}

}  // namespace

int64_t numel(const Shape& shape) {
  int64_t n = 1;
  for (const int64_t d : shape) n *= d;
  return n;
}

Tensor materialize(const InputValue& input, Device device) {
  if (!input.transposed || input.shape.size() != 2) return fromValues(input.values, input.shape, input.dtype, device);
  const int64_t rows = input.shape[0], columns = input.shape[1];
  std::vector<Scalar> storage(input.values.size());
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) storage[size_t(c * rows + r)] = input.values[size_t(r * columns + c)];
  const Tensor t = fromStrided(storage, input.shape, {1, rows}, input.dtype);
  return device == Device::cpu ? t : t.to(device);
}

std::string toText(const Shape& shape) {
  std::string s;
  for (const int64_t d : shape) s += (s.empty() ? "" : ", ") + std::to_string(d);
  return "[" + s + "]";
}

std::string toText(const Tensor& t) {
  std::vector<Scalar> values;
  for (int64_t i = 0; i < t.numel(); ++i) values.push_back(t.at(i));
  return toText(t.sizes(), values, t.dtype());
}

std::string describe(const Program& program, const Trial& trial) {
  std::string s;
  bool follows = false;
  for (size_t i = 0; i < trial.inputs.size(); ++i) {
    const InputValue& input = trial.inputs[i];
    const SlotInfo& slot = program.slots[size_t(program.inputs[i].slot)];
    s += (i ? ", " : "") + slot.name + " = " + toText(input.shape, input.values, input.dtype);
    if (input.transposed) s += " (transposed)";
    follows |= slot.tensor && input.dtype == trial.dtype;
  }
  if (follows && trial.dtype != DType::float32) s += std::string(" in ") + dtypeName(trial.dtype);
  return s;
}

}  // namespace rt
