// What a run reports, and the ways to write it: one row a format, one file a format.
#pragma once

#include "analyzer/diagnostic.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace llvm { class raw_ostream; }

namespace lint {

struct CheckEntry;

/// Everything that the files of a run gave, merged: what several files see in one header stands once.
struct Run {
  std::string version;                     // of the tool
  std::string root;                        // the current folder: paths below it are written relative to it
  std::vector<std::string> files;          // analysed, absolute
  std::vector<Diagnostic> findings;        // by file and position
  std::vector<Diagnostic> errors;          // the compiler's
  std::vector<std::string> failures;       // files that could not be analysed: "model.cpp: no such file"
  std::vector<CheckEntry> checks;          // enabled
  int suppressed = 0;
  bool colour = false, quiet = false;
};

struct Format {
  std::string_view name, help;
  void (*write)(const Run&, llvm::raw_ostream&);
};

void writeText(const Run&, llvm::raw_ostream&);
void writeJson(const Run&, llvm::raw_ostream&);
void writeSarif(const Run&, llvm::raw_ostream&);

inline constexpr Format formats[] = {
    {"text", "for people: source lines, carets, notes", writeText},
    {"json", "all that is known, for programs", writeJson},
    {"sarif", "SARIF 2.1.0, for code scanning", writeSarif},
};

// Shared by the formats.
std::string_view name(Severity);
std::string_view name(Proof);
/// The path as a user reads it: relative to the root when below it.
std::string displayPath(const Run&, const std::string& absolute);
/// Line `line` of a file, without its end; empty when there is none. Files are read once.
class SourceLines {
 public:
  std::string_view line(const std::string& file, unsigned line);

 private:
  struct File { std::string text; std::vector<size_t> starts; };
  std::map<std::string, File> files_;
};
/// "2 warnings, 1 fixable with --fix"
std::string summary(const Run&);

}  // namespace lint
