#include "analyzer/source/flags.h"

#include "clang/Basic/Version.h"
#include "clang/Options/OptionUtils.h"
#include "clang/Options/Options.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

#include <dlfcn.h>

namespace lint {

Resources findResourceDirectory() {
  Resources resources;
  auto look = [&](const std::string& folder) {
    if (!resources.folder.empty() || llvm::is_contained(resources.lookedIn, folder)) return;
    resources.lookedIn.push_back(folder);
    if (llvm::sys::fs::exists(folder + "/include/stddef.h")) resources.folder = folder;
  };
  look(TORCH_TIDY_RESOURCE_DIR);
  Dl_info library;
  if (dladdr(reinterpret_cast<void*>(&clang::getDriverOptTable), &library) && library.dli_fname) look(clang::GetResourcesPath(library.dli_fname));
  if (!resources.folder.empty()) return resources;
  static int here;
  look(clang::GetResourcesPath(llvm::sys::fs::getMainExecutable("torch-tidy", &here)));
  for (const char* name : {"clang-" CLANG_VERSION_MAJOR_STRING, "clang"})
    if (auto program = llvm::sys::findProgramByName(name)) {
      llvm::SmallString<256> real;
      if (!llvm::sys::fs::real_path(*program, real)) look(clang::GetResourcesPath(real));
    }
  return resources;
}

std::vector<std::string> frontendFlags(const CompileCommand& command) {
  std::vector<std::string> flags = command.command;
  flags.insert(flags.end(), {"-w", "-fsyntax-only", command.file});
  return flags;
}

std::string frontendEnvironment() {
  static constexpr const char* names[] = {"CPATH",   "C_INCLUDE_PATH",      "CPLUS_INCLUDE_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX",
                                          "SDKROOT", "CCC_OVERRIDE_OPTIONS"};
  std::string text;
  for (const char* name : names)
    if (auto value = llvm::sys::Process::GetEnv(name)) text += std::string(name) + '=' + *value + '\n';
  return text;
}

}  // namespace lint
