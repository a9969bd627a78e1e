#include "analyzer/show-command.h"

#include "analyzer/source/flags.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace lint {
namespace {

// As a shell reads it.
std::string quoted(const std::string& word) {
  bool plain = !word.empty() && llvm::all_of(word, [](char c) { return llvm::isAlnum(c) || llvm::StringRef("-_./=+:,@%").contains(c); });
  if (plain) return word;
  std::string text = "'";
  for (char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

std::string line(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + quoted(word);
  return text;
}

std::string sentence(const Change& change) {
  if (change.given.empty()) return "added    " + change.used;
  if (change.used.empty()) return "dropped  " + change.given;
  return "replaced " + change.given + " by " + change.used;
}

}  // namespace

std::string showCommand(const CommandLine& commandLine, llvm::raw_ostream& os) {
  std::string file = absolutePath(commandLine.shownFile);
  if (llvm::sys::fs::is_directory(file)) return commandLine.shownFile + ": is a folder; name one of its files";
  Database::Answer answer = Database(commandLine.database).commandFor(file);
  if (!answer.error.empty()) return commandLine.shownFile + ": " + answer.error;
  os << "file       " << file << "\nfrom       " << answer.from << "\nfolder     " << answer.command.directory << "\ngiven      "
     << line(answer.given.command.command) << "\nused       " << line(frontendFlags(answer.command)) << "\nchanges\n";
  for (const Change& change : answer.changes) os << "  " << sentence(change) << ": " << change.reason << '\n';
  if (answer.changes.empty()) os << "  none\n";
  for (const Database::Remark& remark : answer.remarks) os << "note       " << remark.text << '\n';
  return {};
}

}  // namespace lint
