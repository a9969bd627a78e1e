// The generator's tensors go to the emulated GPU unless it is told otherwise.
#include "test/conformance/session.h"

namespace samples {

[[maybe_unused]] static const bool chosen = (device = rt::Device::cuda, true);

}  // namespace samples
