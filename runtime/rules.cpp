#include "runtime/rules.h"

#include <algorithm>
#include <utility>

namespace rt {

int64_t numelOf(std::span<const int64_t> sizes) {
  int64_t n = 1;
  for (int64_t size : sizes) n *= size;
  return n;
}

Dims contiguousStrides(std::span<const int64_t> sizes) {
  Dims strides(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;) strides[i - 1] = strides[i] * std::max<int64_t>(sizes[i], 1);
  return strides;
}

int64_t spanOf(const Dims& sizes, const Dims& strides) {
  if (numelOf(sizes) == 0) return 0;
  int64_t span = 1;
  for (size_t d = 0; d < sizes.size(); ++d) span += (sizes[d] - 1) * strides[d];
  return span;
}

bool isDense(const Dims& sizes, const Dims& strides) {
  std::array<bool, Dims::capacity> placed{};
  int64_t expected = 1;
  for (size_t count = 0; count < sizes.size(); ++count) {
    size_t next = sizes.size();
    for (size_t d = 0; d < sizes.size(); ++d)
      if (!placed[d] && sizes[d] >= 2 && (next == sizes.size() || strides[d] < strides[next])) next = d;
    if (next == sizes.size()) return true;
    if (strides[next] != expected) return false;
    expected *= sizes[next];
    placed[next] = true;
  }
  return true;
}

// The order of dimensions in memory from the innermost one, of rank 4 and 5: channels, the spatial ones backwards, the batch.
static size_t fromInnermost(size_t i, size_t rank) { return i == 0 ? 1 : i + 1 == rank ? 0 : rank - i; }

bool isChannelsLast(const Dims& sizes, const Dims& strides) {
  if ((sizes.size() != 4 && sizes.size() != 5) || strides[1] == 0) return false;
  int64_t least = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const size_t d = fromInnermost(i, sizes.size());
    if (sizes[d] == 0 || strides[d] < least || (d == 0 && least == strides[1])) return false;
    least = strides[d] * std::max<int64_t>(sizes[d], 1);
  }
  return true;
}
Dims channelsLastStrides(const Dims& sizes) {
  Dims strides(sizes.size(), 1);
  int64_t step = 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const size_t d = fromInnermost(i, sizes.size());
    strides[d] = step;
    step *= std::max<int64_t>(sizes[d], 1);
  }
  return strides;
}

std::string toText(std::span<const int64_t> sizes) {
  std::string text = "[";
  for (size_t i = 0; i < sizes.size(); ++i) text += (i ? ", " : "") + std::to_string(sizes[i]);
  return text + "]";
}

Result<Dims> broadcast(std::string_view op, std::span<const int64_t> a, std::span<const int64_t> b) {
  if (a.size() < b.size()) std::swap(a, b);
  Dims shape(a);
  size_t shift = a.size() - b.size();
  for (size_t i = 0; i < b.size(); ++i) {
    int64_t& size = shape[i + shift];
    if (size == b[i] || b[i] == 1) continue;
    if (size != 1) return Result<Dims>::failure(std::string(op) + ": shapes " + toText(a) + " and " + toText(b) + " do not broadcast");
    size = b[i];
  }
  return shape;
}

Dims expandedStrides(std::span<const int64_t> sizes, std::span<const int64_t> strides, std::span<const int64_t> shape) {
  Dims result(shape.size(), 0);
  size_t shift = shape.size() - sizes.size();
  for (size_t i = 0; i < sizes.size(); ++i) result[i + shift] = sizes[i] == 1 && shape[i + shift] != 1 ? 0 : strides[i];
  return result;
}

Result<int64_t> wrapDimension(std::string_view op, int64_t dimension, std::span<const int64_t> sizes) {
  int64_t rank = std::max<int64_t>(static_cast<int64_t>(sizes.size()), 1);
  if (dimension < -rank || dimension >= rank)
    return Result<int64_t>::failure(std::string(op) + ": dimension " + std::to_string(dimension) + " is out of range for shape " + toText(sizes));
  return dimension < 0 ? dimension + rank : dimension;
}

Result<std::array<bool, Dims::capacity>> reducedDimensions(std::string_view op, std::span<const int64_t> ints, std::span<const int64_t> sizes) {
  using Mask = std::array<bool, Dims::capacity>;
  Mask mask{};
  if (ints.empty()) mask.fill(true);
  for (int64_t dimension : ints) {
    auto wrapped = wrapDimension(op, dimension, sizes);
    if (!wrapped) return Result<Mask>::failure(wrapped.error);
    if (mask[static_cast<size_t>(wrapped.value)]) return Result<Mask>::failure(std::string(op) + ": dimension " + std::to_string(dimension) + " appears twice");
    mask[static_cast<size_t>(wrapped.value)] = true;
  }
  return mask;
}

