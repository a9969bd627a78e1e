// Indexing by several tensors, by masks, and what gives a data-dependent shape.
#include "test/conformance/samples.h"

#include <algorithm>

namespace samples {
namespace {

// For some of the dimensions an index tensor or a mask over one or two of them; the index tensors broadcast.
std::vector<Argument> indices(Draw& draw, const Argument& self) {
  const std::vector<int64_t> wide = draw.shape(0, 2);
  std::vector<Argument> result;
  for (int64_t d = 0; d < self.rank();) {
    const int64_t left = self.rank() - d;
    if (draw.chance(20) && left > 1) {
      result.push_back(Draw::undefined());
      ++d;
    } else if (draw.chance(20)) {
      const int64_t ranks = draw.between(1, std::min<int64_t>(left, 2));
      std::vector<int64_t> shape(self.shape.begin() + d, self.shape.begin() + d + ranks);
      if (draw.wrong()) ++shape[0];
      result.push_back(draw.tensor(shape, DType::boolean));
      d += ranks;
    } else {
      result.push_back(draw.index(draw.broadcastPart(wide), self.size(d), true));
      ++d;
    }
    if (draw.chance(35)) break;
  }
  if (result.empty() || result.back().kind == Argument::Kind::undefined) result.push_back(draw.index(wide, 1));
  return result;
}

c10::List<Optional<at::Tensor>> listOf(Tensors t, size_t first) {
  c10::List<Optional<at::Tensor>> list;
  for (size_t i = first; i < t.size(); ++i) list.push_back(t[i].defined() ? Optional<at::Tensor>(t[i]) : Optional<at::Tensor>());
  return list;
}

void indexed(Draw& draw, Step& step) {
  step.arguments = {draw.some(draw.wrong() ? 0 : 1)};
  for (const Argument& index : indices(draw, step.arguments[0])) step.arguments.push_back(index);
}

// The shape that the index gives is LibTorch's to say.
std::vector<int64_t> shapeOf(const Argument& self, const std::vector<Argument>& list);

void put(Draw& draw, Step& step) {
  const Argument self = draw.some(1, 4, Values::exact);
  const std::vector<Argument> list = indices(draw, self);
  step.arguments = {self, draw.tensor(draw.broadcastPart(shapeOf(self, list)), draw.wrong() ? draw.dtype() : self.dtype, Values::exact)};
  step.arguments.insert(step.arguments.end(), list.begin(), list.end());
  step.ints() = {draw.chance(40)};
}

at::Tensor zerosLike(const Argument& argument) {
  if (argument.kind == Argument::Kind::undefined) return {};
  if (argument.dtype != DType::boolean) return at::zeros(argument.shape, at::kLong);
  at::Tensor mask = at::zeros(argument.shape, at::kBool);
  if (argument.from >= 0) return mask;  // what is in it shows when the program runs
  for (int64_t i = 0, n = mask.numel(); i < n; ++i) {
    int64_t place = argument.offset, rest = i;
    for (size_t d = argument.shape.size(); d-- > 0; rest /= argument.shape[d]) place += rest % argument.shape[d] * argument.strides[d];
    mask.data_ptr<bool>()[i] = place < int64_t(argument.values.size()) && argument.values[size_t(place)].toDouble() != 0;
  }
  return mask;
}

std::vector<int64_t> shapeOf(const Argument& self, const std::vector<Argument>& list) {
  std::vector<at::Tensor> t;
  for (const Argument& argument : list) t.push_back(zerosLike(argument));
  try {
    return at::index(at::zeros(self.shape), listOf(t, 0)).sizes().vec();
  } catch (const std::exception&) {
    return {1};
  }
}

void masked(Draw& draw, Step& step) {
  const Argument self = draw.some();
  step.arguments = {self, draw.tensor(draw.broadcastPart(self.shape), draw.wrong() ? draw.dtype() : DType::boolean)};
}
void one(Draw& draw, Step& step) { step.arguments = {draw.some()}; }

void along(Draw& draw, Step& step) {
  const Argument self = draw.some(0, 4);
  if (draw.chance(20)) {
    int64_t n = 1;
    for (int64_t size : self.shape) n *= size;
    step.arguments = {self, draw.index(draw.shape(0, 2), n)};
    return;
  }
  const int64_t d = draw.dim(self), w = d < 0 ? d + self.rank() : d, limit = w >= 0 && w < self.rank() ? self.size(w) : 1;
  std::vector<int64_t> shape = self.shape;
  for (int64_t k = 0; k < self.rank(); ++k) shape[size_t(k)] = k == w ? draw.between(0, 4) : draw.chance(30) ? 1 : self.size(k);
  if (draw.wrong()) shape.push_back(1);
  step.ints() = {d};
  step.arguments = {self, draw.index(shape, limit)};
}

void classes(Draw& draw, Step& step) {
  const int64_t n = draw.between(1, 5);
  step.arguments = {draw.index(draw.shape(0, 3), n)};
  step.ints() = {draw.chance(30) ? -1 : draw.wrong() ? draw.between(-2, n) : n};
}

const Family family = {
    ROW(index, indexed, at::index(t[0], listOf(t, 1))),
    {rt::Op::index_put, put, THEIRS(at::index_put(t[0], listOf(t, 2), t[1], a.ints[0] != 0)), THEIRS(at::index_put_(const_cast<at::Tensor&>(t[0]), listOf(t, 2), t[1], a.ints[0] != 0)), true},
    ROW(masked_select, masked, t[0].masked_select(t[1])),
    ROW(nonzero, one, t[0].nonzero()),
    ROW(take_along_dim, along, a.ints.empty() ? at::take_along_dim(t[0], t[1]) : at::take_along_dim(t[0], t[1], a.ints[0])),
    ROW(one_hot, classes, at::one_hot(t[0], a.ints[0])),
};

}  // namespace
}  // namespace samples
