#include "analyzer/source/compiler.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <algorithm>

namespace lint {
namespace {

namespace path = llvm::sys::path;

constexpr llvm::StringLiteral wrappers[] = {"ccache", "sccache", "distcc", "icecc", "buildcache",
                                           "gomacc", "rewrapper", "env", "nice", "time", "libtool"};

constexpr const char* addsFlags = "adds flags of its own that are not known here; give them with --extra-arg";

// The end of a compiler's name, longest first where one ends another.
struct Suffix {
  llvm::StringLiteral end;
  Family family;
  const char* remark;
};
constexpr Suffix suffixes[] = {
    {"clang++", Family::clang, ""},     {"clang", Family::clang, ""},       {"icpx", Family::clang, ""},       {"icx", Family::clang, ""},
    {"dpcpp", Family::clang, ""},       {"hipcc", Family::clang, addsFlags}, {"nvcc", Family::nvcc, ""},        {"mpicxx", Family::gnu, addsFlags},
    {"mpic++", Family::gnu, addsFlags}, {"mpiCC", Family::gnu, addsFlags},  {"mpicc", Family::gnu, addsFlags}, {"mpiicpc", Family::gnu, addsFlags},
    {"g++", Family::gnu, ""},           {"gcc", Family::gnu, ""},           {"c++", Family::gnu, ""},          {"icpc", Family::gnu, ""},
    {"cc", Family::gnu, ""},            {"CC", Family::gnu, ""},            {"cxx", Family::gnu, ""},
    {"cc_wrapper.sh", Family::gnu, ""},  // Bazel's
};

bool isWrapper(llvm::StringRef program) { return llvm::is_contained(wrappers, path::filename(program)); }

// "-12" or "-12.2" at the end of a name.
llvm::StringRef versionOf(llvm::StringRef name) {
  llvm::StringRef version = name.substr(name.rfind('-') + 1);
  bool numbers = !version.empty() && version.size() < name.size() && llvm::all_of(version, [](char c) { return llvm::isDigit(c) || c == '.'; });
  return numbers ? version : llvm::StringRef();
}

void readName(Compiler& compiler) {
  llvm::StringRef name = path::filename(compiler.program);
  name.consume_back(".exe");
  llvm::StringRef version = versionOf(name);
  compiler.version = version.str();
  if (!version.empty()) name = name.drop_back(version.size() + 1);
  for (const Suffix& suffix : suffixes) {
    if (!name.consume_back(suffix.end)) continue;
    compiler.family = suffix.family;
    compiler.remark = suffix.remark;
    name.consume_back("-");
    if (llvm::Triple(name).getArch() != llvm::Triple::UnknownArch) compiler.target = name.str();
    return;
  }
  compiler.remark = "is no compiler that is known here; its flags are read as those of g++";
}

// `cd DIR && g++ ... && :`, as Ninja's rules have it.
void takeShell(std::vector<std::string>& words, Compiler& compiler) {
  auto joint = [&] { return std::find(words.begin(), words.end(), "&&"); };
  for (; joint() != words.end() && (words[0] == "cd" || words[0] == ":"); words.erase(words.begin(), joint() + 1))
    if (words[0] == "cd") compiler.directory = words[1];
  words.erase(joint(), words.end());
}

// What may stand between a wrapper and the compiler: `-n 10`, `CCACHE_DIR=/var/cache`.
bool belongsToWrapper(llvm::StringRef word) {
  auto [name, value] = word.split('=');
  bool isSetting = word.contains('=') && llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  return isSetting || word.starts_with("-") || llvm::all_of(word, llvm::isDigit);
}

// lib/gcc/TARGET/VERSION of a compiler that says both in its name.
std::string installFolder(const std::string& prefix, const Compiler& compiler) {
  if (compiler.target.empty() || compiler.version.empty()) return {};
  std::string folder = prefix + "/lib/gcc/" + compiler.target + "/" + compiler.version;
  return llvm::sys::fs::is_directory(folder) ? folder : std::string();
}

}  // namespace

Compiler takeCompiler(std::vector<std::string>& words, std::vector<Change>& changes) {
  Compiler compiler;
  if (!words.empty()) takeShell(words, compiler);
  size_t i = 0;
  for (; i < words.size() && isWrapper(words[i]); ++i) {
    changes.push_back({words[i], "", "a wrapper around the compiler"});
    while (i + 1 < words.size() && belongsToWrapper(words[i + 1])) changes.push_back({words[++i], "", "belongs to the wrapper"});
  }
  if (i < words.size()) {
    compiler.program = words[i++];
    readName(compiler);
  }
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(i));
  return compiler;
}

std::vector<std::string> libraryFlags(const Compiler& compiler, bool libcxx) {
  std::vector<std::string> flags;
  llvm::Triple host(llvm::sys::getDefaultTargetTriple()), named(llvm::Triple::normalize(compiler.target));
  bool foreign = !compiler.target.empty() &&
                 (named.getArch() != host.getArch() || named.getOS() != host.getOS() || named.getEnvironment() != host.getEnvironment());
  if (foreign) flags.push_back("--target=" + compiler.target);
  if (compiler.family == Family::nvcc || compiler.program.empty()) return flags;
  auto program = llvm::sys::findProgramByName(compiler.program);  // found, not run
  llvm::SmallString<256> real;
  if (!program || llvm::sys::fs::real_path(*program, real)) return flags;
  Compiler itself;
  itself.program = real.str().str();
  readName(itself);
  std::string prefix = path::parent_path(path::parent_path(real)).str();
  if (compiler.family == Family::clang) {
    std::string folder = prefix + "/include/c++/v1";
    if (libcxx && llvm::sys::fs::is_directory(folder)) flags.push_back("-stdlib++-isystem" + folder);
    return flags;
  }
  if (std::string folder = installFolder(prefix, itself); !folder.empty()) flags.push_back("--gcc-install-dir=" + folder);
  else if (prefix != "/usr" && llvm::sys::fs::is_directory(prefix + "/lib/gcc")) flags.push_back("--gcc-toolchain=" + prefix);
  return flags;
}

}  // namespace lint
