// What the tests ask of LibTorch in the place of the runtime.
#pragma once

#include "runtime/program.h"

#include <string>

namespace rt {

/// The first op of the program that torch-backend.cpp does not have; empty if it has all.
std::string opWithoutTorch(const Program&);

}  // namespace rt
