// Differences that are known and meant.
#pragma once

#include "test/conformance/session.h"

namespace samples {

/// Why a case may differ, or null.
const char* knownIn(const Program&, const Difference&);

}  // namespace samples
