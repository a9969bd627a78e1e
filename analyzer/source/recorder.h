// The file system as a parse sees it, with a record of what it was asked.
#pragma once

#include "analyzer/cache/witness.h"

#include "llvm/Support/VirtualFileSystem.h"

#include <map>

namespace lint {

class Recorder : public llvm::vfs::ProxyFileSystem {
 public:
  /// Nothing below the folder `except` is recorded: what lies there was made from other files.
  Recorder(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files, std::string except);

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine& path) override;
  bool exists(const llvm::Twine& path) override { return static_cast<bool>(status(path)); }
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine& path) override;
  llvm::vfs::directory_iterator dir_begin(const llvm::Twine& folder, std::error_code& error) override;

  /// By path.
  std::vector<Witness> witnesses() const;
  /// False: the same files may say something else the next time; a pipe was read, or a file that may not be read was there.
  bool repeatable() const { return repeatable_; }

 private:
  friend class RecordedFile;
  std::string nameOf(const llvm::Twine& path) const;
  void note(const std::string& path, Witness::Kind kind);
  void noteStatus(const std::string& path, const llvm::ErrorOr<llvm::vfs::Status>& status);
  void noteContent(const std::string& path, llvm::StringRef text, const llvm::ErrorOr<llvm::vfs::Status>& status);

  std::string except_;
  uint64_t start_ = nowInNanoseconds();
  std::map<std::string, Witness> seen_;
  bool repeatable_ = true;
};

}  // namespace lint