namespace {

using Layout = Result<ViewLayout>;

Layout fail(Op op, const std::string& text) { return Layout::failure(std::string(info(op).name) + ": " + text); }

// Fills in a -1 and checks the number of elements.
Result<Dims> inferredSizes(Op op, std::span<const int64_t> wanted, std::span<const int64_t> sizes) {
  auto wrong = [&] { return Result<Dims>::failure(std::string(info(op).name) + ": shape " + toText(wanted) + " does not fit " + std::to_string(numelOf(sizes)) + " elements of shape " + toText(sizes)); };
  if (wanted.size() > Dims::capacity) return wrong();
  Dims result(wanted);
  int64_t known = 1, unknown = -1;
  for (size_t i = 0; i < result.size(); ++i) {
    if (result[i] == -1 && unknown < 0) unknown = static_cast<int64_t>(i);
    else if (result[i] < 0) return wrong();
    else known *= result[i];
  }
  int64_t total = numelOf(sizes);
  if (unknown >= 0) {
    if (known == 0 || total % known != 0) return wrong();
    result[static_cast<size_t>(unknown)] = total / known;
  } else if (known != total) {
    return wrong();
  }
  return result;
}

// Strides for `wanted` on the same storage, if every new dimension lies inside a run of old ones that are contiguous with
// each other. Source: at::detail::computeStride.
std::optional<Dims> viewStrides(const ViewLayout& from, std::span<const int64_t> wanted) {
  if (from.sizes.empty()) return contiguousStrides(wanted);
  if (numelOf(from.sizes) == 0) return from.sizes == Dims(wanted) ? from.strides : contiguousStrides(wanted);
  Dims result(wanted.size(), 1);
  int64_t viewDim = static_cast<int64_t>(wanted.size()) - 1, chunk = from.sizes.empty() ? 1 : from.strides.back(), run = 1, placed = 1;
  for (int64_t d = static_cast<int64_t>(from.sizes.size()) - 1; d >= 0; --d) {
    run *= from.sizes[size_t(d)];
    bool breaks = d == 0 || (from.sizes[size_t(d - 1)] != 1 && from.strides[size_t(d - 1)] != run * chunk);
    if (!breaks) continue;
    while (viewDim >= 0 && (placed < run || wanted[size_t(viewDim)] == 1)) {
      result[size_t(viewDim)] = placed * chunk;
      placed *= wanted[size_t(viewDim--)];
    }
    if (placed != run) return {};
    if (d > 0) chunk = from.strides[size_t(d - 1)], run = placed = 1;
  }
  return viewDim < 0 ? std::optional(result) : std::nullopt;
}

Layout reshaped(Op op, const ViewLayout& from, std::span<const int64_t> wanted) {
  auto sizes = inferredSizes(op, wanted, from.sizes);
  if (!sizes) return Layout::failure(sizes.error);
  ViewLayout result{sizes.value, {}, from.offset};
  if (auto strides = viewStrides(from, sizes.value)) {
    result.strides = *strides;
    return result;
  }
  if (op == Op::view) return fail(op, "shape " + toText(sizes.value) + " is not compatible with the strides of shape " + toText(from.sizes) + "; use reshape");
  Layout copy = result;
  copy.error = "copy";
  return copy;
}

Layout flattened(const ViewLayout& from, std::span<const int64_t> ints) {
  auto first = wrapDimension("flatten", ints.empty() ? 0 : ints[0], from.sizes), last = wrapDimension("flatten", ints.size() < 2 ? -1 : ints[1], from.sizes);
  if (!first || !last) return Layout::failure(first ? last.error : first.error);
  if (first.value > last.value) return fail(Op::flatten, "start is behind end");
  if (from.sizes.empty()) return ViewLayout{{1}, {1}, from.offset};
  if (first.value == last.value) return from;
  Dims wanted;
  int64_t run = 1;
  for (int64_t d = 0; d < static_cast<int64_t>(from.sizes.size()); ++d) {
    if (d < first.value || d > last.value) wanted.push_back(from.sizes[size_t(d)]);
    else if (run *= from.sizes[size_t(d)]; d == last.value) wanted.push_back(run);
  }
  return reshaped(Op::flatten, from, wanted);
}

Layout permuted(const ViewLayout& from, std::span<const int64_t> order) {
  if (order.size() != from.sizes.size()) return fail(Op::permute, toText(order) + " does not name each dimension of shape " + toText(from.sizes));
  ViewLayout result{{}, {}, from.offset};
  std::array<bool, Dims::capacity> seen{};
  for (int64_t dimension : order) {
    auto d = wrapDimension("permute", dimension, from.sizes);
    if (!d) return Layout::failure(d.error);
    if (std::exchange(seen[size_t(d.value)], true)) return fail(Op::permute, "a dimension appears twice in " + toText(order));
    result.sizes.push_back(from.sizes[size_t(d.value)]);
    result.strides.push_back(from.strides[size_t(d.value)]);
  }
  return result;
}

Layout swapped(Op op, ViewLayout layout, int64_t first, int64_t second) {
  auto a = wrapDimension(info(op).name, first, layout.sizes), b = wrapDimension(info(op).name, second, layout.sizes);
  if (!a || !b) return Layout::failure(a ? b.error : a.error);
  if (layout.sizes.empty()) return layout;
  std::swap(layout.sizes[size_t(a.value)], layout.sizes[size_t(b.value)]);
  std::swap(layout.strides[size_t(a.value)], layout.strides[size_t(b.value)]);
  return layout;
}

Layout squeezed(const ViewLayout& from, std::span<const int64_t> ints) {
  auto named = reducedDimensions("squeeze", ints, from.sizes);
  if (!named) return Layout::failure(named.error);
  ViewLayout result{{}, {}, from.offset};
  for (size_t d = 0; d < from.sizes.size(); ++d)
    if (!named.value[d] || from.sizes[d] != 1) result.sizes.push_back(from.sizes[d]), result.strides.push_back(from.strides[d]);
  return result;
}

Layout unsqueezed(ViewLayout layout, int64_t dimension) {
  int64_t rank = static_cast<int64_t>(layout.sizes.size());
  if (dimension < -rank - 1 || dimension > rank || layout.sizes.size() == Dims::capacity)
    return fail(Op::unsqueeze, "dimension " + std::to_string(dimension) + " is out of range for shape " + toText(layout.sizes));
  size_t at = static_cast<size_t>(dimension < 0 ? dimension + rank + 1 : dimension);
  int64_t stride = at < layout.sizes.size() ? layout.sizes[at] * layout.strides[at] : 1;
  layout.sizes.insert(at, 1);
  layout.strides.insert(at, stride);
  return layout;
}

Layout expanded(const ViewLayout& from, std::span<const int64_t> wanted) {
  auto wrong = [&] { return fail(Op::expand, "shape " + toText(from.sizes) + " does not expand to " + toText(wanted)); };
  if (wanted.size() < from.sizes.size() || wanted.size() > Dims::capacity) return wrong();
  ViewLayout result{Dims(wanted), {}, from.offset};
  size_t shift = wanted.size() - from.sizes.size();
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (i < shift) {
      if (wanted[i] < 0) return wrong();
      continue;
    }
    int64_t size = from.sizes[i - shift];
    if (wanted[i] == -1) result.sizes[i] = size;
    else if (wanted[i] != size && size != 1) return wrong();
  }
  result.strides = expandedStrides(from.sizes, from.strides, result.sizes);
  return result;
}

