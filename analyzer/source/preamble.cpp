#include "analyzer/source/preamble.h"

#include "analyzer/source/flags.h"
#include "analyzer/source/parse.h"

#include "clang/Basic/Version.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"

namespace lint {
namespace {

using Files = std::map<std::string, std::string>;

std::optional<std::string> contentsOf(const std::string& path, const Files& unsaved) {
  if (auto it = unsaved.find(path); it != unsaved.end()) return it->second;
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) return {};
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

std::string keyOf(const std::vector<std::string>& flags, const std::string& directory, const std::string& header) {
  llvm::SHA256 hash;
  auto add = [&](llvm::StringRef text) {
    hash.update(text);
    hash.update(llvm::StringRef("\0", 1));
  };
  add(TORCH_TIDY_VERSION);
  add(CLANG_VERSION_STRING);
  if (hasRelativeFolders(flags)) add(directory);
  add(header);
  for (size_t i = 0; i + 1 < flags.size(); ++i) add(flags[i]);  // the last one is the file
  return llvm::toHex(llvm::ArrayRef<uint8_t>(hash.final()).take_front(12), /*LowerCase=*/true);
}

std::string writeSource(const std::string& path, const std::string& header) {
  if (llvm::sys::fs::exists(path)) return {};
  std::string text = "#include <" + header + ">\n";
  auto error = llvm::writeToOutput(path, [&](llvm::raw_ostream& os) {
    os << text;
    return llvm::Error::success();
  });
  return error ? llvm::toString(std::move(error)) : std::string();
}

}  // namespace

FirstInclude firstTorchInclude(const CompileCommand& command, const Files& unsaved) {
  FirstInclude found;
  if (!IncludeScan(includeFolders(command), unsaved).scan(command.file, found)) found.header.clear();
  return found;
}

Preamble preambleFor(const CompileCommand& command, const std::string& cacheDir, const Files& unsaved, bool rebuild) {
  if (cacheDir.empty()) return {{}, "no cache folder"};
  FirstInclude first = firstTorchInclude(command, unsaved);
  if (first.header.empty()) return {{}, "no LibTorch header is included"};
  if (!first.macro.empty()) return {{}, "'" + first.macro + "' is defined before <" + first.header + ">"};

  CompileCommand headerCommand = command;
  std::string key = keyOf(frontendFlags(command), command.directory, first.header);
  std::string base = cacheDir + "/preamble-" + key;
  std::string pch = base + ".pch";
  if (!rebuild && llvm::sys::fs::exists(pch)) return {pch, "used"};

  if (std::error_code error = llvm::sys::fs::create_directories(cacheDir, true, llvm::sys::fs::perms::owner_all))
    return {{}, "cannot make " + cacheDir + ": " + error.message()};
  headerCommand.file = base + ".h";
  if (std::string error = writeSource(headerCommand.file, first.header); !error.empty()) return {{}, error};
  std::string error = precompile(headerCommand, pch);
  if (!error.empty()) return {{}, error};
  return {pch, "built"};
}

}  // namespace lint
