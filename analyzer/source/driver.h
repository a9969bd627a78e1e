// What Clang's driver says of flags, without a parse.
#pragma once

#include "analyzer/engine.h"
#include "analyzer/source/change.h"

#include <string>
#include <vector>

namespace lint {

/// Takes the flags off that the driver refuses, with its own words as the reason: options that are not for this target, values
/// that only g++ knows. What decides how the source reads (-std, -x, -I ...) stays: the parse will show the error. So do the
/// `kept` flags, which the user gave for Clang.
void dropRefused(CompileCommand&, const std::vector<std::string>& kept, std::vector<Change>& changes);

}  // namespace lint
