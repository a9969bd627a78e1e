// Host scalars: what C++ does with a bool, int, int64_t, float or double, and how `item<T>()` makes one from a tensor.
//
// A host scalar is held as a Scalar of its type's kind, always representable in that type: a float32 holds a double that
// a float can hold.
#pragma once

#include "runtime/program.h"

namespace rt {

/// "int", "float", ... as C++ spells it.
const char* cppName(HostType);
bool isFloating(HostType);
Scalar::Kind kindOf(HostType);
DType dtypeOf(HostType);

/// The C++ cast. A floating value that an integer type cannot hold gives its lowest value, as x86 does.
Scalar castTo(HostType, const Scalar&);

/// LibTorch's `item<T>()` of an element: a value out of T's range throws rt::Error
/// "value cannot be converted to type int without overflow"; fractions are cut off; bool is `!= 0`.
Scalar itemTo(HostType, const Scalar&);

/// The type that `op` on operands of type `type` yields: comparisons are boolean, std::sqrt of an int is a double.
HostType resultType(HostOp, HostType type);

/// Operands are cast to `type` first. Throws rt::Error for an integer division that would trap.
Scalar apply(HostOp, HostType type, const Scalar& a, const Scalar& b);

/// "lt"; and the number of operands.
const char* name(HostOp);
int arity(HostOp);

}  // namespace rt
