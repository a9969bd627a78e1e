#include "analyzer/report/format.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>

namespace lint {

std::string_view name(Severity severity) {
  static constexpr std::string_view names[] = {"note", "warning", "error"};
  return names[static_cast<int>(severity)];
}

std::string_view name(Proof proof) {
  static constexpr std::string_view names[] = {"none", "tested", "conditional", "refuted", "not-verified"};
  return names[static_cast<int>(proof)];
}

std::string displayPath(const Run& run, const std::string& absolute) {
  std::string prefix = run.root + "/";
  return llvm::StringRef(absolute).starts_with(prefix) ? absolute.substr(prefix.size()) : absolute;
}

std::string_view SourceLines::line(const std::string& path, unsigned line) {
  auto [it, added] = files_.try_emplace(path);
  File& file = it->second;
  if (added) {
    if (auto buffer = llvm::MemoryBuffer::getFile(path)) file.text = (*buffer)->getBuffer().str();
    file.starts.push_back(0);
    for (size_t i = 0; i < file.text.size(); ++i)
      if (file.text[i] == '\n') file.starts.push_back(i + 1);
  }
  if (line == 0 || line > file.starts.size()) return {};
  std::string_view rest = std::string_view(file.text).substr(file.starts[line - 1]);
  rest = rest.substr(0, rest.find('\n'));
  return rest.ends_with('\r') ? rest.substr(0, rest.size() - 1) : rest;
}

std::string summary(const Run& run) {
  auto count = [](size_t n, const char* what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); };
  auto ofSeverity = [&](Severity severity) { return std::count_if(run.findings.begin(), run.findings.end(), [&](const Diagnostic& d) { return d.severity == severity; }); };
  size_t fixable = std::count_if(run.findings.begin(), run.findings.end(), [](const Diagnostic& d) { return d.fixable(); });
  size_t conditional = std::count_if(run.findings.begin(), run.findings.end(), [](const Diagnostic& d) { return d.fix && !d.fixable(); });
  std::string text;
  auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (size_t errors = ofSeverity(Severity::error) + run.errors.size() + run.failures.size()) add(count(errors, "error"));
  if (size_t warnings = ofSeverity(Severity::warning)) add(count(warnings, "warning"));
  if (size_t notes = ofSeverity(Severity::note)) add(count(notes, "note"));
  if (fixable) add(std::to_string(fixable) + " fixable with --fix");
  if (conditional) add(std::to_string(conditional) + " with --unsafe-fixes");
  if (run.suppressed && !text.empty()) add(std::to_string(run.suppressed) + " suppressed");
  return text;
}

}  // namespace lint
