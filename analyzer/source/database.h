// How a file is compiled: from compile_commands.json, or from the flags behind `--`.
#pragma once

#include "analyzer/engine.h"
#include "analyzer/source/translate.h"

#include <memory>
#include <string>
#include <vector>

namespace lint {

class Database {
 public:
  struct Settings {
    std::string folder;                      // -p, or the file itself; empty: look upwards from each file
    bool fixed = false;                      // flags behind `--` were given
    std::vector<std::string> fixedFlags;
    Adjustments adjustments;
  };
  explicit Database(Settings settings) : settings_(std::move(settings)) {}

  /// Something that was decided for the user: what it is about, for one line on many files, and all of it for one file.
  struct Remark {
    std::string kind, text;
  };

  /// The command of a file, fit for Clang. On failure `error` says what was looked for, where, and what to do.
  struct Answer {
    CompileCommand command;
    std::string error;
    std::string from;              // "/project/build/compile_commands.json, entry 3"
    Given given;
    std::vector<Change> changes;
    std::vector<Remark> remarks;
  };
  Answer commandFor(const std::string& absoluteFile);

  /// The files below a folder that the database knows, sorted; with flags behind `--` the sources that lie there.
  struct Files {
    std::vector<std::string> files;
    std::string error;
  };
  Files filesBelow(const std::string& absoluteFolder);

 private:
  struct Loaded;
  Loaded& loadFor(const std::string& absolutePath);
  void choose(Loaded&, const std::string& file, Answer&) const;

  Settings settings_;
  std::map<std::string, std::shared_ptr<Loaded>> loaded_;  // by the folder that the search started from
};

}  // namespace lint
