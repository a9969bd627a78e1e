#include "analyzer/replay.h"

#include "analyzer/rewrite/proof-file.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace lint {

std::string replay(const std::string& file, bool cpp, llvm::raw_ostream& out, bool& same) {
  auto text = llvm::MemoryBuffer::getFile(file);
  if (!text) return file + ": " + text.getError().message();
  std::vector<ProofRecord> records;
  if (std::string wrong = readProofs((*text)->getBuffer().str(), records); !wrong.empty()) return file + ": is no file of --verify-report: " + wrong;
  for (const ProofRecord& record : records) {
    if (cpp) {
      out << standAlone(record) << "\n";
      continue;
    }
    rt::Verdict now = rt::verify(record.before, record.after, record.options);
    bool equal = summary(now) == summary(record.verdict);
    same &= equal;
    out << record.file << ":" << record.line << ": " << record.shown << "\n  " << summary(now) << (equal ? "" : "; the file says " + summary(record.verdict)) << "\n";
  }
  return {};
}

}  // namespace lint
