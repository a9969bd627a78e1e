// For programs. The schema is ours and versioned: a field may be added, none is renamed or removed within a version.
#include "analyzer/report/format.h"

#include "analyzer/registry.h"

#include "llvm/Support/raw_ostream.h"

#include <nlohmann/json.hpp>

namespace lint {
namespace {

using nlohmann::json;

json range(const Run& run, const Range& at) {
  return {{"file", displayPath(run, at.file)},
          {"begin", {{"offset", at.begin}, {"line", at.line}, {"column", at.column}}},
          {"end", {{"offset", at.end}, {"line", at.endLine}, {"column", at.endColumn}}}};
}

json edits(const Run& run, const Fix& fix) {
  json list = json::array();
  for (const Edit& edit : fix.edits)
    list.push_back({{"file", displayPath(run, edit.file)}, {"offset", edit.offset}, {"length", edit.length}, {"text", edit.text}});
  return list;
}

json diagnostic(const Run& run, const Diagnostic& d) {
  json result = {{"check", d.check}, {"severity", name(d.severity)}, {"message", d.message}, {"proof", name(d.proof)}};
  if (!d.at.file.empty()) result["range"] = range(run, d.at);
  result["notes"] = json::array();
  for (const Note& note : d.notes) result["notes"].push_back({{"range", range(run, note.at)}, {"message", note.message}});
  if (d.inputs) result["inputs"] = d.inputs;
  if (!d.counterexample.empty()) result["counterexample"] = d.counterexample;
  if (d.fix) {
    result["fix"] = {{"shown", d.fix->shown}, {"edits", edits(run, *d.fix)}, {"safe", d.fixable()}};
    if (!d.fix->condition.empty()) result["fix"]["condition"] = d.fix->condition;
  }
  return result;
}

}  // namespace

void writeJson(const Run& run, llvm::raw_ostream& os) {
  json root = {{"version", 1}, {"tool", {{"name", "torch-tidy"}, {"version", run.version}}}, {"findings", json::array()}, {"errors", json::array()}};
  root["files"] = json::array();
  for (const std::string& file : run.files) root["files"].push_back(displayPath(run, file));
  for (const Diagnostic& finding : run.findings) root["findings"].push_back(diagnostic(run, finding));
  for (const Diagnostic& error : run.errors) root["errors"].push_back(diagnostic(run, error));
  root["failures"] = run.failures;
  root["suppressed"] = run.suppressed;
  os << root.dump(2, ' ', false, json::error_handler_t::replace) << '\n';
}

}  // namespace lint
