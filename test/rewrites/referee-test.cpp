// LibTorch as referee: every pair of Inputs/ again, with LibTorch's tensors in the place of ours, must get the same kind of
// verdict. The pairs come lowered, in the file form of verdicts, from pairs-tests.

#include "analyzer/rewrite/proof-file.h"
#include "test/rewrites/torch-backend.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace {

class Referee : public testing::Test {
 public:
  explicit Referee(const lint::ProofRecord& record) : record_(record) {}
  void TestBody() override {
    for (const rt::Program* program : {&record_.before, &record_.after})
      if (const std::string op = rt::opWithoutTorch(*program); !op.empty()) GTEST_SKIP() << "'" << op << "' is not in torch-backend.cpp";
    const rt::Verdict theirs = rt::verify(record_.before, record_.after, record_.options);
    EXPECT_EQ(theirs.kind, record_.verdict.kind) << "LibTorch: " << lint::summary(theirs) << "\nhere: " << lint::summary(record_.verdict) << "\n"
                                                 << rt::print(record_.before) << rt::print(record_.after);
    EXPECT_EQ(theirs.condition, record_.verdict.condition);
  }

 private:
  const lint::ProofRecord& record_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (std::system(PAIRS_TESTS " --write=" PROOFS " > /dev/null") != 0) return std::cerr << PAIRS_TESTS " failed\n", 1;
  std::stringstream text;
  text << std::ifstream(PROOFS).rdbuf();
  static std::vector<lint::ProofRecord> records;
  if (const std::string wrong = lint::readProofs(text.str(), records); !wrong.empty()) return std::cerr << wrong << "\n", 1;
  for (const lint::ProofRecord& record : records)
    testing::RegisterTest("Referee", record.shown.c_str(), nullptr, nullptr, __FILE__, __LINE__, [&record] { return new Referee(record); });
  return RUN_ALL_TESTS();
}
