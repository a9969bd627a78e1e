#include "analyzer/report/suppress.h"

#include <cctype>

namespace lint {
namespace {

bool matchesGlob(std::string_view glob, std::string_view name) {
  if (glob.empty()) return name.empty();
  if (glob.front() == '*') return matchesGlob(glob.substr(1), name) || (!name.empty() && matchesGlob(glob, name.substr(1)));
  return !name.empty() && glob.front() == name.front() && matchesGlob(glob.substr(1), name.substr(1));
}

std::string_view trimmed(std::string_view text) {
  size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

// The list in parentheses directly behind the word.
std::string_view listAfter(std::string_view rest) {
  if (rest.empty() || rest.front() != '(') return {};
  size_t end = rest.find(')');
  return end == std::string_view::npos ? std::string_view() : trimmed(rest.substr(1, end - 1));
}

}  // namespace

bool matchesGlobs(std::string_view globs, std::string_view name) {
  bool matches = false;
  while (!globs.empty()) {
    size_t comma = globs.find(',');
    std::string_view glob = trimmed(globs.substr(0, comma));
    bool removes = glob.starts_with("-");
    if (removes) glob = trimmed(glob.substr(1));
    if (!glob.empty() && matchesGlob(glob, name)) matches = !removes;
    globs = comma == std::string_view::npos ? std::string_view() : globs.substr(comma + 1);
  }
  return matches;
}

Suppressions::Suppressions(std::string_view text) {
  std::vector<Comment> open;
  for (unsigned line = 1; !text.empty(); ++line) {
    size_t end = text.find('\n');
    std::string_view current = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    size_t comment = std::min(current.find("//"), current.find("/*"));
    size_t at = comment == std::string_view::npos ? comment : current.find("NOLINT", comment);
    if (at == std::string_view::npos) continue;
    std::string_view rest = current.substr(at + 6);
    auto consume = [&](std::string_view word) {
      bool found = rest.starts_with(word);
      if (found) rest.remove_prefix(word.size());
      return found;
    };
    if (consume("NEXTLINE")) {
      comments_.push_back({line + 1, line + 1, std::string(listAfter(rest))});
    } else if (consume("BEGIN")) {
      open.push_back({line, line, std::string(listAfter(rest))});
    } else if (consume("END")) {
      if (open.empty()) continue;
      open.back().lastLine = line;
      comments_.push_back(open.back());
      open.pop_back();
    } else if (rest.empty() || !(std::isalnum(static_cast<unsigned char>(rest.front())) || rest.front() == '_')) {
      comments_.push_back({line, line, std::string(listAfter(rest))});
    }
  }
}

bool Suppressions::covers(std::string_view check, unsigned line, unsigned statement) const {
  for (const Comment& comment : comments_) {
    bool here = (comment.firstLine <= line && line <= comment.lastLine) || (comment.firstLine <= statement && statement <= comment.lastLine);
    if (!here) continue;
    if (comment.names.empty() || matchesGlobs(comment.names, check) || matchesGlobs(comment.names, "torch-" + std::string(check))) return true;
  }
  return false;
}

}  // namespace lint
