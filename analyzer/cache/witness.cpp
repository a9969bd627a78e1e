#include "analyzer/cache/witness.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <chrono>
#include <sys/stat.h>

namespace lint {

uint64_t nowInNanoseconds() {
  return static_cast<uint64_t>(std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count());
}

Stamp stampOf(const struct ::stat& status) {
  uint64_t seconds = static_cast<uint64_t>(status.st_mtim.tv_sec), rest = static_cast<uint64_t>(status.st_mtim.tv_nsec);
  return {static_cast<uint64_t>(status.st_size), seconds * 1'000'000'000 + rest, status.st_ino};
}

bool isRecent(const Stamp& stamp, uint64_t now) {
  constexpr uint64_t coarsest = 2'000'000'000;  // FAT's clock
  return stamp.time + coarsest >= now;
}

Digest listingOf(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(folder, error), end; it != end && !error; it.increment(error)) names.push_back(it->path());
  std::sort(names.begin(), names.end());
  std::string text;
  for (const std::string& name : names) text += name + '\n';
  return digestOf(text);
}

Digest digestOf(const std::vector<Witness>& witnesses) {
  std::string text;
  for (const Witness& one : witnesses) {
    text += one.path;
    text += static_cast<char>(one.kind);
    text.append(reinterpret_cast<const char*>(one.digest.data()), one.digest.size());
  }
  return digestOf(text);
}

Looker::Look& Looker::lookAt(const std::string& path) {
  auto [it, isNew] = looks_.try_emplace(path);
  Look& look = it->second;
  struct stat status;
  if (!isNew || stat(path.c_str(), &status)) return look;
  look.there = true;
  look.folder = S_ISDIR(status.st_mode);
  look.regular = S_ISREG(status.st_mode);
  look.stamp = stampOf(status);
  return look;
}

const Digest& Looker::contentOf(const std::string& path, Look& look) {
  if (look.digest) return *look.digest;
  if (look.folder) return look.digest.emplace(listingOf(path));
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return look.digest.emplace(buffer ? digestOf((*buffer)->getBuffer()) : Digest{});
}

bool Looker::holds(Witness& witness, Remarks& remarks) {
  using Kind = Witness::Kind;
  Look& look = lookAt(witness.path);
  switch (witness.kind) {
    case Kind::absent: return !look.there;
    case Kind::folder: return look.folder;
    case Kind::file: return look.there && !look.folder;
    case Kind::content:
    case Kind::listing: break;
  }
  if (witness.kind == Kind::content ? !look.regular : !look.folder) return false;
  bool same = look.stamp == witness.stamp;
  if (same && !witness.recent) return true;
  if (contentOf(witness.path, look) != witness.digest) return false;
  remarks.touched |= !same;
  witness.stamp = look.stamp;
  witness.recent = isRecent(look.stamp, now_);
  remarks.renewed |= !witness.recent;
  return true;
}

bool Looker::allHold(std::vector<Witness>& witnesses, Remarks& remarks) {
  return std::all_of(witnesses.begin(), witnesses.end(), [&](Witness& witness) { return holds(witness, remarks); });
}

}  // namespace lint
