#include "analyzer/source/prelude.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <set>

namespace lint {
namespace {

namespace path = llvm::sys::path;
using Files = std::map<std::string, std::string>;

std::optional<std::string> contentsOf(const std::string& file, const Files& unsaved) {
  if (auto it = unsaved.find(file); it != unsaved.end()) return it->second;
  if (!llvm::sys::fs::is_regular_file(file)) return {};  // a pipe is left to the parse
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer) return {};
  return (*buffer)->getBuffer().str();
}

bool startsWithOneOf(llvm::StringRef name, llvm::ArrayRef<llvm::StringLiteral> starts) {
  return llvm::any_of(starts, [&](llvm::StringRef start) { return name.starts_with(start); });
}

bool isTorchHeader(llvm::StringRef name) { return startsWithOneOf(name, {"torch/", "ATen/", "c10/"}); }

// Those of the language and the system cost little, and are in everything else.
bool isLibraryHeader(llvm::StringRef name) {
  return name.contains('/') && !startsWithOneOf(name, {"sys/", "bits/", "ext/", "experimental/", "linux/", "asm/", "net/", "netinet/", "arpa/", "gnu/"});
}

bool isWordCharacter(char c) { return llvm::isAlnum(c) || c == '_'; }

// Folders that -I names, in order: the project's own, and those where a system keeps libraries.
struct Folder {
  std::string path;
  bool own;
};
std::vector<Folder> includeFolders(const CompileCommand& command) {
  std::vector<Folder> folders;
  for (size_t i = 0; i < command.command.size(); ++i) {
    llvm::StringRef arg = command.command[i];
    if (!arg.consume_front("-I")) continue;
    llvm::SmallString<256> folder(arg.empty() && i + 1 < command.command.size() ? llvm::StringRef(command.command[i + 1]) : arg);
    path::make_absolute(command.directory, folder);
    folders.push_back({folder.str().str(), !startsWithOneOf(folder, {"/usr/", "/opt/"})});
  }
  return folders;
}

/// One file's directives, line by line.
class Directives {
 public:
  explicit Directives(llvm::StringRef text) : rest_(text) { rest_.consume_front("\xef\xbb\xbf"); }

  /// The next one without its #, with continued lines joined; false: there is none.
  bool next(std::string& directive) {
    while (!rest_.empty()) {
      llvm::StringRef line = takeLine();
      if (!line.consume_front("#")) continue;
      directive = line.ltrim().str();
      while (llvm::StringRef(directive).ends_with("\\") && !rest_.empty()) {
        directive.pop_back();
        directive += takeLine();
      }
      return true;
    }
    return false;
  }

 private:
  llvm::StringRef takeLine() {
    auto [line, rest] = rest_.split('\n');
    rest_ = rest;
    return line.trim();
  }
  llvm::StringRef rest_;
};

class Scan {
 public:
  Scan(std::vector<Folder> folders, const Files& unsaved) : folders_(std::move(folders)), unsaved_(unsaved) {}

  Prelude run(const std::string& file) {
    read(file, 0);
    return std::move(result_);
  }

 private:
  bool stopped() const { return !result_.stopped.empty(); }

  void read(const std::string& file, int depth) {
    if (depth > 8 || !seen_.insert(file).second) return;
    auto text = contentsOf(file, unsaved_);
    if (!text) return;
    Directives directives(*text);
    std::string directive, guard;
    int conditions = 0, outermost = 0;  // an include guard is no condition
    for (bool first = true; !stopped() && directives.next(directive); first = false) {
      llvm::StringRef rest = directive;
      llvm::StringRef word = rest.take_while(isWordCharacter);
      rest = rest.drop_front(word.size()).trim();
      if (word.starts_with("if")) {
        ++conditions;
        if (first && word == "ifndef") guard = rest.str();
        else asked_ += (rest + "\n").str();
      } else if (word == "endif") --conditions;
      else if (word.starts_with("el")) asked_ += (rest + "\n").str();
      else if (word == "define" && nameOf(rest) == guard && !guard.empty()) outermost = 1, guard.clear();
      else if (word == "define" || word == "undef") macro(word, rest, conditions > outermost);
      else if (word == "include") include(rest, file, depth);
    }
  }

  static llvm::StringRef nameOf(llvm::StringRef definition) { return definition.take_while(isWordCharacter); }

  // Of interest only when a header follows.
  void macro(llvm::StringRef word, llvm::StringRef definition, bool conditional) {
    std::string name = nameOf(definition).str();
    if (conditional && unsure_.empty()) unsure_ = "'" + name + "' is defined under a condition";
    if (asked_.find(name) != std::string::npos && unsure_.empty()) unsure_ = "'" + name + "' is asked for before it is defined,";
    macros_ += ("#" + word + " " + definition + "\n").str();
  }

  void include(llvm::StringRef spelling, const std::string& from, int depth) {
    if (spelling.size() < 2) return;
    bool quoted = spelling.front() == '"';
    llvm::StringRef name = spelling.drop_front().take_until([](char c) { return c == '"' || c == '>'; });
    if (isTorchHeader(name)) return library(name);
    std::vector<Folder> places = folders_;
    if (quoted) places.insert(places.begin(), {path::parent_path(from).str(), true});
    for (const Folder& place : places) {
      llvm::SmallString<256> file(place.path);
      path::append(file, name);
      if (!unsaved_.count(file.str().str()) && !llvm::sys::fs::exists(file)) continue;
      if (place.own) return read(file.str().str(), depth + 1);
      break;
    }
    if (isLibraryHeader(name)) library(name);
  }

  void library(llvm::StringRef name) {
    if (!unsure_.empty()) {
      result_.stopped = unsure_ + " before <" + name.str() + ">";
      return;
    }
    result_.text += macros_ + "#include <" + name.str() + ">\n";
    macros_.clear();
    result_.ends.push_back(result_.text.size());
    if (isTorchHeader(name) && !result_.usual) result_.usual = result_.text.size();
  }

  std::vector<Folder> folders_;
  const Files& unsaved_;
  std::set<std::string> seen_;
  std::string macros_, asked_, unsure_;  // since the last include; conditions so far; why macros may not be what they seem
  Prelude result_;
};

}  // namespace

Prelude preludeOf(const CompileCommand& command, const Files& unsaved) { return Scan(includeFolders(command), unsaved).run(command.file); }

}  // namespace lint
