// Which kernels the emulated GPU has run.
#pragma once

#include <set>
#include <typeindex>

namespace rt {

/// Functors by the type they have for bool.
extern std::set<std::type_index> launched;

}  // namespace rt
