#include "analyzer/report/encode.h"

#include "llvm/ADT/StringExtras.h"

namespace lint {

std::string percentEncoded(std::string_view path) {
  std::string result;
  for (char c : path) {
    if (llvm::isAlnum(c) || std::string_view("/-._~").find(c) != std::string_view::npos) result += c;
    else result += "%" + llvm::utohexstr(static_cast<unsigned char>(c), /*LowerCase=*/false, 2);
  }
  return result;
}

size_t utf16Length(std::string_view text) {
  size_t units = 0;
  for (unsigned char c : text)
    if ((c & 0xc0) != 0x80) units += c >= 0xf0 ? 2 : 1;
  return units;
}

}  // namespace lint
