// The shared preamble: LibTorch's headers, and those of other libraries that many files of a project begin with, precompiled
// once per text and flags with function bodies skipped. A file parsed on top of it costs a fraction of a second instead of
// sixteen; its own bodies, and those of the project's own headers, are always parsed in full.
#pragma once

#include "analyzer/cache/folder.h"
#include "analyzer/engine.h"

#include <map>
#include <string>

namespace lint {

/// A preamble by its text and its command.
struct PreambleNeed {
  std::string name;  // "preamble-0acd43a4...": one text, one set of flags, one build of torch-tidy
  std::string text;  // what is precompiled: "#include <torch/torch.h>\n"
};

/// The preambles that a file can stand on.
struct PreambleNeeds {
  std::vector<PreambleNeed> longestFirst;
  PreambleNeed usual;  // what is built for this file alone: up to LibTorch's first header; without a name: nothing is
  std::string reason;  // then: why
};
PreambleNeeds preambleNeeds(const CompileCommand&, const std::map<std::string, std::string>& unsaved = {});

struct Preamble {
  std::string path;    // of the precompiled header; empty when there is none
  std::string name;
  Digest digest{};     // of what the files said that it was made from
  std::string status;  // "used", "built", or the reason why there is none
};

/// The preambles in the cache folder, for one run. A preamble NAME is NAME.pch and, written after it, NAME.files: what it was
/// made from, and the stamp of the other. One that is out of date or was written to by someone is not there.
class Preambles {
 public:
  explicit Preambles(const CacheFolder& folder) : folder_(folder) {}

  /// The longest that is there.
  Preamble find(const PreambleNeeds&);
  bool isThere(const PreambleNeed&);
  /// Builds what is not there, aside, and once: others who want the same wait for it. `failed` is one that could not be loaded.
  Preamble build(const CompileCommand&, const PreambleNeed&, const Preamble* failed = nullptr);
  /// Looks again at one that a process of ours was to build; `status` is what that said of it. Whatever it left half done is
  /// taken away.
  void settle(const std::string& name, const std::string& status);
  /// Whether the files that a preamble of this name and digest was made from still say the same.
  bool stillSays(const std::string& name, const Digest&);

  Looker& looker() { return looker_; }

 private:
  struct Made {
    std::vector<Witness> files;
    Stamp stamp;     // of NAME.pch
  };
  template <typename Archive> friend void fields(Archive& archive, Made& made) { archive(made.files, made.stamp); }

  struct Known {
    bool says = false, loads = false;  // its files say the same; they were not even touched
    Digest digest{};
    std::string status;                // of building it in this run
  };
  const Known& know(const std::string& name);
  Preamble take(const PreambleNeed&);
  Known lookUp(const std::string& name);

  CacheFolder folder_;
  Looker looker_;
  std::map<std::string, Known> known_;
};

}  // namespace lint
