// What findings beside compile errors are worth.
#pragma once

#include "analyzer/engine.h"

namespace lint {

/// In a unit with errors: leaves out the findings around an error, and marks the others. None has a fix: it would rest on a
/// broken tree.
void keepSoundFindings(UnitReport&);

}  // namespace lint
