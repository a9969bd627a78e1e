#include "analyzer/report/sound.h"

#include <algorithm>

namespace lint {

void keepSoundFindings(UnitReport& report) {
  if (report.errors.empty()) return;
  std::erase_if(report.findings, [&](const Diagnostic& finding) {
    return std::any_of(report.errors.begin(), report.errors.end(), [&](const Diagnostic& error) {
      return error.at.file == finding.at.file && finding.at.begin <= error.at.begin && error.at.begin < finding.at.end;
    });
  });
  for (Diagnostic& finding : report.findings) {  // what running it said holds for a program that is not the user's
    finding.fix.reset();
    finding.counterexample.clear();
    finding.inputs = 0;
    if (finding.proof != Proof::none) finding.proof = Proof::notVerified;
    std::erase_if(finding.notes, [](const Note& note) { return note.message.starts_with("verified") || note.message.starts_with("no fix:"); });
    finding.notes.push_back({finding.at, "no fix: the file has errors; this was found in a part that could be parsed"});
  }
}

}  // namespace lint
