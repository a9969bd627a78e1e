#include "analyzer/source/preamble.h"

#include "analyzer/source/flags.h"
#include "analyzer/source/parse.h"
#include "analyzer/cache/archive.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <sys/stat.h>

namespace lint {
namespace {

using Files = std::map<std::string, std::string>;

/// What decides whether a preamble may stand in front of a file: the LibTorch header that it includes first, and whether a
/// macro is defined before that (then it may not: the header could behave differently).
struct FirstInclude {
  std::string header;  // "torch/torch.h"; empty when no LibTorch header is included
  std::string macro;   // the macro that stands before it
};

std::optional<std::string> contentsOf(const std::string& path, const Files& unsaved) {
  if (auto it = unsaved.find(path); it != unsaved.end()) return it->second;
  auto buffer = llvm::sys::fs::is_regular_file(path) ? llvm::MemoryBuffer::getFile(path) : std::make_error_code(std::errc::invalid_argument);
  if (!buffer) return {};  // a pipe is left to the parse
  return (*buffer)->getBuffer().str();
}

bool isTorchHeader(llvm::StringRef name) {
  return name.starts_with("torch/") || name.starts_with("ATen/") || name.starts_with("c10/");
}

// Reads the lines of a file, and of the project's headers it includes, up to the first LibTorch include. Conditional
// inclusion is not evaluated: a wrong guess costs a preamble, never a finding, since a parse with errors is repeated
// without one.
class IncludeScan {
 public:
  IncludeScan(std::vector<std::string> folders, const Files& unsaved) : folders_(std::move(folders)), unsaved_(unsaved) {}

  bool scan(const std::string& path, FirstInclude& found, int depth = 0) {
    auto contents = contentsOf(path, unsaved_);
    if (!contents || depth > 8) return false;
    llvm::StringRef rest = *contents, guard;
    rest.consume_front("\xef\xbb\xbf");
    while (!rest.empty()) {
      auto [line, next] = rest.split('\n');
      rest = next;
      line = line.trim();
      if (!line.consume_front("#")) continue;
      line = line.ltrim();
      if (line.consume_front("ifndef")) guard = line.trim();
      else if (line.consume_front("define")) noteMacro(line.trim(), guard, found);
      else if (line.consume_front("include") && include(line.trim(), path, found, depth)) return true;
    }
    return false;
  }

 private:
  void noteMacro(llvm::StringRef definition, llvm::StringRef guard, FirstInclude& found) {
    llvm::StringRef name = definition.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (name != guard && found.macro.empty()) found.macro = name.str();
  }

  bool include(llvm::StringRef spelling, const std::string& from, FirstInclude& found, int depth) {
    if (spelling.size() < 2) return false;
    bool quoted = spelling.front() == '"';
    llvm::StringRef name = spelling.drop_front().take_until([](char c) { return c == '"' || c == '>'; });
    if (isTorchHeader(name)) {
      found.header = name.str();
      return true;
    }
    std::vector<std::string> places = folders_;
    if (quoted) places.insert(places.begin(), llvm::sys::path::parent_path(from).str());
    for (const std::string& place : places) {
      llvm::SmallString<256> path(place);
      llvm::sys::path::append(path, name);
      if (unsaved_.count(path.str().str()) || llvm::sys::fs::exists(path)) return scan(path.str().str(), found, depth + 1);
    }
    return false;
  }

