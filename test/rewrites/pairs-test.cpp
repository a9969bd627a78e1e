// Runs Inputs/*.cpp: each namespace (or class) there has a function `before` and rewrites of it, and behind the head of each
// rewrite stands its verdict:
//
//     namespace logarithm {
//     Tensor before(Tensor x) { ... }
//     Tensor plain(Tensor x) {  // refuted: the gradient of x is nan instead of 0
//     Tensor safe(Tensor x) {  // tested
//     }
//
// First every function must equal itself. Then every mutant of a rewrite that holds must be refuted, or hold under fewer
// conditions than none; one that is equal to the original is named in a comment, `// equal: keepdim in step 2`.

#include "analyzer/rewrite/proof-file.h"
#include "analyzer/rewrite/prove.h"
#include "analyzer/source/parse.h"
#include "analyzer/source/preamble.h"
#include "analyzer/source/range.h"
#include "test/rewrites/mutants.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

namespace lint {

namespace {

struct Function {
  const clang::FunctionDecl* decl = nullptr;
  std::string name, expected;
  std::vector<std::string> equal;  // mutants that are the same program
};

struct Group {
  Function before;
  std::vector<Function> rewrites;
};

std::vector<std::string> linesOf(const std::string& file) {
  std::vector<std::string> lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string commentOn(const std::string& line) {
  const size_t at = line.find("// ");
  return at == line.npos ? "" : line.substr(at + 3);
}

class Groups : public clang::DynamicRecursiveASTVisitor {
 public:
  Groups(clang::ASTContext& context, std::vector<std::string> lines) : context_(context), lines_(std::move(lines)) {}
  std::map<const clang::DeclContext*, Group> groups;

  bool VisitFunctionDecl(clang::FunctionDecl* function) override {
    if (!function->doesThisDeclarationHaveABody() || !function->getDeclName().isIdentifier()) return true;
    Function one{function, function->getNameAsString(), {}, {}};
    const Range at = rangeOf(context_.getSourceManager(), function->getLocation());
    one.expected = commentOn(lines_[at.line - 1]);
    for (size_t line = at.line; line < lines_.size() && commentOn(lines_[line]).starts_with("equal: "); ++line) one.equal.push_back(commentOn(lines_[line]).substr(7));
    Group& group = groups[function->getDeclContext()];
    if (one.name == "before") group.before = one;
    else if (!one.expected.empty()) group.rewrites.push_back(one);
    return true;
  }

 private:
  clang::ASTContext& context_;
  std::vector<std::string> lines_;
};

std::string textOf(const rt::Verdict& v) {
  static constexpr const char* names[] = {"tested", "conditional: ", "refuted: ", "not verified: "};
  return names[size_t(v.kind)] + (v.kind == rt::Verdict::Kind::tested ? "" : v.kind == rt::Verdict::Kind::conditional ? v.condition : v.text);
}

std::string compare(const clang::FunctionDecl* before, const clang::FunctionDecl* after, clang::ASTContext& context) {
  auto pair = lowerPair(before, after, context);
  if (auto* refused = std::get_if<Refusal>(&pair)) return "not lowered: " + refused->reason;
  return textOf(rt::verify(std::get<LoweredPair>(pair).before, std::get<LoweredPair>(pair).after));
}

// "refuted: the gradient" holds for "refuted: at x = 0 the gradient ...".
bool says(const std::string& actual, const std::string& expected) {
  const size_t colon = expected.find(": ");
  if (colon == expected.npos) return actual.starts_with(expected);
  return actual.starts_with(expected.substr(0, colon)) && actual.find(expected.substr(colon + 2)) != actual.npos;
}

struct Outcome { std::string name, problem; };
std::vector<Outcome> outcomes;
size_t mutants = 0, equalMutants = 0;

void note(const std::string& name, std::string problem) { outcomes.push_back({name, std::move(problem)}); }

std::string survivors(const Function& before, const Function& rewrite, clang::ASTContext& context) {
  auto pair = lowerPair(before.decl, rewrite.decl, context);
  if (!std::holds_alternative<LoweredPair>(pair)) return "";
  const LoweredPair& programs = std::get<LoweredPair>(pair);
  const std::string original = textOf(rt::verify(programs.before, programs.after));
  std::string alive;
  for (const rt::Mutant& mutant : rt::mutantsOf(programs.after)) {
    ++mutants;
    const rt::Verdict v = rt::verify(programs.before, mutant.program);
    const bool caught = textOf(v) != original;
    const bool known = std::ranges::count(rewrite.equal, mutant.what) > 0;
    equalMutants += known;
    if (caught == known) alive += "\n  " + mutant.what + (known ? " is said to be equal: " : " survives: ") + textOf(v) + "\n" + rt::print(mutant.program);
  }
  return alive;
}

// With --write=FILE: the pairs, for referee-test.cpp, instead of tests. LibTorch is slower: fewer inputs.
std::string proofs;
std::vector<std::string> records;

void record(const std::string& name, const Group& group, const Function& rewrite, clang::ASTContext& context) {
  auto pair = lowerPair(group.before.decl, rewrite.decl, context);
  if (!std::holds_alternative<LoweredPair>(pair)) return;
  LoweredPair& programs = std::get<LoweredPair>(pair);
  ProofRecord one{.file = name, .check = "", .shown = name, .before = programs.before, .after = programs.after};
  one.options.maxInputs = 500;
  one.verdict = rt::verify(one.before, one.after, one.options);
  records.push_back(toJson(one));
}

void check(const std::string& file, const Group& group, clang::ASTContext& context) {
  auto* named = llvm::dyn_cast<clang::NamedDecl>(group.before.decl->getDeclContext());
  const std::string base = std::filesystem::path(file).stem().string() + "." + (named ? named->getQualifiedNameAsString() : "") + ".";
  if (!proofs.empty()) {
    for (const Function& rewrite : group.rewrites) record(base + rewrite.name, group, rewrite, context);
    return;
  }
  const std::string self = compare(group.before.decl, group.before.decl, context);
  note(base + "before", self == "tested" ? "" : "it does not equal itself: " + self);
  for (const Function& rewrite : group.rewrites) {
    const std::string actual = compare(group.before.decl, rewrite.decl, context), same = compare(rewrite.decl, rewrite.decl, context);
    note(base + rewrite.name, says(actual, rewrite.expected) ? "" : "expected '" + rewrite.expected + "', got '" + actual + "'");
    if (!actual.starts_with("not")) note(base + rewrite.name + ".itself", same == "tested" ? "" : "it does not equal itself: " + same);
    if (actual == "tested" || actual.starts_with("conditional")) note(base + rewrite.name + ".mutants", survivors(group.before, rewrite, context));
  }
}

void checkFile(const std::string& file) {
  const std::string root = TORCH_ROOT;
  const CompileCommand command{file, PAIRS, {"clang++", "-std=c++20", "-isystem", root + "/include", "-isystem", root + "/include/torch/csrc/api/include", file}};
  Preambles preambles{CacheFolder(CACHE)};
  const PreambleNeeds needs = preambleNeeds(command);
  Preamble preamble = preambles.find(needs);
  if (preamble.path.empty()) preamble = preambles.build(command, needs.usual);
  const ParseResult parsed = parse(command, preamble.path, {}, [&](clang::CompilerInstance& compiler, const std::vector<clang::Decl*>& declarations) {
    Groups found(compiler.getASTContext(), linesOf(file));
    for (clang::Decl* decl : declarations) found.TraverseDecl(decl);
    for (const auto& [place, group] : found.groups)
      if (group.before.decl) check(file, group, compiler.getASTContext());
  });
  for (const Diagnostic& error : parsed.errors) note(std::filesystem::path(file).stem().string() + ".compiles", error.message + " in line " + std::to_string(error.at.line));
}

class Pair : public testing::Test {
 public:
  explicit Pair(const Outcome& outcome) : outcome_(outcome) {}
  void TestBody() override { EXPECT_EQ(outcome_.problem, ""); }

 private:
  const Outcome& outcome_;
};

}  // namespace

}  // namespace lint

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc == 2 && std::string(argv[1]).starts_with("--write=")) lint::proofs = argv[1] + strlen("--write=");
  for (const auto& entry : std::filesystem::directory_iterator(PAIRS)) lint::checkFile(entry.path().string());
  if (!lint::proofs.empty()) {
    std::ofstream(lint::proofs) << lint::proofFile(lint::records, TORCH_TIDY_VERSION);
    return 0;
  }
  for (const lint::Outcome& outcome : lint::outcomes)
    testing::RegisterTest("Pairs", outcome.name.c_str(), nullptr, nullptr, __FILE__, __LINE__, [&outcome] { return new lint::Pair(outcome); });
  std::cout << lint::mutants << " mutants, " << lint::equalMutants << " of them equal\n";
  return RUN_ALL_TESTS();
}
