#include "analyzer/engine.h"

#include "analyzer/check.h"
#include "analyzer/facts/context.h"
#include "analyzer/facts/torch.h"
#include "analyzer/registry.h"
#include "analyzer/report/suppress.h"
#include "analyzer/rewrite/proof-file.h"
#include "analyzer/rewrite/prove.h"
#include "analyzer/source/parse.h"
#include "analyzer/source/preamble.h"
#include "analyzer/source/range.h"

#include "clang/AST/ParentMapContext.h"
#include "clang/Lex/Preprocessor.h"

#include <algorithm>
#include <chrono>
#include <set>

namespace lint {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// A finding with the check that made it.
struct Found {
  const Check* check;
  Finding finding;
  bool dependent;  // in the pattern of a template, where types are not known
};

class Collector : public clang::ast_matchers::MatchFinder::MatchCallback {
 public:
  Collector(const Check& check, std::vector<Found>& found) : check_(check), found_(found) {}
  void run(const clang::ast_matchers::MatchFinder::MatchResult& result) override {
    if (auto finding = check_.inspect({result.Nodes, *result.Context})) found_.push_back({&check_, std::move(*finding), isDependent(result)});
  }

 private:
  static bool isDependent(const clang::ast_matchers::MatchFinder::MatchResult& result) {
    for (const auto& [id, node] : result.Nodes.getMap())
      if (auto* statement = node.get<clang::Stmt>()) {
        const clang::FunctionDecl* function = enclosingFunction(statement, *result.Context);
        return function && function->isDependentContext();
      }
    return false;
  }

  const Check& check_;
  std::vector<Found>& found_;
};

int macroNumber(clang::Preprocessor& preprocessor, llvm::StringRef name) {
  clang::IdentifierInfo* identifier = preprocessor.getIdentifierInfo(name);
  clang::MacroInfo* macro = identifier ? preprocessor.getMacroInfo(identifier) : nullptr;
  int value = -1;
  if (macro && macro->getNumTokens() == 1) llvm::StringRef(preprocessor.getSpelling(macro->getReplacementToken(0))).getAsInteger(10, value);
  return value;
}

std::optional<rt::Semantics> torchVersion(clang::Preprocessor& preprocessor) {
  int major = macroNumber(preprocessor, "TORCH_VERSION_MAJOR"), minor = macroNumber(preprocessor, "TORCH_VERSION_MINOR");
  if (major < 0 || minor < 0) return {};
  return rt::Semantics{major, minor};
}

/// One parsed unit: from its declarations to its diagnostics.
class Unit {
 public:
  Unit(clang::CompilerInstance& compiler, const Options& options, UnitReport& report)
      : context_(compiler.getASTContext()), sources_(compiler.getSourceManager()), options_(options), report_(report) {
    verifyOptions_.maxInputs = 1300;  // some 20 ms: a file with ten findings still answers while one types
    if (auto version = torchVersion(compiler.getPreprocessor())) {
      verifyOptions_.semantics = *version;
      report_.torchVersion = std::to_string(version->major) + "." + std::to_string(version->minor);
    }
    libraryRoot_ = findLibraryRoot();
  }

  void run(const std::vector<clang::Decl*>& declarations) {
    auto start = Clock::now();
    std::vector<Found> found = match(declarations);
    report_.seconds.push_back({"match", secondsSince(start)});
    start = Clock::now();
    for (Found& one : found) report(one);
    std::stable_sort(report_.findings.begin(), report_.findings.end(), standsBefore);
    report_.seconds.push_back({"verify", secondsSince(start)});
  }

 private:
  // LibTorch's include folder, so that its headers are not taken for the project's when they come by -I.
  std::string findLibraryRoot() {
    clang::IdentifierInfo& name = context_.Idents.get("at");
    for (clang::NamedDecl* space : context_.getTranslationUnitDecl()->lookup(&name))
      if (auto* at = llvm::dyn_cast<clang::NamespaceDecl>(space))
        for (clang::NamedDecl* tensor : at->lookup(&context_.Idents.get("Tensor"))) {
          std::string file = rangeOf(sources_, tensor->getLocation()).file;
          if (size_t end = file.find("/ATen/"); end != std::string::npos) return file.substr(0, end + 1);
        }
    return {};
  }

  bool isOwn(const clang::Decl* decl) const {
    if (libraryRoot_.empty()) return true;
    auto file = sources_.getFilename(sources_.getFileLoc(decl->getLocation()));
    return !file.starts_with(libraryRoot_);
  }

