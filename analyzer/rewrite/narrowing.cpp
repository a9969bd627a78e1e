#include "analyzer/rewrite/narrowing.h"

#include "analyzer/facts/context.h"

#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringRef.h"

namespace lint {

using rt::DType;

namespace {

bool understand(llvm::StringRef word, Narrowing& narrowing) {
  if (word == "requires_grad=false") return narrowing.constant = true;
  if (word == "floating") {
    narrowing.dtypes = {DType::float32, DType::float64, DType::float16, DType::bfloat16};
    return true;
  }
  for (DType dtype : {DType::float32, DType::float64, DType::float16, DType::bfloat16, DType::int64})
    if (word == rt::dtypeName(dtype)) return narrowing.dtypes.push_back(dtype), true;
  return false;
}

}  // namespace

std::map<std::string, Narrowing> narrowingsAround(const clang::Stmt* statement, clang::ASTContext& context, std::string& unknown, clang::SourceLocation& at) {
  std::map<std::string, Narrowing> result;
  const clang::FunctionDecl* function = enclosingFunction(statement, context);
  if (!function || !function->hasBody()) return result;
  const clang::SourceManager& sources = context.getSourceManager();
  const clang::SourceLocation begin = sources.getFileLoc(function->getBeginLoc()), end = sources.getFileLoc(function->getBody()->getEndLoc());
  auto [file, from] = sources.getDecomposedLoc(begin);
  auto [endFile, to] = sources.getDecomposedLoc(end);
  if (file != endFile || to < from) return result;
  llvm::StringRef text = sources.getBufferData(file).slice(from, to);
  constexpr llvm::StringLiteral mark = "// torch-tidy:";
  for (size_t place = text.find(mark); place != llvm::StringRef::npos; place = text.find(mark, place + 1)) {
    auto [name, words] = text.substr(place + mark.size()).take_until([](char c) { return c == '\n' || c == '\r'; }).split(':');
    llvm::SmallVector<llvm::StringRef, 4> parts;
    words.split(parts, ' ', -1, /*KeepEmpty=*/false);
    Narrowing& narrowing = result[name.trim().str()];
    for (llvm::StringRef part : parts)
      if (!understand(part.trim(','), narrowing) && unknown.empty()) {
        unknown = part.str();
        at = begin.getLocWithOffset(static_cast<int>(place));
      }
  }
  return result;
}

}  // namespace lint
