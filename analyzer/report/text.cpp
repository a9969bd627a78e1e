// For people: the line, the place, the new code, and what was proven.
#include "analyzer/report/format.h"

#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Unicode.h"
#include "llvm/Support/raw_ostream.h"

namespace lint {
namespace {

using Colour = llvm::raw_ostream::Colors;

// Columns on a screen: a tab goes to the next multiple of 8, a wide character takes two.
std::string spaces(std::string_view before) {
  std::string result;
  for (size_t i = 0; i < before.size();) {
    if (before[i] == '\t') {
      result += '\t';
      ++i;
      continue;
    }
    size_t length = std::max<size_t>(1, llvm::getNumBytesForUTF8(static_cast<llvm::UTF8>(before[i])));
    int width = llvm::sys::unicode::columnWidthUTF8(llvm::StringRef(before.substr(i, length)));
    result.append(static_cast<size_t>(std::max(width, 1)), ' ');
    i += length;
  }
  return result;
}

class TextWriter {
 public:
  TextWriter(const Run& run, llvm::raw_ostream& os) : run_(run), os_(os) { os_.enable_colors(run.colour); }

  void diagnostic(const Diagnostic& diagnostic, bool isFinding) {
    head(diagnostic.at, diagnostic.severity, diagnostic.message, isFinding ? " [" + diagnostic.check + "]" : "");
    snippet(diagnostic);
    if (run_.quiet) return;
    for (const Note& note : diagnostic.notes) head(note.at, Severity::note, note.message, "");
  }

 private:
  void paint(Colour colour, std::string_view text, bool bold = true) {
    if (run_.colour) os_.changeColor(colour, bold);
    os_ << llvm::StringRef(text);
    if (run_.colour) os_.resetColor();
  }

  void head(const Range& at, Severity severity, const std::string& message, const std::string& tag) {
    if (!at.file.empty()) os_ << displayPath(run_, at.file) << ':' << at.line << ':' << at.column << ": ";
    Colour colour = severity == Severity::error ? Colour::RED : severity == Severity::warning ? Colour::MAGENTA : Colour::CYAN;
    paint(colour, std::string(name(severity)) + ": ");
    os_ << message << tag << '\n';
  }

  // "   14 |     if (...) ..." with the range underlined to the end of its first line.
  void snippet(const Diagnostic& diagnostic) {
    if (diagnostic.at.file.empty()) return;
    const Range& at = diagnostic.at;
    std::string_view line = lines_.line(at.file, at.line);
    if (line.empty()) return;
    std::string number = std::to_string(at.line), margin(std::max<size_t>(5, number.size()), ' ');
    os_ << margin.substr(number.size()) << number << " | " << llvm::StringRef(line) << '\n';
    size_t begin = std::min<size_t>(at.column - 1, line.size());
    size_t end = at.endLine == at.line ? std::min<size_t>(at.endColumn - 1, line.size()) : line.size();
    std::string indent = spaces(line.substr(0, begin));
    std::string carets = "^";
    if (end > begin + 1) carets += std::string(std::max<size_t>(spaces(line.substr(begin, end - begin)).size(), 1) - 1, '~');
    os_ << margin << " | " << indent;
    paint(Colour::GREEN, carets);
    os_ << '\n';
    if (!diagnostic.fix) return;
    os_ << margin << " | " << indent;
    paint(Colour::GREEN, diagnostic.fix->shown, false);
    os_ << '\n';
  }

  const Run& run_;
  llvm::raw_ostream& os_;
  SourceLines lines_;
};

}  // namespace

void writeText(const Run& run, llvm::raw_ostream& os) {
  TextWriter writer(run, os);
  for (const Diagnostic& error : run.errors) writer.diagnostic(error, false);
  for (const Diagnostic& finding : run.findings) writer.diagnostic(finding, true);
  std::string last = summary(run);
  if (!last.empty()) os << last << '\n';
}

}  // namespace lint
