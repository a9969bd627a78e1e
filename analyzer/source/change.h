// One step from the command that was given to the one that is used.
#pragma once

#include <string>

namespace lint {

struct Change {
  std::string given;   // empty: added
  std::string used;    // empty: dropped
  std::string reason;
};

}  // namespace lint
