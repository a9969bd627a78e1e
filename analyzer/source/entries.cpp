#include "analyzer/source/entries.h"

#include "analyzer/source/cuda.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <tuple>

namespace lint {
namespace {

namespace path = llvm::sys::path;

// The parser recurses: a list of a million brackets would end it.
bool isTooDeep(llvm::StringRef text) {
  int depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size() && depth < 100; ++i) {
    if (inString && text[i] == '\\') ++i;
    else if (text[i] == '"') inString = !inString;
    else if (!inString && (text[i] == '[' || text[i] == '{')) ++depth;
    else if (!inString && (text[i] == ']' || text[i] == '}')) --depth;
  }
  return depth >= 100;
}

std::vector<std::string> words(const llvm::json::Object& object) {
  std::vector<std::string> result;
  if (const llvm::json::Array* arguments = object.getArray("arguments")) {
    for (const llvm::json::Value& argument : *arguments)
      if (auto text = argument.getAsString()) result.push_back(text->str());
  } else if (auto command = object.getString("command")) {
    llvm::BumpPtrAllocator memory;
    llvm::StringSaver saver(memory);
    llvm::SmallVector<const char*, 64> split;
    llvm::cl::TokenizeGNUCommandLine(*command, saver, split);
    result.assign(split.begin(), split.end());
  }
  return result;
}

// How far two folders go together, in parts of their paths, and how many parts of the second are left.
std::pair<int, int> together(llvm::StringRef one, llvm::StringRef other) {
  auto a = path::begin(one), b = path::begin(other);
  int common = 0, rest = 0;
  for (; a != path::end(one) && b != path::end(other) && *a == *b; ++a, ++b) ++common;
  for (; b != path::end(other); ++b) ++rest;
  return {common, rest};
}

}  // namespace

std::string absoluteIn(const std::string& folder, const std::string& file) {
  llvm::SmallString<256> result(file);
  path::make_absolute(folder, result);
  path::remove_dots(result, /*remove_dot_dot=*/true);
  return result.str().str();
}

Entries readEntries(const std::string& file) {
  Entries entries;
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer) {
    entries.error = file + " cannot be read: " + buffer.getError().message();
    return entries;
  }
  llvm::StringRef text = (*buffer)->getBuffer();
  text.consume_front("\xef\xbb\xbf");
  auto list = isTooDeep(text) ? llvm::createStringError("brackets are nested too deep") : llvm::json::parse(text);
  if (!list || !list->getAsArray()) {
    entries.error = file + " cannot be read: " + (list ? "it is no list of commands" : llvm::toString(list.takeError()));
    return entries;
  }
  std::string folder = path::parent_path(file).str();
  size_t number = 0;
  for (const llvm::json::Value& value : *list->getAsArray()) {
    ++number;
    const llvm::json::Object* object = value.getAsObject();
    auto name = object ? object->getString("file") : std::nullopt;
    if (!name || name->empty()) continue;
    CompileCommand command;
    command.command = words(*object);
    if (command.command.empty()) continue;
    command.directory = absoluteIn(folder, object->getString("directory").value_or("").str());
    command.file = absoluteIn(command.directory, name->str());
    entries.commands.push_back(std::move(command));
    entries.numbers.push_back(number);
  }
  return entries;
}

int nearestEntry(const Entries& entries, const std::string& file) {
  int best = -1;
  std::tuple<bool, bool, bool, int, int> bestRank;
  for (size_t i = 0; i < entries.commands.size(); ++i) {
    const std::string& other = entries.commands[i].file;
    auto [common, rest] = together(path::parent_path(file), path::parent_path(other));
    std::tuple rank{path::extension(other) != ".c", isCudaName(file) == isCudaName(other), path::stem(file) == path::stem(other), common, -rest};
    if (best >= 0 && rank <= bestRank) continue;
    best = static_cast<int>(i);
    bestRank = rank;
  }
  return best;
}

}  // namespace lint
