#include "analyzer/rewrite/edits.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <map>

namespace lint {
namespace {

bool overlaps(const Edit& a, const Edit& b) {
  if (a.file != b.file) return false;
  if (a.offset == b.offset) return true;
  return a.offset < b.offset + b.length && b.offset < a.offset + a.length;
}

// Through a temporary file beside it, so that no reader and no crash sees half a file.
std::string replaceFile(const std::string& name, const std::string& text) {
  llvm::SmallString<256> real;  // a link stays one
  std::string path = llvm::sys::fs::real_path(name, real) ? name : real.str().str();
  auto mode = llvm::sys::fs::getPermissions(path);
  auto temporary = llvm::sys::fs::TempFile::create(path + ".torch-tidy-%%%%%%", mode ? *mode : llvm::sys::fs::owner_read | llvm::sys::fs::owner_write);
  if (!temporary) return llvm::toString(temporary.takeError());
  {
    llvm::raw_fd_ostream os(temporary->FD, /*shouldClose=*/false);
    os << text;
    os.flush();
    if (os.has_error()) {
      std::string error = os.error().message();
      os.clear_error();
      llvm::consumeError(temporary->discard());
      return error;
    }
  }
  if (mode) llvm::sys::fs::setPermissions(temporary->FD, *mode);
  if (auto error = temporary->keep(path)) return llvm::toString(std::move(error));
  return {};
}

}  // namespace

std::string withEdits(std::string text, std::vector<Edit> edits) {
  std::sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.offset > b.offset; });
  for (const Edit& edit : edits) text.replace(edit.offset, edit.length, edit.text);
  return text;
}

Applied applyFixes(const std::vector<const Fix*>& fixes, const std::function<std::string(const std::string&)>& check) {
  Applied applied;
  std::map<std::string, std::vector<Edit>> accepted;
  std::map<std::string, int> fixesOf;
  auto known = [&](const Edit& edit) { return std::find(accepted[edit.file].begin(), accepted[edit.file].end(), edit) != accepted[edit.file].end(); };
  for (const Fix* fix : fixes) {
    if (std::all_of(fix->edits.begin(), fix->edits.end(), known)) continue;
    bool clash = std::any_of(fix->edits.begin(), fix->edits.end(), [&](const Edit& edit) {
      const auto& others = accepted[edit.file];
      return std::any_of(others.begin(), others.end(), [&](const Edit& other) { return overlaps(edit, other); });
    });
    if (clash) {
      applied.messages.push_back("'" + fix->shown + "' overlaps another fix; run again for it");
      continue;
    }
    for (const Edit& edit : fix->edits) accepted[edit.file].push_back(edit);
    if (!fix->edits.empty()) ++fixesOf[fix->edits.front().file];
  }
  for (const auto& [file, edits] : accepted) {
    if (edits.empty()) continue;
    auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!buffer) {
      applied.messages.push_back(file + ": cannot be read: " + buffer.getError().message());
      applied.failed = true;
      continue;
    }
    std::string before = (*buffer)->getBuffer().str();
    std::string error = replaceFile(file, withEdits(before, edits));
    if (!error.empty()) {
      applied.messages.push_back(file + ": cannot be written: " + error);
      applied.failed = true;
      continue;
    }
    error = check(file);
    if (error.empty()) {
      applied.fixes += fixesOf[file];
      continue;
    }
    replaceFile(file, before);
    applied.messages.push_back(file + ": the fixed file does not compile (" + error + "); it was put back");
    applied.failed = true;
  }
  return applied;
}

}  // namespace lint
