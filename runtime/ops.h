// One C++ function per row, under the row's name. In a namespace of its own: rt::ops::exp does not hide std::exp.
#pragma once

#include "runtime/tensor.h"

namespace rt::ops {

#define CALL(op, attributes, ...) \
  const Tensor inputs[] = {__VA_ARGS__}; \
  return call(Op::op, inputs, attributes)
#define CALL_ONE(op, attributes) return call(Op::op, {&a, 1}, attributes)
#define UNARY(name, ...) inline Tensor name(const Tensor& a) { CALL_ONE(name, {}); }
#define BINARY(name, ...) inline Tensor name(const Tensor& a, const Tensor& b) { CALL(name, {}, a, b); }
#define TERNARY(name, ...) inline Tensor name(const Tensor& a, const Tensor& b, const Tensor& c) { CALL(name, {}, a, b, c); }
#define REDUCE(name, ...) \
  inline Tensor name(const Tensor& a, const Ints& dims = {}, bool keepdim = false) { CALL_ONE(name, (Attributes{dims, keepdim})); }
#define VIEW(name, ...) inline Tensor name(const Tensor& a, const Ints& ints = {}) { CALL_ONE(name, (Attributes{ints})); }
#include "runtime/ops.def"

inline Tensor polygamma(const Tensor& a, double n) { CALL(polygamma, {}, a, n); }
inline Tensor bmm(const Tensor& a, const Tensor& b) { CALL(bmm, {}, a, b); }
inline Tensor mv(const Tensor& a, const Tensor& b) { CALL(mv, {}, a, b); }
inline Tensor dot(const Tensor& a, const Tensor& b) { CALL(dot, {}, a, b); }
inline Tensor outer(const Tensor& a, const Tensor& b) { CALL(outer, {}, a, b); }
inline Tensor addmm(const Tensor& a, const Tensor& b, const Tensor& c) { CALL(addmm, {}, a, b, c); }
inline Tensor roll(const Tensor& a, const Ints& ints) { CALL(roll, (Attributes{ints}), a); }
inline Tensor nonzero(const Tensor& a) { CALL(nonzero, {}, a); }
inline Tensor tril(const Tensor& a, const Ints& diagonal) { CALL(tril, (Attributes{diagonal}), a); }
inline Tensor triu(const Tensor& a, const Ints& diagonal) { CALL(triu, (Attributes{diagonal}), a); }
inline Tensor diagonal_scatter(const Tensor& a, const Tensor& b, const Ints& ints) { CALL(diagonal_scatter, (Attributes{ints}), a, b); }
inline Tensor new_zeros(const Tensor& a, const Ints& sizes) { CALL(new_zeros, (Attributes{sizes}), a); }
inline Tensor mm(const Tensor& a, const Tensor& b) { CALL(mm, {}, a, b); }
inline Tensor matmul(const Tensor& a, const Tensor& b) { CALL(matmul, {}, a, b); }
inline Tensor gather(const Tensor& a, const Tensor& index, const Ints& dim) { CALL(gather, (Attributes{dim}), a, index); }
inline Tensor index_select(const Tensor& a, const Tensor& index, const Ints& dim) { CALL(index_select, (Attributes{dim}), a, index); }
inline Tensor scatter(const Tensor& a, const Tensor& index, const Tensor& from, const Ints& dim) { CALL(scatter, (Attributes{dim}), a, index, from); }
inline Tensor slice_scatter(const Tensor& a, const Tensor& b, const Ints& ints) { CALL(slice_scatter, (Attributes{ints}), a, b); }
inline Tensor select_scatter(const Tensor& a, const Tensor& b, const Ints& ints) { CALL(select_scatter, (Attributes{ints}), a, b); }
inline Tensor as_strided_scatter(const Tensor& a, const Tensor& b, const Ints& ints) { CALL(as_strided_scatter, (Attributes{ints}), a, b); }
inline Tensor scatter_add(const Tensor& a, const Tensor& index, const Tensor& from, const Ints& dim) { CALL(scatter_add, (Attributes{dim}), a, index, from); }
inline Tensor index_add(const Tensor& a, const Tensor& index, const Tensor& from, const Ints& dim) { CALL(index_add, (Attributes{dim}), a, index, from); }
inline Tensor flip(const Tensor& a, const Ints& dims) { CALL(flip, (Attributes{dims}), a); }
inline Tensor contiguous(const Tensor& a) { CALL(contiguous, {}, a); }
inline Tensor zeros_like(const Tensor& a) { CALL(zeros_like, {}, a); }
inline Tensor cummax_indices(const Tensor& a, const Ints& dim) { CALL(cummax_indices, (Attributes{dim}), a); }
inline Tensor cummin_indices(const Tensor& a, const Ints& dim) { CALL(cummin_indices, (Attributes{dim}), a); }
inline Tensor cumprod(const Tensor& a, const Ints& dim) { CALL(cumprod, (Attributes{dim}), a); }
inline Tensor cumsum(const Tensor& a, const Ints& dim) { CALL(cumsum, (Attributes{dim}), a); }
inline Tensor constant_pad_nd(const Tensor& a, const Tensor& value, const Ints& pads) { CALL(constant_pad_nd, (Attributes{pads}), a, value); }
#undef CALL
#undef CALL_ONE

}  // namespace rt::ops

namespace rt {

inline Tensor operator+(const Tensor& a, const Tensor& b) { return ops::add(a, b); }
inline Tensor operator-(const Tensor& a, const Tensor& b) { return ops::sub(a, b); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return ops::mul(a, b); }
inline Tensor operator/(const Tensor& a, const Tensor& b) { return ops::div(a, b); }

}  // namespace rt
