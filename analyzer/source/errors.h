// The compiler's errors as plain data.
#pragma once

#include "analyzer/source/parse.h"

#include "clang/Basic/Diagnostic.h"

namespace lint {

/// Keeps the first errors of a parse and counts the others. A preamble that does not load shows itself by errors without a
/// place in the file. In a CUDA source errors in system headers are passed over: there the host half is read of what was
/// written for nvcc.
class ErrorCollector : public clang::DiagnosticConsumer {
 public:
  explicit ErrorCollector(ParseResult& result) : result_(result) {}

  void BeginSourceFile(const clang::LangOptions&, const clang::Preprocessor*) override;
  void HandleDiagnostic(clang::DiagnosticsEngine::Level, const clang::Diagnostic&) override;

  /// Takes away the errors that lie in one of these ranges: device code of a CUDA source.
  void forget(const std::vector<Range>& ranges);
  /// Says at the last error how many are not shown.
  void shorten();

 private:
  std::string foldersSearched() const;

  static constexpr size_t shown_ = 5, kept_ = 200;
  ParseResult& result_;
  const clang::Preprocessor* preprocessor_ = nullptr;
  bool cuda_ = false, toldFolders_ = false;
  size_t lost_ = 0;  // beyond kept_
};

}  // namespace lint
