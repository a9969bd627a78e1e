#include "analyzer/cache/folder.h"

#include "analyzer/cache/digest.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <map>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lint {

namespace fs = llvm::sys::fs;

namespace {

constexpr std::string_view magic = "torch-tidy entry 1\n";
constexpr llvm::StringLiteral resultStart = "result-", preambleStart = "preamble-", temporaryStart = "part-";

std::string reasonOf(int error) { return std::strerror(error); }

// Empty: the folder may be used.
std::string whyUnsafe(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status)) return reasonOf(errno);
  if (!S_ISDIR(status.st_mode)) return "it is no folder";
  if (status.st_uid != geteuid()) return "it belongs to another user; name one of your own with --cache-dir";
  if (status.st_mode & (S_IWGRP | S_IWOTH)) return "others may write there; close it with 'chmod go-w' or name another with --cache-dir";
  return {};
}

struct Stored {
  std::string path;
  llvm::StringRef start;
  uint64_t bytes;
  time_t used;
};

// Files of ours: those that begin as ours do.
std::vector<Stored> storedIn(const std::string& folder) {
  std::vector<Stored> list;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; it != end && !error; it.increment(error)) {
    llvm::StringRef name = llvm::sys::path::filename(it->path());
    for (llvm::StringRef start : {resultStart, preambleStart, temporaryStart}) {
      struct stat status;
      if (!name.starts_with(start) || lstat(it->path().c_str(), &status) || !S_ISREG(status.st_mode)) continue;
      list.push_back({it->path(), start, static_cast<uint64_t>(status.st_size), status.st_mtim.tv_sec});
    }
  }
  return list;
}

// The files of a preamble go together.
std::string groupOf(const Stored& stored) {
  llvm::StringRef name = llvm::sys::path::filename(stored.path);
  return name.take_until([](char c) { return c == '.'; }).str();
}

}  // namespace

bool writeAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

bool isOwnFile(const std::string& path) {
  struct stat status;
  return !lstat(path.c_str(), &status) && S_ISREG(status.st_mode) && status.st_uid == geteuid() && !(status.st_mode & (S_IWGRP | S_IWOTH));
}

CacheFolder::CacheFolder(std::string path) : path_(std::move(path)) {
  if (path_.empty()) return;
  fs::create_directories(path_, /*IgnoreExisting=*/true, fs::perms::owner_all);
  std::string why = whyUnsafe(path_);
  usable_ = why.empty();
  if (!usable_) fail(why);
}

bool CacheFolder::writable() const { return usable_ && !access(path_.c_str(), W_OK); }

void CacheFolder::fail(std::string why) {
  if (trouble_.empty()) trouble_ = "nothing is kept in " + path_ + ": " + why;
}

std::optional<std::string> CacheFolder::read(const std::string& name) const {
  std::string file = fileOf(name);
  if (!usable_ || !isOwnFile(file)) return {};
  auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer) return {};
  llvm::StringRef bytes = (*buffer)->getBuffer();
  if (!bytes.consume_front(llvm::StringRef(magic)) || bytes.size() < sizeof(Digest)) return {};
  Digest digest = digestOf(bytes.drop_front(sizeof(Digest)));
  if (std::memcmp(digest.data(), bytes.data(), sizeof digest)) return {};
  return bytes.drop_front(sizeof(Digest)).str();
}

void CacheFolder::write(const std::string& name, std::string_view bytes) {
  if (!usable_ || !trouble_.empty()) return;
  std::string part = partOf(name) + "-XXXXXX";
  int file = mkostemp(part.data(), O_CLOEXEC);
  if (file < 0) return fail(reasonOf(errno));
  Digest digest = digestOf(bytes);
  bool written = writeAll(file, magic) && writeAll(file, {reinterpret_cast<const char*>(digest.data()), digest.size()}) && writeAll(file, bytes);
  int error = errno;
  if (close(file) && written) written = false, error = errno;
  if (written && rename(part.c_str(), fileOf(name).c_str())) written = false, error = errno;
  if (written) return;
  unlink(part.c_str());
  fail(reasonOf(error));
}

void CacheFolder::dropParts(const std::string& name) const {
  for (const Stored& stored : storedIn(path_))
    if (llvm::StringRef(stored.path).starts_with(partOf(name))) unlink(stored.path.c_str());
}

void CacheFolder::touch(const std::string& name) const { utimensat(AT_FDCWD, fileOf(name).c_str(), nullptr, AT_SYMLINK_NOFOLLOW); }

CacheFolder::Contents CacheFolder::contents() const {
  Contents contents;
  std::vector<std::string> preambles;
  for (const Stored& stored : storedIn(path_)) {
    if (stored.start == resultStart) ++contents.results, contents.resultBytes += stored.bytes;
    else contents.preambleBytes += stored.bytes;
    contents.preambles += llvm::StringRef(stored.path).ends_with(".pch");
  }
  return contents;
}

void CacheFolder::trim(uint64_t bytes) {
  struct Group {
    uint64_t bytes = 0;
    time_t used = 0;
    std::vector<std::string> paths;
  };
  std::map<std::string, Group> groups;
  uint64_t total = 0;
  for (const Stored& stored : storedIn(path_)) {
    if (stored.start == temporaryStart) {  // being written, or left by a run that was ended at it
      if (stored.used + 3600 < time(nullptr)) unlink(stored.path.c_str());
      continue;
    }
    Group& group = groups[groupOf(stored)];
    group.bytes += stored.bytes;
    group.used = std::max(group.used, stored.used);
    group.paths.push_back(stored.path);
    total += stored.bytes;
  }
  std::vector<const Group*> oldest;
  for (const auto& [name, group] : groups) oldest.push_back(&group);
  std::sort(oldest.begin(), oldest.end(), [](const Group* a, const Group* b) { return a->used < b->used; });
  for (const Group* group : oldest) {
    if (total <= bytes) return;
    for (const std::string& path : group->paths) unlink(path.c_str());
    total -= group->bytes;
  }
}

std::string CacheFolder::clear() {
  for (const Stored& stored : storedIn(path_))
    if (unlink(stored.path.c_str())) return stored.path + ": " + reasonOf(errno);
  return {};
}

CacheLock::CacheLock(const CacheFolder& folder, const std::string& name, Wait wait) {
  if (!folder.usable()) return;
  file_ = open(folder.fileOf(name + ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
  while (file_ >= 0 && flock(file_, LOCK_EX | (wait == Wait::no ? LOCK_NB : 0))) {
    if (errno == EINTR) continue;
    close(file_);
    file_ = -1;
  }
}

CacheLock::~CacheLock() {
  if (file_ >= 0) close(file_);  // and with it the lock
}

}  // namespace lint
