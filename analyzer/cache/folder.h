// The folder that the cache lives in: the user's own, closed to others, never needed. What cannot be read is not there, what
// cannot be written is not kept, and the reason is told once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lint {

class CacheFolder {
 public:
  /// Makes the folder where it is missing. An empty path is no cache.
  explicit CacheFolder(std::string path);

  const std::string& path() const { return path_; }
  bool usable() const { return usable_; }
  bool writable() const;
  /// Why nothing is kept, with what to do; empty: all is well.
  const std::string& trouble() const { return trouble_; }
  std::string fileOf(const std::string& name) const { return path_ + "/" + name; }

  /// An entry as it was written, whole; nothing where it is missing, damaged, or not the user's own.
  std::optional<std::string> read(const std::string& name) const;
  /// Writes aside and renames: readers see the old entry or the new one.
  void write(const std::string& name, std::string_view bytes);
  /// Where a file of an entry is written before it is renamed. What is left there goes with `dropParts`.
  std::string partOf(const std::string& name) const { return fileOf("part-" + name); }
  void dropParts(const std::string& name) const;
  /// For the age of an entry: it is in use.
  void touch(const std::string& name) const;

  struct Contents {
    size_t results = 0, preambles = 0;
    uint64_t resultBytes = 0, preambleBytes = 0;
    uint64_t bytes() const { return resultBytes + preambleBytes; }
  };
  Contents contents() const;
  /// Takes the entries away that were not used for longest, until no more than `bytes` are left, and what broken runs left.
  void trim(uint64_t bytes);
  /// Takes away all that is ours. Returns what could not be removed and why, or nothing.
  std::string clear();

 private:
  void fail(std::string why);

  std::string path_, trouble_;
  bool usable_ = false;
};

/// All of it, however many calls that takes; false: `errno` says why not.
bool writeAll(int file, std::string_view bytes);

/// Whether a file is the user's own, regular, and closed to writing by others.
bool isOwnFile(const std::string& path);

/// An entry that is locked for as long as this lives, against other threads and processes.
class CacheLock {
 public:
  enum class Wait : uint8_t { yes, no };
  CacheLock(const CacheFolder&, const std::string& name, Wait = Wait::yes);
  ~CacheLock();
  CacheLock(const CacheLock&) = delete;
  CacheLock& operator=(const CacheLock&) = delete;
  bool held() const { return file_ >= 0; }

 private:
  int file_ = -1;
};

}  // namespace lint
