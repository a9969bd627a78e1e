// What a run reports, as plain data: no Clang, no tensors. Every output format, the editor server and `--fix` read this.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace lint {

enum class Severity : uint8_t { note, warning, error };

/// A piece of a file. Offsets count bytes from the file's start; lines and columns count from 1, columns in bytes;
/// `end` is one past the last byte.
struct Range {
  std::string file;  // absolute
  unsigned begin = 0, end = 0;
  unsigned line = 1, column = 1, endLine = 1, endColumn = 1;
};

struct Edit {
  std::string file;  // absolute
  unsigned offset = 0, length = 0;
  std::string text;
  bool operator==(const Edit&) const = default;
};

/// What running before and after said of a rewrite (verification.md).
enum class Proof : uint8_t { none, tested, conditional, refuted, notVerified };

/// Edits that belong together: all of them or none.
struct Fix {
  std::string shown;      // the new code on one line: "u = torch::where(total < 0, u + 55, u);"
  std::vector<Edit> edits;
  std::string condition;  // of a conditional proof: "'a' and 'b' have the same shape"
};

struct Note {
  Range at;
  std::string message;
};

struct Diagnostic {
  std::string check;
  Severity severity = Severity::warning;
  Range at;
  std::string message;
  std::vector<Note> notes;
  Proof proof = Proof::none;   // of the rewrite that was tried, if any
  std::string counterexample;  // of a refuted one
  int64_t inputs = 0;          // runs that stand behind a tested or conditional one
  std::optional<Fix> fix;      // present only when proof is tested or conditional

  /// `--fix` applies these without asking.
  bool fixable() const { return fix && proof == Proof::tested; }
};

/// The order in which findings are reported: by place, then by check.
inline bool standsBefore(const Diagnostic& one, const Diagnostic& other) {
  return std::tie(one.at.file, one.at.begin, one.check) < std::tie(other.at.file, other.at.begin, other.check);
}

/// Two parses can see one place differently: instantiations of a template, files that include one header. The verdict that
/// promises least is the one that holds for both.
inline bool promisesLess(const Diagnostic& one, const Diagnostic& other) {
  return other.fixable() ? !one.fixable() : other.fix && !one.fix;
}

}  // namespace lint
