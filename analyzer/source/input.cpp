#include "analyzer/source/input.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"

namespace lint {

namespace fs = llvm::sys::fs;

std::string whyUnreadable(const std::string& file, std::string& real) {
  llvm::SmallString<256> path;
  std::error_code error = fs::real_path(file, path);
  if (error == std::errc::no_such_file_or_directory) return fs::is_symlink_file(file) ? "is a link to a file that is not there" : "no such file";
  if (error) return "cannot be read: " + error.message();
  real = path.str().str();
  if (!fs::is_regular_file(real)) return "is not a regular file";
  auto opened = fs::openNativeFileForRead(real);
  if (!opened) return "cannot be read: " + llvm::toString(opened.takeError());
  fs::file_t handle = *opened;
  fs::closeFile(handle);
  return {};
}

}  // namespace lint
