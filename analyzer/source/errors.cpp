#include "analyzer/source/errors.h"

#include "analyzer/source/range.h"

#include "clang/Basic/DiagnosticFrontend.h"
#include "clang/Basic/DiagnosticSerialization.h"
#include "clang/Lex/HeaderSearch.h"
#include "clang/Lex/LexDiagnostic.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/Support/FileSystem.h"

#include <utility>

namespace lint {

void ErrorCollector::BeginSourceFile(const clang::LangOptions& language, const clang::Preprocessor* preprocessor) {
  cuda_ = language.CUDA;
  preprocessor_ = preprocessor;
}

void ErrorCollector::HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) {
  clang::DiagnosticConsumer::HandleDiagnostic(level, info);
  if (level < clang::DiagnosticsEngine::Error) return;
  unsigned id = info.getID();
  bool placed = info.hasSourceManager() && info.getLocation().isValid();
  if (!placed && id >= clang::diag::DIAG_START_SERIALIZATION && id < clang::diag::DIAG_START_LEX) result_.preambleFailed = true;
  if (id == clang::diag::err_pp_error_opening_file && !result_.errors.empty()) return;  // said before, and why
  bool isLost = id == clang::diag::err_pp_file_not_found;
  if (cuda_ && placed && !isLost && info.getSourceManager().isInSystemHeader(info.getLocation())) return;
  if (result_.errors.size() == kept_) {
    ++lost_;
    return;
  }
  llvm::SmallString<128> text;
  info.FormatDiagnostic(text);
  Diagnostic error;
  error.check = "clang";
  error.severity = Severity::error;
  error.message = text.str().str();
  if (placed) error.at = rangeOf(info.getSourceManager(), info.getLocation());
  if (isLost && preprocessor_ && !std::exchange(toldFolders_, true)) error.notes.push_back({error.at, foldersSearched()});
  if (id == clang::diag::err_unsupported_bom) error.notes.push_back({error.at, "sources are read as UTF-8: save it so"});
  result_.errors.push_back(std::move(error));
}

std::string ErrorCollector::foldersSearched() const {
  std::string text;
  bool library = false;
  for (const clang::DirectoryLookup& folder : preprocessor_->getHeaderSearchInfo().search_dir_range()) {
    llvm::SmallString<256> name;
    if (llvm::sys::fs::real_path(folder.getName(), name)) name = folder.getName();
    text += (text.empty() ? "" : ", ") + name.str().str();
    library |= llvm::sys::fs::exists(folder.getName() + "/cstddef");
  }
  std::string advice = "; no C++ standard library is there: name one with --extra-arg=--gcc-toolchain=DIR or --extra-arg=--sysroot=DIR";
  return "looked in " + (text.empty() ? "no folder but the file's own" : text) + (library ? "" : advice);
}

void ErrorCollector::forget(const std::vector<Range>& ranges) {
  std::erase_if(result_.errors, [&](const Diagnostic& error) {
    return llvm::any_of(ranges, [&](const Range& range) {
      return range.file == error.at.file && range.begin <= error.at.begin && error.at.begin < range.end;
    });
  });
}

void ErrorCollector::shorten() {
  if (result_.errors.size() <= shown_) return;
  size_t more = result_.errors.size() - shown_ + lost_;
  result_.errors.resize(shown_);
  Diagnostic& last = result_.errors.back();
  last.notes.push_back({last.at, std::to_string(more) + (more == 1 ? " more error is" : " more errors are") + " not shown"});
}

}  // namespace lint
