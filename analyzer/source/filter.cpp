#include "analyzer/source/filter.h"

#include "analyzer/source/entries.h"

#include "clang/Options/Options.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Support/FileSystem.h"

#include <utility>

namespace lint {
namespace {

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

constexpr const char* languages[] = {"none", "c", "c-header", "c++", "c++-header", "c++-user-header", "c++-system-header", "cu", "cuda"};

class Filter {
 public:
  Filter(const std::string& directory, const std::vector<std::string>& files, std::vector<Change>& changes)
      : directory_(directory), files_(files), changes_(changes) {}

  Filtered run(const std::vector<std::string>& words) {
    std::vector<const char*> raw;
    for (const std::string& word : words)
      if (word != "--") raw.push_back(word.c_str());
    unsigned missingIndex = 0, missingCount = 0;
    llvm::opt::InputArgList args = clang::getDriverOptTable().ParseArgs(raw, missingIndex, missingCount, llvm::opt::Visibility(ClangOption));
    if (missingCount) changes_.push_back({raw[missingIndex], "", "its value is missing"});
    for (const llvm::opt::Arg* arg : args) takeOne(*arg, args);
    return std::move(result_);
  }

 private:
  void takeOne(const llvm::opt::Arg& arg, const llvm::opt::InputArgList& args) {
    std::string text = arg.getAsString(args);
    if (std::string reason = whyDropped(arg, text); !reason.empty()) {
      if (reason != silent) changes_.push_back({text, "", reason});
      return;
    }
    llvm::opt::ArgStringList rendered;
    arg.render(args, rendered);
    result_.flags.insert(result_.flags.end(), rendered.begin(), rendered.end());
  }

  // Empty: the flag stays.
  std::string whyDropped(const llvm::opt::Arg& arg, const std::string& text) {
    const llvm::opt::Option& option = arg.getOption();
    if (option.matches(OPT_INPUT))
      return llvm::is_contained(files_, absoluteIn(directory_, text)) ? silent : "no flag, and another file than this one";
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
      if (known) result_.language = arg.getValue();
      return known ? silent : "this language is not read here";  // setLanguage puts it back
    }
    if (option.matches(OPT_cuda_path_EQ)) result_.cudaPath = arg.getValue();
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
      bool there = exists(plain.str());
      if (there) result_.flags.push_back("-include" + plain.str());
      if (there) changes_.push_back({text, "-include " + plain.str(), "the header itself: a precompiled one belongs to the compiler that made it"});
      else changes_.push_back({text, "", "a precompiled header belongs to the compiler that made it, and its source is not there"});
      return true;
    }
    if (!exists(header.str() + ".gch") && !exists(header.str() + ".pch")) return false;
    std::vector<std::string> flags = {"-Xclang", "-include", "-Xclang", header.str()};
    result_.flags.insert(result_.flags.end(), flags.begin(), flags.end());
    changes_.push_back({text, "-Xclang -include -Xclang " + header.str(), "not its precompiled form, which belongs to the compiler that made it"});
    return true;
  }

  bool exists(const std::string& file) const { return llvm::sys::fs::exists(absoluteIn(directory_, file)); }

  static inline const std::string silent = " ";  // a reason that is not worth a line

  const std::string& directory_;
  const std::vector<std::string>& files_;
  std::vector<Change>& changes_;
  std::string nextReason_;
  Filtered result_;
};

}  // namespace

Filtered filterFlags(const std::vector<std::string>& words, const std::string& directory, const std::vector<std::string>& files,
                     std::vector<Change>& changes) {
  return Filter(directory, files, changes).run(words);
}

}  // namespace lint