Layout narrowed(Op op, ViewLayout layout, int64_t dimension, int64_t start, int64_t length, int64_t step) {
  if (layout.sizes.empty()) return fail(op, "a 0-dim tensor has nothing to take a part of");
  auto d = wrapDimension(info(op).name, dimension, layout.sizes);
  if (!d) return Layout::failure(d.error);
  size_t at = size_t(d.value);
  layout.offset += start * layout.strides[at];
  layout.sizes[at] = length;
  layout.strides[at] *= step;
  return layout;
}

Layout narrow(const ViewLayout& from, std::span<const int64_t> ints) {
  auto d = wrapDimension("narrow", ints[0], from.sizes);
  if (!d || from.sizes.empty()) return narrowed(Op::narrow, from, ints[0], 0, 0, 1);
  int64_t size = from.sizes[size_t(d.value)], start = ints[1] < 0 ? ints[1] + size : ints[1];
  if (start < 0 || ints[2] < 0 || start + ints[2] > size)
    return fail(Op::narrow, "start " + std::to_string(ints[1]) + " and length " + std::to_string(ints[2]) + " leave dimension " + std::to_string(ints[0]) + " of shape " + toText(from.sizes));
  return narrowed(Op::narrow, from, ints[0], start, ints[2], 1);
}

Layout selected(const ViewLayout& from, std::span<const int64_t> ints) {
  auto d = wrapDimension("select", ints[0], from.sizes);
  if (!d || from.sizes.empty()) return narrowed(Op::select, from, ints[0], 0, 0, 1);
  int64_t size = from.sizes[size_t(d.value)], index = ints[1] < 0 ? ints[1] + size : ints[1];
  if (index < 0 || index >= size) return fail(Op::select, "index " + std::to_string(ints[1]) + " is out of range for dimension " + std::to_string(ints[0]) + " of shape " + toText(from.sizes));
  Layout result = narrowed(Op::select, from, ints[0], index, 1, 1);
  result.value.sizes.erase(size_t(d.value));
  result.value.strides.erase(size_t(d.value));
  return result;
}

