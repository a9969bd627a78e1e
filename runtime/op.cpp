#include "runtime/op.h"

#include <array>
#include <iterator>

namespace rt {
namespace {

constexpr bool same(std::string_view a, std::string_view b) { return a == b; }

struct Texts { const char* of[3]; };
struct Numbers { int count; double values[3]; };
template <typename... V> constexpr Numbers numbersOf(V... values) { return {int(sizeof...(V)), {double(values)...}}; }
constexpr bool hasGradient(Texts gradients) { return !same(gradients.of[0], "none") || !same(gradients.of[1], "none") || !same(gradients.of[2], "none"); }
constexpr unsigned refusedOf(Texts gradients) {
  unsigned bits = 0;
  for (int i = 0; i < 3; ++i) bits |= unsigned(same(gradients.of[i], "refused")) << i;
  return bits;
}
#define NUMBERS(...) numbersOf(__VA_ARGS__)

constexpr OpInfo elementwise(const char* name, OpKind kind, int tensors, Numbers numbers, ResultRule result, double ulps, const char* domain,
                             const char* safe, const char* forward, Texts gradients) {
  return {name, kind, tensors, tensors + numbers.count, tensors, {numbers.values[0], numbers.values[1], numbers.values[2]}, result, ulps, domain,
          same(domain, "true"), safe, forward, {gradients.of[0], gradients.of[1], gradients.of[2]}, hasGradient(gradients), false, refusedOf(gradients)};
}
constexpr OpInfo other(const char* name, OpKind kind, int minimum, int maximum, ResultRule result, double ulps, Texts gradients) {
  return {name, kind, minimum, maximum, minimum, {}, result, ulps, "true", true, "0", "", {gradients.of[0], gradients.of[1], gradients.of[2]}, hasGradient(gradients),
          same(gradients.of[0], "composed"), refusedOf(gradients)};
}

}  // namespace

constexpr OpInfo opInfos[] = {
#define UNARY(name, ...) UNARY_WITH(name, (), __VA_ARGS__)
#define BINARY(name, ...) BINARY_WITH(name, (), __VA_ARGS__)
#define TERNARY(name, ...) TERNARY_WITH(name, (), __VA_ARGS__)
#define UNARY_WITH(name, numbers, result, ulps, domain, safe, forward, ga) \
  elementwise(#name, OpKind::unary, 1, NUMBERS numbers, ResultRule::result, ulps, #domain, #safe, #forward, {#ga, "none", "none"}),
#define BINARY_WITH(name, numbers, result, ulps, domain, safe, forward, ga, gb) \
  elementwise(#name, OpKind::binary, 2, NUMBERS numbers, ResultRule::result, ulps, #domain, #safe, #forward, {#ga, #gb, "none"}),
#define TERNARY_WITH(name, numbers, result, ulps, domain, safe, forward, ga, gb, gc) \
  elementwise(#name, OpKind::ternary, 3, NUMBERS numbers, ResultRule::result, ulps, #domain, #safe, #forward, {#ga, #gb, #gc}),
#define REDUCE(name, result, ulps, ga) other(#name, OpKind::reduce, 1, 1, ResultRule::result, ulps, {#ga, "none", "none"}),
#define VIEW(name, ga) other(#name, OpKind::view, 1, 1, ResultRule::same, 0, {#ga, "none", "none"}),
#define KERNEL(name, result, ulps, minimum, maximum, by, ga, gb, gc) other(#name, OpKind::kernel, minimum, maximum, ResultRule::result, ulps, {#ga, #gb, #gc}),
#define CREATE(name, ulps, minimum, maximum) other(#name, OpKind::create, minimum, maximum, ResultRule::same, ulps, {"none", "none", "none"}),
#include "runtime/ops.def"
};

static constexpr const char* dtypeNames[] = {
#define DTYPE(name, type, kind, constant) #name,
#include "runtime/dtypes.def"
};
constexpr DTypeKind dtypeKinds[] = {
#define DTYPE(name, type, kind, constant) DTypeKind::kind,
#include "runtime/dtypes.def"
};


const char* dtypeName(DType dtype) { return dtypeNames[static_cast<size_t>(dtype)]; }

std::optional<Op> opNamed(std::string_view name) {
  for (size_t i = 0; i < std::size(opInfos); ++i)
    if (opInfos[i].name == name) return static_cast<Op>(i);
  return {};
}

}  // namespace rt
