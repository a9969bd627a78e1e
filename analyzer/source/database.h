// How a file is compiled: from compile_commands.json, or from the flags behind `--`.
#pragma once

#include "analyzer/engine.h"

#include <memory>
#include <string>
#include <vector>

namespace lint {

class Database {
 public:
  struct Settings {
    std::string folder;                      // -p; empty: look upwards from each file
    bool fixed = false;                      // flags behind `--` were given
    std::vector<std::string> fixedFlags;
    std::vector<std::string> extraArguments; // --extra-arg
  };
  explicit Database(Settings settings) : settings_(std::move(settings)) {}

  /// The command of a file. On failure `error` says what was looked for, where, and what to do.
  struct Answer {
    CompileCommand command;
    std::string error;
  };
  Answer commandFor(const std::string& absoluteFile);

  /// The files below a folder that the database knows, sorted.
  struct Files {
    std::vector<std::string> files;
    std::string error;
  };
  Files filesBelow(const std::string& absoluteFolder);

 private:
  struct Loaded;
  const Loaded& loadFor(const std::string& absolutePath);

  Settings settings_;
  std::map<std::string, std::shared_ptr<Loaded>> loaded_;  // by the folder that the search started from
};

}  // namespace lint