  std::vector<Found> match(const std::vector<clang::Decl*>& declarations) {
    std::vector<clang::Decl*> own;
    llvm::copy_if(declarations, std::back_inserter(own), [&](const clang::Decl* decl) { return isOwn(decl); });
    context_.setTraversalScope(own);
    std::vector<Found> found;
    std::vector<std::unique_ptr<Collector>> collectors;
    clang::ast_matchers::MatchFinder finder;
    for (const Check* check : options_.checks) {
      collectors.push_back(std::make_unique<Collector>(*check, found));
      finder.addMatcher(check->pattern(), collectors.back().get());
    }
    finder.matchAST(context_);
    return found;
  }

  void report(Found& one) {
    Diagnostic diagnostic;
    diagnostic.check = nameOf(*one.check);
    diagnostic.severity = one.check->severity;
    diagnostic.message = one.finding.message;
    diagnostic.at = range(one.finding.range);
    if (diagnostic.at.file.empty()) return;
    if (suppressed(diagnostic, one.finding.range.getBegin())) {
      if (suppressedOnce_.insert({diagnostic.check, diagnostic.at.file, diagnostic.at.begin}).second) ++report_.suppressed;
      return;
    }
    for (const auto& note : one.finding.notes) diagnostic.notes.push_back({range(note.at), note.text});
    if (options_.verify && !one.finding.offers.empty()) judge(one.finding, diagnostic);
    keep(std::move(diagnostic), one.dependent);
  }

  // Every instantiation of a template finds the same thing. It stands once, with the verdict of the least fortunate one;
  // the pattern itself counts only where there is no instantiation.
  void keep(Diagnostic diagnostic, bool dependent) {
    auto [it, added] = kept_.try_emplace({diagnostic.check, diagnostic.at.file, diagnostic.at.begin}, report_.findings.size(), dependent);
    auto& [index, wasDependent] = it->second;
    if (added) {
      report_.findings.push_back(std::move(diagnostic));
      return;
    }
    Diagnostic& before = report_.findings[index];
    if (dependent || !(wasDependent || promisesLess(diagnostic, before))) return;
    before = std::move(diagnostic);
    wasDependent = false;
  }

  bool suppressed(const Diagnostic& diagnostic, clang::SourceLocation begin) {
    clang::FileID file = sources_.getFileID(sources_.getFileLoc(begin));
    auto it = suppressions_.find(file);
    if (it == suppressions_.end()) it = suppressions_.emplace(file, Suppressions(std::string_view(sources_.getBufferData(file)))).first;
    unsigned use = sources_.getExpansionLineNumber(begin);
    return it->second.covers(diagnostic.check, diagnostic.at.line, use);
  }

  void judge(const Finding& finding, Diagnostic& diagnostic) {
    Proven proven = prove(finding.offers, verifyOptions_, context_);
    const rt::Verdict& verdict = proven.verdict;
    using Kind = rt::Verdict::Kind;
    if (proven.refusal) {
      diagnostic.proof = Proof::notVerified;
      diagnostic.notes.push_back({range(proven.refusal->at), "no fix: " + proven.refusal->reason});
      return;
    }
    const Candidate& candidate = *proven.candidate;
    if (options_.keepProofs)
      report_.proofs.push_back(toJson({diagnostic.at.file, diagnostic.check, candidate.shown, diagnostic.at.line, proven.before, proven.after, proven.options, proven.ran}));
    std::string torch = " [torch " + report_.torchVersion + "]";
    switch (verdict.kind) {
      case Kind::tested:
      case Kind::conditional: {
        std::string condition = verdict.condition;
        if (candidate.firstSize) condition = candidate.shown + " is " + std::to_string(*candidate.firstSize) + (condition.empty() ? "" : " and " + condition);
        diagnostic.proof = verdict.kind == Kind::tested ? Proof::tested : Proof::conditional;
        diagnostic.inputs = verdict.inputs;
        diagnostic.fix = Fix{candidate.shown, edits(candidate), verdict.condition};
        diagnostic.notes.push_back({diagnostic.at, "verified" + (condition.empty() ? "" : ", where " + condition) +
                                                       ": the rewrite gives the same values, shapes, dtypes and gradients on " +
                                                       std::to_string(verdict.inputs) + " inputs (" + names(verdict.dtypes) + ")" + torch});
        if (!proven.remark.empty()) diagnostic.notes.push_back({diagnostic.at, proven.remark});
        return;
      }
      case Kind::refuted:
        diagnostic.proof = Proof::refuted;
        diagnostic.counterexample = verdict.text;
        diagnostic.notes.push_back({diagnostic.at, "no fix: " + candidate.brief + " differs: " + verdict.text});
        return;
      case Kind::notVerified:
        diagnostic.proof = Proof::notVerified;
        diagnostic.notes.push_back({diagnostic.at, "no fix: " + candidate.brief + " is not verified: " + verdict.text});
    }
  }