Layout sliced(const ViewLayout& from, std::span<const int64_t> ints) {
  auto d = wrapDimension("slice", ints.empty() ? 0 : ints[0], from.sizes);
  if (!d || from.sizes.empty()) return narrowed(Op::slice, from, ints.empty() ? 0 : ints[0], 0, 0, 1);
  int64_t size = from.sizes[size_t(d.value)], step = ints.size() > 3 ? ints[3] : 1;
  if (step <= 0) return fail(Op::slice, "the step must be positive");
  auto bound = [&](int64_t v) { return std::clamp<int64_t>(v < 0 ? v + size : v, 0, size); };
  int64_t start = bound(ints.size() > 1 ? ints[1] : 0), end = std::max(start, bound(ints.size() > 2 ? ints[2] : size));
  return narrowed(Op::slice, from, d.value, start, (end - start + step - 1) / step, step);
}

// Sizes, strides, and perhaps an offset into the storage. Whether they stay inside is the caller's to check, who knows its size.
Layout strided(const ViewLayout& from, std::span<const int64_t> ints) {
  size_t rank = ints.size() / 2;
  if (rank > Dims::capacity) return fail(Op::as_strided, "more than " + std::to_string(Dims::capacity) + " dimensions are not supported");
  ViewLayout result{Dims(ints.first(rank)), Dims(ints.subspan(rank, rank)), ints.size() % 2 ? ints.back() : from.offset};
  for (size_t d = 0; d < rank; ++d)
    if (result.sizes[d] < 0 || result.strides[d] < 0) return fail(Op::as_strided, "negative sizes and strides are not allowed: " + toText(result.sizes) + ", " + toText(result.strides));
  if (result.offset < 0) return fail(Op::as_strided, "the offset " + std::to_string(result.offset) + " is negative");
  return result;
}

// Sources, then their destinations. Source: ATen's movedim.
Layout moved(const ViewLayout& from, std::span<const int64_t> ints) {
  const size_t count = ints.size() / 2, rank = from.sizes.size();
  if (ints.size() % 2) return fail(Op::movedim, "as many destinations as sources are needed");
  auto sources = reducedDimensions("movedim", ints.first(count), from.sizes), destinations = reducedDimensions("movedim", ints.subspan(count), from.sizes);
  if (!sources) return Layout::failure(sources.error);
  if (!destinations) return Layout::failure(destinations.error);
  if (count == 0 || rank == 0) return from;
  std::vector<int64_t> order(rank, -1);
  for (size_t i = 0; i < count; ++i) {
    auto wrapped = [&](int64_t d) { return size_t(d < 0 ? d + int64_t(rank) : d); };
    order[wrapped(ints[count + i])] = int64_t(wrapped(ints[i]));
  }
  for (size_t d = 0, next = 0; d < rank; ++d) {
    if (order[d] >= 0) continue;
    while (sources.value[next]) ++next;
    order[d] = int64_t(next++);
  }
  return permuted(from, order);
}

