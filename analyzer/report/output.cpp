#include "analyzer/report/output.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace lint {
namespace {

std::string flushed(llvm::raw_fd_ostream& os) {
  os.flush();
  std::string error = os.has_error() ? os.error().message() : std::string();
  os.clear_error();
  return error;
}

}  // namespace

std::string writeFile(const std::string& file, llvm::function_ref<void(llvm::raw_ostream&)> write) {
  llvm::sys::fs::file_status status;
  llvm::sys::fs::status(file, status, /*follow=*/false);
  if (!llvm::sys::fs::exists(status) || llvm::sys::fs::is_regular_file(status)) {
    auto error = llvm::writeToOutput(file, [&](llvm::raw_ostream& os) {
      write(os);
      return llvm::Error::success();
    });
    return error ? llvm::toString(std::move(error)) : std::string();
  }
  std::error_code error;
  llvm::raw_fd_ostream os(file, error);
  if (error) return error.message();
  write(os);
  return flushed(os);
}

std::string closeStandardOutput() { return flushed(llvm::outs()); }

}  // namespace lint
