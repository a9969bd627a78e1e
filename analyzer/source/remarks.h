// Notes on decisions that were made for the user: what was decided for many files is one line.
#pragma once

#include "analyzer/source/database.h"

namespace llvm { class raw_ostream; }

namespace lint {

class Remarks {
 public:
  void keep(const std::string& file, const Database::Remark&);
  void write(llvm::raw_ostream&) const;

 private:
  struct Kept {
    std::string kind, first;
    size_t files;
  };
  std::vector<Kept> kept_;
};

}  // namespace lint
