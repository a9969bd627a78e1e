#include "analyzer/source/words.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"

namespace lint {
namespace {

enum class Action : uint8_t { drop, becomes, forHost };

struct NvccOption {
  llvm::StringLiteral shortName, longName;
  bool hasValue;
  Action action;
  const char* text;
  const char* reason;
};

constexpr NvccOption nvccOptions[] = {
#define NVCC(shortName, longName, hasValue, action, text, reason) {shortName, longName, hasValue, Action::action, text, reason},
#include "analyzer/source/flags.def"
};

const NvccOption* nvccOption(llvm::StringRef name) {
  for (const NvccOption& option : nvccOptions)
    if (name == option.shortName || name == option.longName) return &option;
  return nullptr;
}

// -Xcompiler "-fPIC,-Wall", also in quotes of its own, as setuptools writes it: '-fPIC'.
std::vector<std::string> hostFlags(llvm::StringRef value) {
  for (char quote : {'\'', '"'})
    if (value.size() > 1 && value.front() == quote && value.back() == quote) value = value.drop_front().drop_back();
  std::vector<std::string> flags(1);
  for (size_t i = 0; i < value.size(); ++i) {
    if (value[i] == '\\' && i + 1 < value.size() && value[i + 1] == ',') flags.back() += value[++i];
    else if (value[i] == ',' || value[i] == ' ') flags.emplace_back();
    else flags.back() += value[i];
  }
  std::erase(flags, "");
  return flags;
}

}  // namespace

void readResponseFiles(std::vector<std::string>& words, const std::string& directory, std::vector<Change>& changes) {
  std::vector<std::string> names;  // nvcc's --options-file FILE is one too
  for (size_t i = 0; i < words.size(); ++i) {
    llvm::StringRef word = words[i];
    bool takesNext = (word == "--options-file" || word == "-optf") && i + 1 < words.size();
    if (takesNext) names.push_back("@" + words[++i]);
    else if (word.consume_front("--options-file=") || word.consume_front("-optf=")) names.push_back("@" + word.str());
    else names.push_back(words[i]);
  }
  words.clear();
  for (const std::string& name : names) {
    if (name.size() < 2 || name[0] != '@') {
      words.push_back(name);
      continue;
    }
    llvm::BumpPtrAllocator memory;
    llvm::SmallVector<const char*, 32> expanded = {name.c_str()};
    llvm::cl::ExpansionContext context(memory, llvm::cl::TokenizeGNUCommandLine);
    context.setCurrentDir(directory);
    llvm::Error error = context.expandResponseFiles(expanded);
    bool unread = error || (expanded.size() == 1 && expanded[0] == name);
    std::string why = error ? llvm::toString(std::move(error)) : "no such file";
    if (unread) {
      changes.push_back({name, "", "the response file cannot be read: " + why + "; its flags are missing (has the project been built?)"});
      continue;
    }
    std::string all;
    for (const char* word : expanded) {
      words.emplace_back(word);
      all += (all.empty() ? "" : " ") + words.back();
    }
    changes.push_back({name, all, "the response file's flags"});
  }
}

void translateNvcc(std::vector<std::string>& words, std::string& hostCompiler, std::vector<Change>& changes) {
  std::vector<std::string> result;
  for (size_t i = 0; i < words.size(); ++i) {
    llvm::StringRef word = words[i], given = word;
    auto [name, joined] = word.split('=');
    const NvccOption* option = name.consume_front("--") || name.consume_front("-") ? nvccOption(name) : nullptr;
    bool hasJoined = word.contains('=');
    if (!option || (!option->hasValue && hasJoined) || (option->hasValue && !hasJoined && i + 1 == words.size())) {
      result.push_back(words[i]);
      continue;
    }
    std::string value = !option->hasValue ? "" : hasJoined ? joined.str() : words[++i];
    Change change{given.str() + (option->hasValue && !hasJoined ? " " + value : ""), "", option->reason};
    if (option->longName == "compiler-bindir") hostCompiler = value;
    std::vector<std::string> used;
    if (option->action == Action::becomes) used = {option->text + value};
    if (option->action == Action::forHost) used = hostFlags(value);
    for (const std::string& flag : used) change.used += (change.used.empty() ? "" : " ") + flag;
    result.insert(result.end(), used.begin(), used.end());
    if (change.given != change.used) changes.push_back(std::move(change));
  }
  words = std::move(result);
}

}  // namespace lint
