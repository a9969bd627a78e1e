// Reports of earlier runs: replayed as they were while every file that the parse read, or looked for in vain, is as it was.
#pragma once

#include "analyzer/source/preamble.h"

namespace lint {

class Results {
 public:
  /// `folder` and `preambles` outlive this.
  Results(CacheFolder& folder, Preambles& preambles, const Options&);

  struct Found {
    std::optional<UnitReport> report;  // fit to replay
    double seconds = 0;                // that the last parse took, whether its report still holds or not; 0: not known
  };
  Found find(const CompileCommand&);
  void keep(const CompileCommand&, const UnitReport&);

 private:
  std::string nameOf(const CompileCommand&) const;
  bool holds(Reading&, Looker::Remarks&);

  CacheFolder& folder_;
  Preambles& preambles_;
  std::string shared_;  // what all keys of a run have in common
};

}  // namespace lint
