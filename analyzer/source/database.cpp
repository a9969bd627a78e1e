#include "analyzer/source/database.h"

#include "clang/Tooling/JSONCompilationDatabase.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>

namespace lint {

namespace path = llvm::sys::path;

struct Database::Loaded {
  std::unique_ptr<clang::tooling::JSONCompilationDatabase> database;
  std::string folder;  // where compile_commands.json lies
  std::string error;
};


namespace {

std::string absolute(llvm::StringRef file, llvm::StringRef folder) {
  llvm::SmallString<256> result(file);
  path::make_absolute(folder, result);
  path::remove_dots(result, /*remove_dot_dot=*/true);
  return result.str().str();
}

constexpr const char* advice =
    "make one with 'cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON', name its folder with -p, or give the compiler flags after --";

}  // namespace

const Database::Loaded& Database::loadFor(const std::string& absolutePath) {
  std::string start = settings_.folder.empty() ? path::parent_path(absolutePath).str() : settings_.folder;
  auto& entry = loaded_[start];
  if (entry) return *entry;
  entry = std::make_shared<Loaded>();
  auto tryFolder = [&](llvm::StringRef folder) {
    llvm::SmallString<256> file(folder);
    path::append(file, "compile_commands.json");
    if (!llvm::sys::fs::exists(file)) return false;
    std::string error;
    entry->database = clang::tooling::JSONCompilationDatabase::loadFromFile(file, error, clang::tooling::JSONCommandLineSyntax::AutoDetect);
    entry->folder = folder.str();
    if (!entry->database) entry->error = file.str().str() + " cannot be read: " + error;
    return true;
  };
  if (!settings_.folder.empty()) {
    if (!tryFolder(start)) entry->error = "no compile_commands.json in " + start + "; " + advice;
    return *entry;
  }
  for (llvm::StringRef folder = start; !folder.empty(); folder = path::parent_path(folder))
    if (tryFolder(folder)) return *entry;
  entry->error = "no compile_commands.json found (looked in " + start + " and its parents); " + advice;
  return *entry;
}

Database::Answer Database::commandFor(const std::string& file) {
  Answer answer;
  answer.command.file = file;
  llvm::SmallString<256> current;
  llvm::sys::fs::current_path(current);
  if (settings_.fixed) {
    answer.command.directory = current.str().str();
    answer.command.command = {"clang++"};
    answer.command.command.insert(answer.command.command.end(), settings_.fixedFlags.begin(), settings_.fixedFlags.end());
  } else {
    const Loaded& loaded = loadFor(file);
    if (!loaded.database) {
      answer.error = loaded.error;
      return answer;
    }
    std::vector<clang::tooling::CompileCommand> commands = loaded.database->getCompileCommands(file);
    if (commands.empty())  // an entry with a relative directory is relative to the database's folder
      for (const clang::tooling::CompileCommand& command : loaded.database->getAllCompileCommands())
        if (absolute(command.Filename, absolute(command.Directory, loaded.folder)) == file) commands.push_back(command);
    if (commands.empty()) {
      answer.error = loaded.folder + "/compile_commands.json has no command for this file; add it to a target, or give the compiler flags after --";
      return answer;
    }
    answer.command.directory = absolute(commands.front().Directory, loaded.folder);
    answer.command.command = commands.front().CommandLine;
  }
  answer.command.command.insert(answer.command.command.end(), settings_.extraArguments.begin(), settings_.extraArguments.end());
  return answer;
}

Database::Files Database::filesBelow(const std::string& folder) {
  const Loaded& loaded = loadFor(folder + "/.");
  if (!loaded.database) return {{}, loaded.error};
  Files result;
  std::string prefix = folder + "/";
  for (const clang::tooling::CompileCommand& command : loaded.database->getAllCompileCommands()) {
    std::string file = absolute(command.Filename, absolute(command.Directory, loaded.folder));
    if (llvm::StringRef(file).starts_with(prefix)) result.files.push_back(file);
  }
  std::sort(result.files.begin(), result.files.end());
  result.files.erase(std::unique(result.files.begin(), result.files.end()), result.files.end());
  if (result.files.empty()) result.error = loaded.folder + "/compile_commands.json names no file below this folder";
  return result;
}

}  // namespace lint
