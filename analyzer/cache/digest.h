// Names for contents.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace lint {

using Digest = std::array<uint8_t, 16>;

/// Of BLAKE3. Two texts with one digest are not to be expected, not even from someone who looks for them.
Digest digestOf(std::string_view bytes);
std::string hex(const Digest&);

/// What this program is made of: the build of itself and of each library that it runs with. Results that another build gave
/// are not its own.
const Digest& programIdentity();

}  // namespace lint
