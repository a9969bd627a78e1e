// The fields of what a run reports, for the archive.
#pragma once

#include "analyzer/cache/archive.h"
#include "analyzer/engine.h"

namespace lint {

template <typename Archive> void fields(Archive& archive, Range& range) {
  archive(range.file, range.begin, range.end, range.line, range.column, range.endLine, range.endColumn);
}
template <typename Archive> void fields(Archive& archive, Edit& edit) { archive(edit.file, edit.offset, edit.length, edit.text); }
template <typename Archive> void fields(Archive& archive, Fix& fix) { archive(fix.shown, fix.edits, fix.condition); }
template <typename Archive> void fields(Archive& archive, Note& note) { archive(note.at, note.message); }
template <typename Archive> void fields(Archive& archive, Diagnostic& one) {
  archive(one.check, one.severity, one.at, one.message, one.notes, one.proof, one.counterexample, one.inputs, one.fix);
}
template <typename Archive> void fields(Archive& archive, Reading& reading) {
  archive(reading.witnesses, reading.preamble, reading.preambleDigest, reading.repeatable);
}
template <typename Archive> void fields(Archive& archive, UnitReport& report) {
  archive(report.findings, report.errors, report.failure, report.torchVersion, report.suppressed, report.seconds, report.preamble, report.reading, report.proofs);
}

}  // namespace lint
