#include "analyzer/source/remarks.h"

#include "llvm/Support/raw_ostream.h"

namespace lint {

void Remarks::keep(const std::string& file, const Database::Remark& remark) {
  auto same = llvm::find_if(kept_, [&](const Kept& other) { return other.kind == remark.kind; });
  if (same != kept_.end()) ++same->files;
  else kept_.push_back({remark.kind, file + ": " + remark.text, 1});
}

void Remarks::write(llvm::raw_ostream& os) const {
  for (const auto& [kind, first, files] : kept_) {
    os << "note: " << first;
    if (files > 1) os << "; and so for " << files - 1 << (files == 2 ? " more file" : " more files") << ", see --show-command";
    os << '\n';
  }
}

}  // namespace lint
