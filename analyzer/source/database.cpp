#include "analyzer/source/database.h"

#include "analyzer/source/cuda.h"
#include "analyzer/source/entries.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>

namespace lint {

namespace path = llvm::sys::path;
namespace fs = llvm::sys::fs;

struct Database::Loaded {
  std::string file;   // compile_commands.json
  Entries entries;
  std::string error;
  std::map<std::string, std::vector<size_t>> byName, byRealName;  // the second is filled when the first does not help
};

namespace {

constexpr const char* advice =
    "make one with 'cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON', name its folder with -p, or give the compiler flags after --";

constexpr const char* listName = "compile_commands.json";

// A folder's own list, or that of the build folder in it; empty: neither.
std::string listIn(const std::string& folder) {
  for (const char* below : {"", "build"}) {
    llvm::SmallString<256> file(folder);
    path::append(file, below, listName);
    if (fs::exists(file)) return file.str().str();
  }
  return {};
}

std::string realName(const std::string& file) {
  llvm::SmallString<256> real;
  return fs::real_path(file, real) ? file : real.str().str();
}

// One file compiled for two targets differs in nothing else, often.
std::vector<std::string> withoutOutput(std::vector<std::string> command) {
  for (size_t i = 0; i + 1 < command.size();) {
    auto here = command.begin() + static_cast<std::ptrdiff_t>(i);
    if (*here == "-o" || *here == "-MF" || *here == "-MT") command.erase(here, here + 2);
    else ++i;
  }
  return command;
}

bool isSource(llvm::StringRef file) {
  static constexpr llvm::StringLiteral extensions[] = {".cc", ".cp", ".cpp", ".cxx", ".c++", ".C", ".cu"};
  return llvm::is_contained(extensions, path::extension(file));
}

Database::Files sourcesBelow(const std::string& folder) {
  Database::Files result;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error, /*follow_symlinks=*/false), end; it != end && !error; it.increment(error)) {
    if (path::filename(it->path()).starts_with(".")) it.no_push();
    else if (isSource(it->path()) && it->type() != fs::file_type::directory_file) result.files.push_back(it->path());
  }
  std::sort(result.files.begin(), result.files.end());
  if (error) result.error = "cannot be listed: " + error.message();
  else if (result.files.empty()) result.error = "there is no C++ source below this folder";
  return result;
}

}  // namespace

Database::Loaded& Database::loadFor(const std::string& absolutePath) {
  std::string start = settings_.folder.empty() ? path::parent_path(absolutePath).str() : settings_.folder;
  auto& entry = loaded_[start];
  if (entry) return *entry;
  entry = std::make_shared<Loaded>();
  if (!settings_.folder.empty()) {
    entry->file = fs::is_directory(start) ? start + "/" + listName : start;
    if (!fs::exists(start)) entry->error = start + ": no such folder; " + advice;
    else if (!fs::exists(entry->file)) entry->error = "no " + std::string(listName) + " in " + start + "; " + advice;
  } else {
    for (llvm::StringRef folder = start; !folder.empty() && entry->file.empty(); folder = path::parent_path(folder))
      entry->file = listIn(folder.str());
    if (entry->file.empty())
      entry->error = "no " + std::string(listName) + " found (looked in " + start + ", its parents, and the folder 'build' in each); " + advice;
  }
  if (!entry->error.empty()) return *entry;
  entry->entries = readEntries(entry->file);
  entry->error = entry->entries.error;
  for (size_t i = 0; i < entry->entries.commands.size(); ++i) entry->byName[entry->entries.commands[i].file].push_back(i);
  return *entry;
}

// The first command of the file, or that of the file that is nearest to it.
void Database::choose(Loaded& loaded, const std::string& file, Answer& answer) const {
  const Entries& entries = loaded.entries;
  auto found = loaded.byName.find(file);
  if (found == loaded.byName.end()) {
    if (loaded.byRealName.empty())
      for (size_t i = 0; i < entries.commands.size(); ++i) loaded.byRealName[realName(entries.commands[i].file)].push_back(i);
    found = loaded.byRealName.find(realName(file));
    if (found == loaded.byRealName.end()) found = loaded.byName.end();
  }
  bool borrowed = found == loaded.byName.end();
  int index = borrowed ? nearestEntry(entries, file) : static_cast<int>(found->second.front());
  if (index < 0) {
    answer.error = loaded.file + " has no command for this file, nor for one to borrow from; add it to a target, or give the compiler flags after --";
    return;
  }
  answer.given.command = entries.commands[static_cast<size_t>(index)];
  answer.given.lender = answer.given.command.file;
  answer.given.command.file = file;
  answer.from = loaded.file + ", entry " + std::to_string(entries.numbers[static_cast<size_t>(index)]);
  if (borrowed) {
    if (isCudaName(answer.given.lender) && !isSource(file)) answer.given.command.command.push_back("-xcuda");
    answer.remarks.push_back({"not in " + loaded.file, "it is not in " + loaded.file + "; the flags of " + answer.given.lender + " are used"});
    return;
  }
  size_t different = 0;
  for (size_t other : llvm::drop_begin(found->second))
    different += withoutOutput(entries.commands[other].command) != withoutOutput(entries.commands[found->second.front()].command);
  if (different)
    answer.remarks.push_back({"several commands in " + loaded.file,
                              "it has " + std::to_string(different + 1) + " commands in " + loaded.file + "; the first one is used, entry " +
                                  std::to_string(entries.numbers[static_cast<size_t>(index)])});
}

Database::Answer Database::commandFor(const std::string& file) {
  Answer answer;
  if (settings_.fixed) {
    llvm::SmallString<256> current;
    fs::current_path(current);
    answer.given = {{file, current.str().str(), {"clang++"}}, "", true};
    answer.given.command.command.insert(answer.given.command.command.end(), settings_.fixedFlags.begin(), settings_.fixedFlags.end());
    answer.from = "the flags behind --";
  } else {
    Loaded& loaded = loadFor(file);
    answer.error = loaded.error;
    if (answer.error.empty()) choose(loaded, file, answer);
  }
  if (!answer.error.empty()) return answer;
  Translation translation = translate(answer.given, settings_.adjustments);
  answer.command = std::move(translation.command);
  answer.changes = std::move(translation.changes);
  answer.error = std::move(translation.error);
  if (!translation.remark.empty()) answer.remarks.push_back({translation.remark, translation.remark});
  return answer;
}

Database::Files Database::filesBelow(const std::string& folder) {
  if (settings_.fixed) return sourcesBelow(folder);
  const Loaded& loaded = loadFor(folder + "/.");
  if (!loaded.error.empty()) return {{}, loaded.error};
  Files result;
  std::string prefixes[] = {folder + "/", realName(folder) + "/"};
  for (const auto& [file, indices] : loaded.byName)
    if (llvm::StringRef(file).starts_with(prefixes[0]) || llvm::StringRef(file).starts_with(prefixes[1])) result.files.push_back(file);
  if (result.files.empty()) result.error = loaded.file + " names no file below this folder";
  return result;
}

}  // namespace lint
