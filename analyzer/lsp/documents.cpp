#include "analyzer/lsp/documents.h"

#include "analyzer/report/encode.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>

namespace lint {

std::string pathOf(const std::string& uri) {
  llvm::StringRef rest = uri;
  if (!rest.consume_front("file://")) return {};
  std::string path;
  for (size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == '%' && i + 2 < rest.size() && llvm::isHexDigit(rest[i + 1]) && llvm::isHexDigit(rest[i + 2])) {
      path += static_cast<char>(llvm::hexFromNibbles(rest[i + 1], rest[i + 2]));
      i += 2;
    } else {
      path += rest[i];
    }
  }
  return path;
}

std::string uriOf(const std::string& path) { return "file://" + percentEncoded(path); }

PositionMap::PositionMap(const std::string& text, PositionEncoding encoding) : text_(text), encoding_(encoding) {
  lines_.push_back(0);
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n') lines_.push_back(i + 1);
}

llvm::json::Value PositionMap::position(size_t offset) const {
  offset = std::min(offset, text_.size());
  size_t line = static_cast<size_t>(std::upper_bound(lines_.begin(), lines_.end(), offset) - lines_.begin()) - 1;
  std::string_view before = std::string_view(text_).substr(lines_[line], offset - lines_[line]);
  int64_t column = static_cast<int64_t>(encoding_ == PositionEncoding::utf8 ? before.size() : utf16Length(before));
  return llvm::json::Object{{"line", static_cast<int64_t>(line)}, {"character", column}};
}

llvm::json::Value PositionMap::range(size_t begin, size_t end) const {
  return llvm::json::Object{{"start", position(begin)}, {"end", position(end)}};
}

void Documents::open(Document document) {
  std::lock_guard lock(mutex_);
  std::string uri = document.uri;
  documents_[uri] = std::move(document);
}

void Documents::close(const std::string& uri) {
  std::lock_guard lock(mutex_);
  documents_.erase(uri);
}

void Documents::change(const std::string& uri, int64_t version, std::string text) {
  std::lock_guard lock(mutex_);
  auto it = documents_.find(uri);
  if (it == documents_.end()) return;
  it->second.version = version;
  it->second.text = std::move(text);
}

std::optional<Document> Documents::find(const std::string& uri) const {
  std::lock_guard lock(mutex_);
  auto it = documents_.find(uri);
  return it == documents_.end() ? std::nullopt : std::optional(it->second);
}

std::vector<std::string> Documents::uris() const {
  std::lock_guard lock(mutex_);
  std::vector<std::string> result;
  for (const auto& [uri, document] : documents_) result.push_back(uri);
  return result;
}

std::map<std::string, std::string> Documents::unsaved() const {
  std::lock_guard lock(mutex_);
  std::map<std::string, std::string> result;
  for (const auto& [uri, document] : documents_) result[pathOf(uri)] = document.text;
  return result;
}

bool Documents::publish(const std::string& uri, int64_t version, std::vector<Diagnostic> findings) {
  std::lock_guard lock(mutex_);
  auto it = documents_.find(uri);
  if (it == documents_.end() || it->second.version != version) return false;
  it->second.findings = std::move(findings);
  it->second.analysed = version;
  return true;
}

}  // namespace lint
