// Arguments are read with the driver's own option table, so that an option's value is never taken for a file.
#include "analyzer/source/flags.h"

#include "clang/Options/OptionUtils.h"
#include "clang/Options/Options.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>

namespace lint {
namespace {

using namespace clang::options;

// Options that say where the result goes or how loud the compiler is: none of our business.
bool dropped(const llvm::opt::Arg& arg) {
  static constexpr unsigned exact[] = {OPT_o, OPT_c, OPT_S, OPT_E, OPT_MD, OPT_MMD, OPT_MF, OPT_MT, OPT_MQ, OPT_M, OPT_MM, OPT_MP,
                                       OPT_MG, OPT_pedantic_errors, OPT_save_temps, OPT_include_pch, OPT_UNKNOWN};
  const llvm::opt::Option& option = arg.getOption();
  for (unsigned id : exact)
    if (option.matches(id)) return true;
  return option.matches(OPT_W_Group) || option.matches(OPT_INPUT);
}

// ccache and the like stand before the compiler.
bool isWrapper(llvm::StringRef program) {
  llvm::StringRef name = llvm::sys::path::filename(program);
  return name == "ccache" || name == "sccache" || name == "distcc" || name == "icecc";
}

}  // namespace

std::string resourceDirectory() {
  std::string built = TORCH_TIDY_RESOURCE_DIR;
  if (llvm::sys::fs::exists(built + "/include/stddef.h")) return built;
  Dl_info library;
  if (dladdr(reinterpret_cast<void*>(&clang::getDriverOptTable), &library) && library.dli_fname) {
    std::string moved = clang::GetResourcesPath(library.dli_fname);
    if (llvm::sys::fs::exists(moved + "/include/stddef.h")) return moved;
  }
  return {};
}

std::vector<std::string> frontendFlags(const CompileCommand& command) {
  size_t first = 0;
  while (first + 1 < command.command.size() && isWrapper(command.command[first])) ++first;

  std::vector<const char*> raw;
  for (size_t i = first + 1; i < command.command.size(); ++i)
    if (command.command[i] != "--") raw.push_back(command.command[i].c_str());
  unsigned missingIndex = 0, missingCount = 0;
  llvm::opt::InputArgList args = clang::getDriverOptTable().ParseArgs(raw, missingIndex, missingCount,
                                                                     llvm::opt::Visibility(clang::options::ClangOption));

  std::vector<std::string> result = {"clang++"};
  for (const llvm::opt::Arg* arg : args)
    if (!dropped(*arg)) {
      llvm::opt::ArgStringList rendered;
      arg->render(args, rendered);
      result.insert(result.end(), rendered.begin(), rendered.end());
    }
  if (std::string resources = resourceDirectory(); !resources.empty()) result.push_back("-resource-dir=" + resources);
  result.insert(result.end(), {"-w", "-fsyntax-only", command.file});
  return result;
}

}  // namespace lint