  std::vector<std::string> folders_;
  const Files& unsaved_;
};

// The -I folders of a command: where the project's own headers are. System folders are not searched.
std::vector<std::string> includeFolders(const CompileCommand& command) {
  std::vector<std::string> folders;
  for (size_t i = 0; i < command.command.size(); ++i) {
    llvm::StringRef arg = command.command[i];
    if (!arg.consume_front("-I")) continue;
    std::string folder = arg.empty() && i + 1 < command.command.size() ? command.command[i + 1] : arg.str();
    llvm::SmallString<256> absolute(folder);
    llvm::sys::path::make_absolute(command.directory, absolute);
    folders.push_back(absolute.str().str());
  }
  return folders;
}

// Then the same flags mean other files in another folder.
bool hasRelativeFolders(const std::vector<std::string>& flags) {
  static constexpr llvm::StringLiteral options[] = {"-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros"};
  for (size_t i = 0; i + 1 < flags.size(); ++i)
    for (llvm::StringRef option : options) {
      llvm::StringRef value = flags[i];
      if (!value.consume_front(option)) continue;
      if (value.empty()) value = flags[i + 1];
      if (!llvm::sys::path::is_absolute(value)) return true;
    }
  return false;
}

std::string keyOf(const std::vector<std::string>& flags, const std::string& directory, const std::string& text) {
  std::string key = hex(programIdentity()) + frontendEnvironment() + (hasRelativeFolders(flags) ? directory : "") + '\n' + text;
  for (size_t i = 0; i + 1 < flags.size(); ++i) key += flags[i] + '\n';  // the last one is the file
  return hex(digestOf(key));
}

std::optional<Stamp> stampOf(const std::string& path) {
  struct stat status;
  if (!isOwnFile(path) || stat(path.c_str(), &status)) return {};
  return Stamp{static_cast<uint64_t>(status.st_size), static_cast<uint64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(status.st_mtim.tv_nsec),
               status.st_ino};
}

std::string writeSource(const std::string& path, const std::string& text) {
  if (isOwnFile(path) && contentsOf(path, {}) == text) return {};  // what stands on it minds its time
  auto error = llvm::writeToOutput(path, [&](llvm::raw_ostream& os) {
    os << text;
    return llvm::Error::success();
  });
  return error ? llvm::toString(std::move(error)) : std::string();
}

}  // namespace

PreambleNeed preambleNeed(const CompileCommand& command, const Files& unsaved) {
  FirstInclude first;
  if (!IncludeScan(includeFolders(command), unsaved).scan(command.file, first)) return {"", "", "no LibTorch header is included"};
  if (!first.macro.empty()) return {"", "", "'" + first.macro + "' is defined before <" + first.header + ">"};
  std::string text = "#include <" + first.header + ">\n";
  return {"preamble-" + keyOf(frontendFlags(command), command.directory, text), text, ""};
}

Preambles::Known Preambles::lookUp(const std::string& name) {
  Known known;
  auto bytes = folder_.read(name + ".files");
  auto made = bytes ? fromBytes<Made>(*bytes) : std::nullopt;
  if (!made) return known;
  Looker::Remarks remarks;
  known.digest = digestOf(made->files);
  known.says = looker_.allHold(made->files, remarks);
  auto stamp = stampOf(folder_.fileOf(name + ".pch"));
  known.loads = known.says && !remarks.touched && stamp && *stamp == made->stamp;  // Clang wants the very files
  return known;
}

const Preambles::Known& Preambles::know(const std::string& name) {
  auto [it, isNew] = known_.try_emplace(name);
  if (isNew) it->second = lookUp(name);
  return it->second;
}

bool Preambles::stillSays(const std::string& name, const Digest& digest) {
  const Known& known = know(name);
  return known.says && known.digest == digest;
}

Preamble Preambles::find(const PreambleNeed& need) {
  if (!need.reason.empty()) return {"", "", {}, need.reason};
  const Known& known = know(need.name);
  if (!known.loads) return {"", "", {}, folder_.usable() ? known.status : folder_.trouble()};
  folder_.touch(need.name + ".files");
  return {folder_.fileOf(need.name + ".pch"), need.name, known.digest, "used"};
}

void Preambles::settle(const std::string& name, const std::string& status) {
  if (CacheLock lock(folder_, name, CacheLock::Wait::no); lock.held()) folder_.dropParts(name);
  known_[name] = lookUp(name);
  known_[name].status = status;
}

Preamble Preambles::build(const CompileCommand& command, const PreambleNeed& need, const Preamble* failed) {
  if (!need.reason.empty() || !folder_.usable()) return find(need);
  std::string pch = folder_.fileOf(need.name + ".pch");
  auto before = failed ? stampOf(pch) : std::nullopt;
  CacheLock lock(folder_, need.name);
  looker_ = {};
  known_.erase(need.name);
  bool another = !failed || stampOf(pch) != before;  // someone else has built it while we waited
  if (another && know(need.name).loads) return find(need);

  folder_.dropParts(need.name);  // of one that was ended at this
  CompileCommand header = command;
  header.file = folder_.fileOf(need.name + ".h");
  if (std::string error = writeSource(header.file, need.text); !error.empty()) return {"", "", {}, error};
  std::string part = folder_.partOf(need.name + ".pch");
  ParseResult result = precompile(header, part);
  if (result.errors.empty()) llvm::sys::fs::rename(part, pch);
  if (!result.errors.empty()) return {"", "", {}, (result.errors.front().at.file.empty() ? "" : "LibTorch's headers do not compile: ") + result.errors.front().message};
  auto stamp = stampOf(pch);
  if (!stamp) return {"", "", {}, "it cannot be written to " + pch};
  folder_.write(need.name + ".files", toBytes(Made{std::move(result.witnesses), *stamp}));
  known_.erase(need.name);
  if (!know(need.name).loads) return {"", "", {}, folder_.trouble().empty() ? "a header changed while it was read" : folder_.trouble()};
  Preamble built = find(need);
  built.status = "built";
  return built;
}

}  // namespace lint