  static std::string names(const std::vector<rt::DType>& dtypes) {
    std::string text;
    for (rt::DType dtype : dtypes) text += std::string(text.empty() ? "" : ", ") + rt::dtypeName(dtype);
    return text;
  }

  std::vector<Edit> edits(const Candidate& candidate) const {
    std::vector<Edit> result;
    for (const TextEdit& edit : candidate.edits) {
      Range at = range(edit.tokens);
      if (edit.removesStatement) widenToLine(edit.tokens, at);
      result.push_back({at.file, at.begin, at.end - at.begin, edit.text});
    }
    return result;
  }

  // A statement that goes away takes its line with it when it stands there alone.
  void widenToLine(clang::SourceRange tokens, Range& at) const {
    llvm::StringRef text = sources_.getBufferData(sources_.getFileID(sources_.getFileLoc(tokens.getBegin())));
    size_t begin = text.take_front(at.begin).rfind('\n') + 1, end = text.find('\n', at.end);
    if (end == llvm::StringRef::npos) return;
    bool alone = text.slice(begin, at.begin).trim().empty() && text.slice(at.end, end).trim().empty();
    if (alone) at.begin = begin, at.end = end + 1;
  }

  Range range(clang::SourceRange tokens) const { return rangeOf(sources_, context_.getLangOpts(), tokens); }

  clang::ASTContext& context_;
  const clang::SourceManager& sources_;
  const Options& options_;
  UnitReport& report_;
  rt::VerifyOptions verifyOptions_;
  std::string libraryRoot_;
  using Place = std::tuple<std::string, std::string, unsigned>;  // check, file, offset
  std::set<Place> suppressedOnce_;
  std::map<Place, std::pair<size_t, bool>> kept_;
  std::map<clang::FileID, Suppressions> suppressions_;
};

Preamble preambleFor(const CompileCommand& command, const Options& options, const std::map<std::string, std::string>& unsaved) {
  if (!options.preambles) return {"", "", {}, "none is used"};
  PreambleNeeds needs = preambleNeeds(command, unsaved);
  Preamble preamble = options.preambles->find(needs);
  bool build = options.build && preamble.path.empty() && !needs.usual.name.empty();
  return build ? options.preambles->build(command, needs.usual) : preamble;
}

// One that could not be loaded, though its files are as they were.
Preamble preambleAgain(const CompileCommand& command, const Options& options, const std::map<std::string, std::string>& unsaved, const Preamble& failed) {
  for (const PreambleNeed& need : preambleNeeds(command, unsaved).longestFirst)
    if (need.name == failed.name) return options.preambles->build(command, need, &failed);
  return {};
}

}  // namespace

UnitReport analyze(const CompileCommand& command, const Options& options, const std::map<std::string, std::string>& unsaved) {
  UnitReport report;
  auto attempt = [&](const Preamble& preamble) {
    report.findings.clear();
    report.errors.clear();
    report.suppressed = 0;
    report.proofs.clear();
    auto start = Clock::now();
    ParseResult parsed = parse(command, preamble.path, unsaved, [&](clang::CompilerInstance& compiler, const std::vector<clang::Decl*>& declarations) {
      auto matching = Clock::now();
      report.seconds.push_back({"parse", std::chrono::duration<double>(matching - start).count()});
      Unit(compiler, options, report).run(declarations);
    });
    report.errors = std::move(parsed.errors);
    report.reading = {std::move(parsed.witnesses), preamble.name, preamble.digest, parsed.repeatable};
    if (!parsed.parsed && report.errors.empty()) report.failure = command.file + ": Clang could not be started with this command";
    return parsed.preambleFailed;
  };

  auto start = Clock::now();
  Preamble preamble = preambleFor(command, options, unsaved);
  report.seconds.push_back({"preamble", secondsSince(start)});
  bool preambleFailed = attempt(preamble);
  if (preambleFailed) {
    preamble = preambleAgain(command, options, unsaved, preamble);
    preambleFailed = attempt(preamble);
  }
  report.preamble = preamble.status;
  // Whatever goes wrong on a preamble is not blamed on the file before it went wrong without one.
  if (!report.errors.empty() && !preamble.path.empty() && (!options.editor || preambleFailed)) {
    std::string first = report.errors.front().message;
    attempt({});
    report.preamble = "not used: " + first;
  }
  return report;
}

CheckFace face(const Check& check) {
  static constexpr std::string_view categories[] = {"host-sync", "control-flow", "shapes", "scalars"};
  return {check.summary, check.severity, categories[static_cast<int>(check.category)], check.since};
}

std::string_view nameOf(const Check& check) {
  for (const CheckEntry& entry : registry())
    if (entry.check == &check) return entry.name;
  return {};
}

}  // namespace lint
