// Programs that differ from one in a single place, as a careless rewrite would.
#pragma once

#include "runtime/program.h"

#include <string>
#include <vector>

namespace rt {

struct Mutant {
  std::string what;  // "lt for le in step 3"
  Program program;
};

std::vector<Mutant> mutantsOf(const Program&);

}  // namespace rt
