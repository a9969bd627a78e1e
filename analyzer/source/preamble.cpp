#include "analyzer/source/preamble.h"

#include "analyzer/cache/archive.h"
#include "analyzer/source/flags.h"
#include "analyzer/source/parse.h"
#include "analyzer/source/prelude.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <sys/stat.h>

namespace lint {
namespace {

using Files = std::map<std::string, std::string>;

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
  return lint::stampOf(status);
}

void closeToOthers(const std::string& path) { llvm::sys::fs::setPermissions(path, llvm::sys::fs::owner_read | llvm::sys::fs::owner_write); }

std::string writeSource(const std::string& path, const std::string& text) {
  auto there = isOwnFile(path) ? llvm::MemoryBuffer::getFile(path) : std::make_error_code(std::errc::permission_denied);
  if (there && (*there)->getBuffer() == text) return {};  // what stands on it minds its time
  auto error = llvm::writeToOutput(path, [&](llvm::raw_ostream& os) {
    os << text;
    return llvm::Error::success();
  });
  if (error) return llvm::toString(std::move(error));
  closeToOthers(path);
  return {};
}

}  // namespace

PreambleNeeds preambleNeeds(const CompileCommand& command, const Files& unsaved) {
  Prelude prelude = preludeOf(command, unsaved);
  PreambleNeeds needs;
  needs.reason = !prelude.stopped.empty() ? prelude.stopped : "no LibTorch header is included";
  std::vector<std::string> flags = frontendFlags(command);
  for (size_t end : llvm::reverse(prelude.ends)) {
    std::string text = prelude.text.substr(0, end);
    needs.longestFirst.push_back({"preamble-" + keyOf(flags, command.directory, text), text});
    if (end == prelude.usual) needs.usual = needs.longestFirst.back();
  }
  return needs;
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

bool Preambles::isThere(const PreambleNeed& need) { return know(need.name).loads; }

Preamble Preambles::find(const PreambleNeeds& needs) {
  for (const PreambleNeed& need : needs.longestFirst)
    if (isThere(need)) return take(need);
  if (!folder_.usable()) return {"", "", {}, folder_.trouble()};
  return {"", "", {}, needs.usual.name.empty() ? needs.reason : know(needs.usual.name).status};
}

Preamble Preambles::take(const PreambleNeed& need) {
  folder_.touch(need.name + ".files");
  return {folder_.fileOf(need.name + ".pch"), need.name, know(need.name).digest, "used"};
}

void Preambles::settle(const std::string& name, const std::string& status) {
  if (CacheLock lock(folder_, name, CacheLock::Wait::no); lock.held()) folder_.dropParts(name);
  known_[name] = lookUp(name);
  known_[name].status = status;
}

Preamble Preambles::build(const CompileCommand& command, const PreambleNeed& need, const Preamble* failed) {
  if (!folder_.usable()) return {"", "", {}, folder_.trouble()};
  std::string pch = folder_.fileOf(need.name + ".pch");
  auto before = failed ? stampOf(pch) : std::nullopt;
  CacheLock lock(folder_, need.name);
  looker_ = {};
  known_.erase(need.name);
  bool another = !failed || stampOf(pch) != before;  // someone else has built it while we waited
  if (another && isThere(need)) return take(need);

  folder_.dropParts(need.name);  // of one that was ended at this
  CompileCommand header = command;
  header.file = folder_.fileOf(need.name + ".h");
  if (std::string error = writeSource(header.file, need.text); !error.empty()) return {"", "", {}, error};
  std::string part = folder_.partOf(need.name + ".pch");
  ParseResult result = precompile(header, part);
  if (!result.errors.empty()) {
    const Diagnostic& first = result.errors.front();
    return {"", "", {}, (first.at.file.empty() ? "" : "the headers do not compile alone: ") + first.message};
  }
  closeToOthers(part);
  llvm::sys::fs::rename(part, pch);
  auto stamp = stampOf(pch);
  if (!stamp) return {"", "", {}, "it cannot be written to " + pch};
  folder_.write(need.name + ".files", toBytes(Made{std::move(result.witnesses), *stamp}));
  known_.erase(need.name);
  if (!isThere(need)) return {"", "", {}, folder_.trouble().empty() ? "a header changed while it was read" : folder_.trouble()};
  Preamble built = take(need);
  built.status = "built";
  return built;
}

}  // namespace lint
