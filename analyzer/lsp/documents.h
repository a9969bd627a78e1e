// The open documents, and what was last published about each.
#pragma once

#include "analyzer/diagnostic.h"

#include "llvm/Support/JSON.h"

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace lint {

/// How the client counts columns. Agreed on in `initialize`.
enum class PositionEncoding : uint8_t { utf8, utf16 };

std::string pathOf(const std::string& uri);
std::string uriOf(const std::string& path);

/// Byte offsets of a text as LSP positions.
class PositionMap {
 public:
  PositionMap(const std::string& text, PositionEncoding);
  llvm::json::Value position(size_t offset) const;
  llvm::json::Value range(size_t begin, size_t end) const;

 private:
  const std::string& text_;
  std::vector<size_t> lines_;
  PositionEncoding encoding_;
};

struct Document {
  std::string uri, text;
  int64_t version = 0;
  std::vector<Diagnostic> findings;      // of `analysed`
  std::optional<int64_t> analysed;       // the version they belong to
};

/// Shared by the thread that talks and the one that analyses.
class Documents {
 public:
  void open(Document);
  void close(const std::string& uri);
  void change(const std::string& uri, int64_t version, std::string text);
  std::optional<Document> find(const std::string& uri) const;
  std::vector<std::string> uris() const;
  /// All open texts by absolute path: they stand in for the files on disk.
  std::map<std::string, std::string> unsaved() const;
  /// False when the document has changed meanwhile: the findings are then of no use.
  bool publish(const std::string& uri, int64_t version, std::vector<Diagnostic>);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Document> documents_;
};

}  // namespace lint