// An offset and two dimensions, which leave; the diagonal comes last.
Layout diagonal(const ViewLayout& from, std::span<const int64_t> ints) {
  const int64_t offset = ints.empty() ? 0 : ints[0];
  auto first = wrapDimension("diagonal", ints.size() > 1 ? ints[1] : 0, from.sizes), second = wrapDimension("diagonal", ints.size() > 2 ? ints[2] : 1, from.sizes);
  if (!first) return Layout::failure(first.error);
  if (!second) return Layout::failure(second.error);
  if (first.value == second.value) return fail(Op::diagonal, "the two dimensions are one");
  const size_t a = size_t(first.value), b = size_t(second.value);
  const int64_t rows = from.sizes[a], columns = from.sizes[b];
  ViewLayout result = from;
  const int64_t length = std::max<int64_t>(offset >= 0 ? std::min(rows, columns - offset) : std::min(rows + offset, columns), 0);
  if (length > 0) result.offset += offset >= 0 ? offset * from.strides[b] : -offset * from.strides[a];
  const int64_t stride = from.strides[a] + from.strides[b];
  for (size_t d : {std::max(a, b), std::min(a, b)}) result.sizes.erase(d), result.strides.erase(d);
  result.sizes.push_back(length);
  result.strides.push_back(stride);
  return result;
}

}  // namespace

Result<ViewLayout> viewLayout(Op op, const ViewLayout& from, std::span<const int64_t> ints) {
  auto has = [&](size_t count) { return ints.size() >= count; };
  switch (op) {
    case Op::view: case Op::reshape: return reshaped(op, from, ints);
    case Op::flatten: return flattened(from, ints);
    case Op::movedim: return moved(from, ints);
    case Op::diagonal: return diagonal(from, ints);
    case Op::permute: return permuted(from, ints);
    case Op::transpose: return has(2) ? swapped(op, from, ints[0], ints[1]) : fail(op, "two dimensions are needed");
    case Op::t:
      if (from.sizes.size() > 2) return fail(op, "shape " + toText(from.sizes) + " has more than 2 dimensions");
      return from.sizes.size() < 2 ? Layout(from) : swapped(op, from, 0, 1);
    case Op::squeeze: return squeezed(from, ints);
    case Op::unsqueeze: return has(1) ? unsqueezed(from, ints[0]) : fail(op, "a dimension is needed");
    case Op::expand: return expanded(from, ints);
    case Op::narrow: return ints.size() == 3 ? narrow(from, ints) : fail(op, "dimension, start and length are needed");
    case Op::select: return has(2) ? selected(from, ints) : fail(op, "dimension and index are needed");
    case Op::slice: return sliced(from, ints);
    case Op::as_strided: return strided(from, ints);
    default: return fail(op, "is not a view");
  }
}

DType promote(DType a, DType b) {
  if (a == b) return a;
  DTypeKind ka = kindOf(a), kb = kindOf(b);
  if (ka != kb) return ka > kb ? a : b;
  if (ka == DTypeKind::floating) {
    bool halves = (a == DType::float16 && b == DType::bfloat16) || (b == DType::float16 && a == DType::bfloat16);
    return halves ? DType::float32 : std::max(a, b);
  }
  // uint8 with a signed type: the next signed type that holds both.
  if (a == DType::uint8 || b == DType::uint8) return std::max(std::max(a, b), DType::int16);
  return std::max(a, b);
}

void TypeClass::add(DType dtype, bool hasDimensions, bool isWrapped) {
  if (isWrapped && kindOf(dtype) == DTypeKind::floating) dtype = DType::float32;  // the default dtype
  std::optional<DType>& slot = hasDimensions ? dimensioned : isWrapped ? wrapped : zeroDim;
  slot = slot ? promote(*slot, dtype) : dtype;
}

DType TypeClass::result() const {
  auto combine = [](std::optional<DType> higher, std::optional<DType> lower) -> std::optional<DType> {
    if (!higher || !lower) return higher ? higher : lower;
    if (kindOf(*higher) >= kindOf(*lower)) return higher;
    return promote(*higher, *lower);
  };
  return *combine(dimensioned, combine(zeroDim, wrapped));
}

Result<DType> resultDType(Op op, DType common) {
  DTypeKind kind = kindOf(common);
  auto wrong = [&] { return Result<DType>::failure(std::string(info(op).name) + ": not for tensors of " + dtypeName(common)); };
  switch (info(op).result) {
    case ResultRule::same: return common;
    case ResultRule::numeric: return kind == DTypeKind::boolean ? wrong() : Result<DType>(common);
    case ResultRule::real: return kind == DTypeKind::floating ? Result<DType>(common) : wrong();
    case ResultRule::whole: return kind == DTypeKind::integer ? Result<DType>(common) : wrong();
    case ResultRule::floating: return kind == DTypeKind::floating ? common : DType::float32;
    case ResultRule::boolean: return DType::boolean;
    case ResultRule::integral: return kind == DTypeKind::floating ? wrong() : Result<DType>(common);
  }
  return wrong();
}

}  // namespace rt
