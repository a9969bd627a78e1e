// All checks, in the order of their names. The list is made by checks/CMakeLists.txt from the folder.
#pragma once

#include "analyzer/diagnostic.h"

#include <span>
#include <string>
#include <string_view>

namespace lint {

struct Check;

/// A check's face for people and formats; the pattern behind it is in check.h.
struct CheckEntry {
  std::string_view name;  // the file's name: "host-branch"
  const Check* check;
  std::string_view page;  // docs/checks/<name>.md, whole
};

std::span<const CheckEntry> registry();

struct CheckFace { std::string_view summary; Severity severity; std::string_view category, since; };
CheckFace face(const Check&);
std::string_view nameOf(const Check&);

}  // namespace lint
