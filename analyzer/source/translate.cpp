#include "analyzer/source/translate.h"

#include "analyzer/source/compiler.h"
#include "analyzer/source/cuda.h"
#include "analyzer/source/driver.h"
#include "analyzer/source/flags.h"
#include "analyzer/source/words.h"

#include "clang/Options/Options.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace lint {
namespace {

namespace path = llvm::sys::path;
using namespace clang::options;

struct ClangRow {
  unsigned option;
  const char* reason;
};
constexpr ClangRow clangRows[] = {
#define CLANG(option, reason) {OPT_##option, reason},
#include "analyzer/source/flags.def"
};

struct GnuRow {
  llvm::StringLiteral beginning;
  const char* reason;
};
constexpr GnuRow gnuRows[] = {
#define GNU(beginning, reason) {beginning, reason},
#include "analyzer/source/flags.def"
};

constexpr const char* sourceExtensions[] = {".c", ".C", ".cc", ".cp", ".cpp", ".cxx", ".c++", ".cu", ".h", ".H", ".hh", ".hp", ".hpp", ".hxx", ".h++", ".cuh", ".ii"};

constexpr const char* languages[] = {"none", "c", "c-header", "c++", "c++-header", "c++-user-header", "c++-system-header", "cu", "cuda"};

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
    translateFlags();
    Compiler host = compiler_;
    if (compiler_.family == Family::nvcc) host = Compiler{Family::gnu, hostCompiler, "", "", "", ""};
    if (llvm::StringRef(host.program).contains('/')) host.program = absolute(host.program);
    if (std::vector<std::string> library = libraryFlags(host, llvm::is_contained(words_, "-stdlib=libc++")); !library.empty()) add(library, "the compiler's own target and standard library");
    setLanguage();
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

  void translateFlags() {
    std::vector<const char*> raw;
    for (const std::string& word : words_)
      if (word != "--") raw.push_back(word.c_str());
    unsigned missingIndex = 0, missingCount = 0;
    llvm::opt::InputArgList args = clang::getDriverOptTable().ParseArgs(raw, missingIndex, missingCount, llvm::opt::Visibility(ClangOption));
    if (missingCount) result_.changes.push_back({raw[missingIndex], "", "its value is missing"});
    for (const llvm::opt::Arg* arg : args) translateOne(*arg, args);
  }

  void translateOne(const llvm::opt::Arg& arg, const llvm::opt::InputArgList& args) {
    std::string text = arg.getAsString(args);
    if (std::string reason = whyDropped(arg, text); !reason.empty()) {
      if (reason != silent) result_.changes.push_back({text, "", reason});
      return;
    }
    llvm::opt::ArgStringList rendered;
    arg.render(args, rendered);
    result_.command.command.insert(result_.command.command.end(), rendered.begin(), rendered.end());
  }

  // Empty: the flag stays.
  std::string whyDropped(const llvm::opt::Arg& arg, const std::string& text) {
    const llvm::opt::Option& option = arg.getOption();
    if (option.matches(OPT_INPUT)) return isTheFile(text) ? silent : "no flag, and another file than this one";
    if (option.matches(OPT_UNKNOWN)) {
      for (const GnuRow& row : gnuRows)
        if (llvm::StringRef(text).starts_with(row.beginning)) return row.reason;
      return "Clang has no such option";
    }
    for (const ClangRow& row : clangRows)
      if (option.matches(row.option)) return row.reason;
    if (option.matches(OPT_Xclang)) return whyNotForTheFrontend(arg.getValue());
    if (option.matches(OPT_include)) return takeInclude(arg.getValue(), text) ? silent : std::string();
    if (option.matches(OPT_x)) {
      bool known = llvm::any_of(languages, [&](llvm::StringRef one) { return one == arg.getValue(); });
      if (known) language_ = arg.getValue();
      return known ? silent : "this language is not read here";  // setLanguage puts it back
    }
    if (option.matches(OPT_cuda_path_EQ)) cudaPath_ = arg.getValue();
    return {};
  }

  // -Xclang -include-pch -Xclang FILE comes as two arguments.
  std::string whyNotForTheFrontend(llvm::StringRef value) {
    if (std::string reason = std::exchange(nextReason_, ""); !reason.empty()) return reason;
    if (value == "-emit-pch" || value == "-emit-obj") return "no output is written";
    if (value == "-include-pch") nextReason_ = "a precompiled header belongs to the compiler that made it";
    if (value == "-load" || value == "-plugin" || value == "-add-plugin") nextReason_ = "no code is loaded into the parse";
    return nextReason_;
  }

  // A precompiled header beside an -include would be taken for one of Clang's. True: the flag is replaced.
  bool takeInclude(llvm::StringRef header, const std::string& text) {
    llvm::StringRef plain = header;
    if (plain.consume_back(".gch") || plain.consume_back(".pch")) {
      bool there = exists(plain);
      if (there) result_.command.command.push_back("-include" + plain.str());
      result_.changes.push_back({text, there ? "-include " + plain.str() : "", there ? "the header itself: a precompiled one belongs to the compiler that made it"
                                                                                      : "a precompiled header belongs to the compiler that made it, and its source is not there"});
      return true;
    }
    if (!exists(header.str() + ".gch") && !exists(header.str() + ".pch")) return false;
    std::vector<std::string> flags = {"-Xclang", "-include", "-Xclang", header.str()};
    result_.command.command.insert(result_.command.command.end(), flags.begin(), flags.end());
    result_.changes.push_back({text, joined(flags), "not its precompiled form, which belongs to the compiler that made it"});
    return true;
  }

  void setLanguage() {
    bool cuda = language_ == "cu" || language_ == "cuda" || (language_.empty() && isCudaName(file_));
    if (cuda) return setCuda();
    llvm::StringRef extension = path::extension(file_);
    bool known = llvm::any_of(sourceExtensions, [&](llvm::StringRef one) { return one == extension; });
    if (!language_.empty() && language_ != "none") result_.command.command.push_back("-x" + language_);
    else if (!known) add({"-xc++"}, "the file's name does not say its language");
  }

  void setCuda() {
    for (const std::string& extra : adjustments_.extra)
      if (llvm::StringRef value = extra; value.consume_front("--cuda-path=")) cudaPath_ = value.str();
    Toolkit toolkit = findToolkit(cudaPath_, compiler_.family == Family::nvcc ? compiler_.program : "");
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

  bool exists(const llvm::Twine& file) const { return llvm::sys::fs::exists(absolute(file)); }
  bool isTheFile(const std::string& input) const {
    std::string name = absolute(input);
    return name == file_ || name == given_.lender;
  }
  std::string absolute(const llvm::Twine& file) const {
    llvm::SmallString<256> result;
    file.toVector(result);
    path::make_absolute(result_.command.directory, result);
    path::remove_dots(result, /*remove_dot_dot=*/true);
    return result.str().str();
  }

  static inline const std::string silent = " ";  // a reason that is not worth a line

  const Given& given_;
  const std::string& file_;
  const Adjustments& adjustments_;
  std::vector<std::string> words_;
  Compiler compiler_;
  std::string language_, cudaPath_, nextReason_;
  Translation result_;
};

}  // namespace

Translation translate(const Given& given, const Adjustments& adjustments) { return Translator(given, adjustments).run(); }

}  // namespace lint
