// Texts as other programs count and quote them.
#pragma once

#include <string>
#include <string_view>

namespace lint {

/// A path as the path of a URI: all but letters, digits and /-._~ is percent-encoded, byte by byte.
std::string percentEncoded(std::string_view path);

/// The length of UTF-8 text in UTF-16 units, in which editors and SARIF count columns.
size_t utf16Length(std::string_view text);

}  // namespace lint
