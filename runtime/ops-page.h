// docs/ops.md: the op table as Markdown.
#pragma once

#include <string>

namespace rt {

std::string opsPage();

}  // namespace rt
