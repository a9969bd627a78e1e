// A Program as C++ that uses LibTorch, so that a verdict can be tried without us.
#pragma once

#include "runtime/program.h"

namespace rt {

/// `std::vector<torch::Tensor> name(torch::Tensor x, double n)`: its results. A step that has no C++ here becomes a throw
/// that says so.
std::string toCpp(const Program&, const std::string& name);
/// A literal of this type: "NAN", "-0.0", "INT64_MIN".
std::string cppLiteral(const Scalar&, HostType);
/// "torch::kFloat".
const char* torchConstant(DType);

}  // namespace rt
