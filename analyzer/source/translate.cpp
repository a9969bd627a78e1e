#include "analyzer/source/translate.h"

#include "analyzer/source/compiler.h"
#include "analyzer/source/cuda.h"
#include "analyzer/source/driver.h"
#include "analyzer/source/entries.h"
#include "analyzer/source/filter.h"
#include "analyzer/source/flags.h"
#include "analyzer/source/words.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace lint {
namespace {

namespace path = llvm::sys::path;

constexpr const char* sourceExtensions[] = {".c", ".C",  ".cc", ".cp",  ".cpp", ".cxx", ".c++", ".cu",
                                            ".h", ".H", ".hh", ".hp", ".hpp", ".hxx", ".h++", ".cuh", ".ii"};

std::string joined(const std::vector<std::string>& words, const char* between = " ") {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

bool fits(llvm::StringRef word, llvm::StringRef pattern) { return pattern.consume_back("*") ? word.starts_with(pattern) : word == pattern; }

/// One command on its way.
class Translator {
 public:
  Translator(const Given& given, const Adjustments& adjustments)
      : given_(given), file_(given.command.file), adjustments_(adjustments), words_(given.command.command) {
    result_.command.file = file_;
    result_.command.directory = given.command.directory;
  }

  Translation run() {
    findCompiler();
    if (!result_.error.empty()) return std::move(result_);
    findFolder();
    readResponseFiles(words_, result_.command.directory, result_.changes);
    remove();
    std::string hostCompiler;
    if (compiler_.family == Family::nvcc || (given_.flagsOnly && isCudaName(file_))) translateNvcc(words_, hostCompiler, result_.changes);
    for (const std::string& extra : adjustments_.before) add({extra}, "--extra-arg-before");
    Filtered filtered = filterFlags(words_, result_.command.directory, {file_, given_.lender}, result_.changes);
    result_.command.command.insert(result_.command.command.end(), filtered.flags.begin(), filtered.flags.end());
    showLibrary(hostCompiler);
    setLanguage(filtered);
    findResources();
    for (const std::string& extra : adjustments_.extra) add({extra}, "--extra-arg");
    std::vector<std::string> kept = adjustments_.before;
    kept.insert(kept.end(), adjustments_.extra.begin(), adjustments_.extra.end());
    dropRefused(result_.command, kept, result_.changes);
    return std::move(result_);
  }

 private:
  void findCompiler() {
    compiler_ = takeCompiler(words_, result_.changes);
    if (compiler_.program.empty()) {
      result_.error = "its command names no compiler: " + joined(given_.command.command);
      return;
    }
    if (!compiler_.directory.empty()) {
      llvm::SmallString<256> folder(compiler_.directory);
      path::make_absolute(given_.command.directory, folder);
      result_.command.directory = folder.str().str();
    }
    llvm::StringRef name = path::filename(compiler_.program);
    bool isC = path::extension(file_) == ".c" && !name.contains("++") && !name.ends_with("cxx") && compiler_.family != Family::nvcc;
    std::string frontend = isC ? "clang" : "clang++";
    result_.command.command = {frontend};
    if (!given_.flagsOnly) result_.changes.push_back({compiler_.program, frontend, "the parse is Clang's"});
    if (!compiler_.remark.empty()) result_.remark = "'" + name.str() + "' " + compiler_.remark;
  }

  // A build folder may have been deleted since; Clang needs one that is there.
  void findFolder() {
    std::string& folder = result_.command.directory;
    if (llvm::sys::fs::is_directory(folder)) return;
    llvm::StringRef there = folder;
    while (!there.empty() && !llvm::sys::fs::is_directory(there)) there = path::parent_path(there);
    result_.remark = "the folder " + folder + " of its command does not exist; relative paths start at " + there.str();
    folder = there.str();
  }

  void remove() {
    std::erase_if(words_, [&](const std::string& word) {
      bool gone = llvm::any_of(adjustments_.removed, [&](const std::string& pattern) { return fits(word, pattern); });
      if (gone) result_.changes.push_back({word, "", "--removed-arg"});
      return gone;
    });
  }

  void add(const std::vector<std::string>& flags, const std::string& reason) {
    result_.command.command.insert(result_.command.command.end(), flags.begin(), flags.end());
    result_.changes.push_back({"", joined(flags), reason});
  }

  void showLibrary(const std::string& hostCompiler) {
    Compiler host = compiler_;
    if (compiler_.family == Family::nvcc) host = Compiler{Family::gnu, hostCompiler, "", "", "", ""};
    if (llvm::StringRef(host.program).contains('/')) host.program = absoluteIn(result_.command.directory, host.program);
    std::vector<std::string> flags = libraryFlags(host, llvm::is_contained(words_, "-stdlib=libc++"));
    if (!flags.empty()) add(flags, "the compiler's own target and standard library");
  }

  void setLanguage(const Filtered& filtered) {
    const std::string& language = filtered.language;
    if (language == "cu" || language == "cuda" || (language.empty() && isCudaName(file_))) return setCuda(filtered.cudaPath);
    llvm::StringRef extension = path::extension(file_);
    bool known = llvm::any_of(sourceExtensions, [&](llvm::StringRef one) { return one == extension; });
    if (!language.empty() && language != "none") result_.command.command.push_back("-x" + language);
    else if (!known) add({"-xc++"}, "the file's name does not say its language");
  }

  void setCuda(std::string cudaPath) {
    for (const std::string& extra : adjustments_.extra)
      if (llvm::StringRef value = extra; value.consume_front("--cuda-path=")) cudaPath = value.str();
    Toolkit toolkit = findToolkit(cudaPath, compiler_.family == Family::nvcc ? compiler_.program : "");
    add(cudaFlags(toolkit), "the host half of CUDA is read, with " + (toolkit.folder.empty() ? "no toolkit" : "the toolkit in " + toolkit.folder));
    if (toolkit.folder.empty())
      result_.remark = "no CUDA toolkit was found (looked for include/cuda_runtime.h in " + joined(toolkit.lookedIn, ", ") +
                       "); name one with CUDA_HOME or --extra-arg=--cuda-path=DIR";
  }

  void findResources() {
    for (const std::string& extra : adjustments_.extra)
      if (llvm::StringRef folder = extra; folder.consume_front("-resource-dir=")) {
        if (!llvm::sys::fs::exists(folder + "/include/stddef.h"))
          result_.error = "Clang's own headers are not in " + folder.str() + " (looked for include/stddef.h there)";
        return;
      }
    Resources resources = findResourceDirectory();
    if (resources.folder.empty())
      result_.error = "Clang's own headers were not found (looked for include/stddef.h in " + joined(resources.lookedIn, ", ") +
                      "); name their folder with --extra-arg=-resource-dir=DIR";
    else result_.command.command.push_back("-resource-dir=" + resources.folder);
  }

  const Given& given_;
  const std::string& file_;
  const Adjustments& adjustments_;
  std::vector<std::string> words_;
  Compiler compiler_;
  Translation result_;
};

}  // namespace

Translation translate(const Given& given, const Adjustments& adjustments) { return Translator(given, adjustments).run(); }

}  // namespace lint
