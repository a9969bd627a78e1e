// What a parse learned from the file system, path by path, so that it can be told later whether another parse would learn the
// same: the contents it read, the files it found, and those it looked for in vain.
#pragma once

#include "analyzer/cache/digest.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

struct stat;

namespace lint {

/// As long as this is the same nobody has written to the file.
struct Stamp {
  uint64_t size = 0, time = 0, inode = 0;  // time in nanoseconds
  bool operator==(const Stamp&) const = default;
};

Stamp stampOf(const struct ::stat&);

struct Witness {
  enum class Kind : uint8_t {
    absent,   // there is nothing
    folder,   // there is a folder; what is in it was not asked
    file,     // there is something else; its content was not asked
    content,  // `digest` is that of the text
    listing,  // `digest` is that of a folder's names
  };
  std::string path;  // absolute
  Kind kind = Kind::absent;
  Stamp stamp;       // of content and listing
  Digest digest{};
  bool recent = false;  // the stamp was taken while someone may still have written within one tick of its clock: it decides nothing
};

template <typename Archive> void fields(Archive& archive, Stamp& stamp) { archive(stamp.size, stamp.time, stamp.inode); }
template <typename Archive> void fields(Archive& archive, Witness& witness) {
  archive(witness.path, witness.kind, witness.stamp, witness.digest, witness.recent);
}

/// Whether a stamp is recent for one who began to read at `now`, in nanoseconds.
bool isRecent(const Stamp&, uint64_t now);
uint64_t nowInNanoseconds();

/// What all witnesses say, less their stamps.
Digest digestOf(const std::vector<Witness>&);

/// Looks at each path once, however many witnesses name it.
class Looker {
 public:
  /// What was seen on the way.
  struct Remarks {
    bool touched = false;  // a stamp differs, though the content does not
    bool renewed = false;  // a witness knows a better stamp now
  };
  /// The stamp decides; where it differs, or is recent, the content. A stamp that was out of date is put right in the witness.
  bool holds(Witness&, Remarks&);
  bool allHold(std::vector<Witness>&, Remarks&);

 private:
  struct Look {
    bool there = false, folder = false, regular = false;
    Stamp stamp;
    std::optional<Digest> digest;  // once it was asked for
  };
  Look& lookAt(const std::string& path);
  const Digest& contentOf(const std::string& path, Look&);

  std::unordered_map<std::string, Look> looks_;
  uint64_t now_ = nowInNanoseconds();
};

/// Of the names in a folder, sorted.
Digest listingOf(const std::string& folder);

}  // namespace lint
