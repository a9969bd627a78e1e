#include "analyzer/command-line.h"

#include "analyzer/report/format.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <iterator>

namespace lint {
std::string absolutePath(const std::string& path) {
  llvm::SmallString<256> result(path);
  llvm::sys::fs::make_absolute(result);
  llvm::sys::path::remove_dots(result, true);
  return result.str().str();
}

namespace {

struct Flag {
  std::string_view name, argument, help;  // argument empty: the flag takes none
  std::string (*set)(CommandLine&, const std::string& value);  // returns what is wrong with the value
};

std::string oneOf(const std::string& value, const std::vector<std::string>& allowed) {
  std::string list;
  for (const std::string& word : allowed) {
    if (word == value) return {};
    list += (list.empty() ? "" : ", ") + word;
  }
  return "'" + value + "' is not one of " + list;
}

std::string setFailOn(CommandLine& line, const std::string& value) {
  std::vector<std::string> names = {"none", "warning", "error"};
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == value) line.failOn = static_cast<FailOn>(i);
  return oneOf(value, names);
}

std::string setFormat(CommandLine& line, const std::string& value) {
  line.format = value;
  std::vector<std::string> names;
  for (const Format& format : formats) names.emplace_back(format.name);
  return oneOf(value, names);
}

template <typename Number>
std::string setNumber(Number& number, const std::string& value, std::type_identity_t<Number> least) {
  if (!llvm::StringRef(value).getAsInteger(10, number) && number >= least) return {};
  return "'" + value + "' is no whole number" + (least ? " from " + std::to_string(least) + " on" : "");
}

std::string setTimeout(CommandLine& line, const std::string& value) {
  if (!llvm::StringRef(value).getAsDouble(line.timeout) && line.timeout >= 0 && line.timeout < 1e9) return {};
  return "'" + value + "' is no number of seconds";
}

#define SET(statement) [](CommandLine& line, [[maybe_unused]] const std::string& value) -> std::string { statement; return {}; }

#define NUMBER(field, least) [](CommandLine& line, const std::string& value) { return setNumber(line.field, value, least); }
#define WORD(field, ...) [](CommandLine& line, const std::string& value) { line.field = value; return oneOf(value, {__VA_ARGS__}); }

constexpr Flag flags[] = {
    {"-p", "DIR", "folder of compile_commands.json (default: upwards from each file)", SET(line.database.folder = absolutePath(value))},
    {"--checks", "GLOBS", "comma list of check names or globs; a leading - removes (default: *)", SET(line.checks = value)},
    {"--fix", "", "apply verified fixes, then compile the files again", SET(line.fix = true)},
    {"--unsafe-fixes", "", "with --fix: also those that hold only under the condition shown", SET(line.unsafeFixes = true)},
    {"--list-checks", "", "print the enabled checks", SET(line.mode = Mode::listChecks)},
    {"--checks-page", "", "print docs/checks.md", SET(line.mode = Mode::checksPage)},
    {"--explain", "CHECK", "print the page of a check", SET(line.mode = Mode::explain; line.explained = value)},
    {"--ops-page", "", "print docs/ops.md, the table of the runtime's ops", SET(line.mode = Mode::opsPage)},
    {"--format", "FORMAT", "text, json or sarif (default: text)", setFormat},
    {"--output", "FILE", "write the report there (default: standard output)", SET(line.output = value)},
    {"--fail-on", "LEVEL", "exit 1 from this severity on: none, warning, error (default: warning)", setFailOn},
    {"--quiet", "", "no notes and no summary of skipped work", SET(line.quiet = true)},
    {"--stats", "", "print the time of each phase to standard error", SET(line.stats = true)},
    {"--verify-report", "FILE", "write there what was run for each rewrite, for 'torch-tidy replay FILE'", SET(line.proofs = value)},
    {"--cpp", "", "with replay: print a LibTorch program for each rewrite", SET(line.cpp = true)},
    {"--no-verify", "", "do not run rewrites; none is offered then", SET(line.verify = false)},
    {"--no-preamble", "", "parse LibTorch's headers with every file", SET(line.preamble = false)},
    {"--no-cache", "", "analyse every file anew, and keep no results", SET(line.cache = false)},
    {"--cache-dir", "DIR", "where results and preambles are kept (default: the user's cache folder)", SET(line.cacheDir = absolutePath(value))},
    {"--cache-size", "MB", "what is used least is taken away beyond this (default: 4096)", NUMBER(cacheSize, 0)},
    {"-j", "N", "files at a time (default: as many as there are cores, fewer where memory is short)", NUMBER(jobs, 1)},
    {"--timeout", "SECONDS", "of one file; 0: no limit (default: 120)", setTimeout},
    {"--max-memory", "MB", "of one file (default: its share of what is free)", NUMBER(maxMemory, 1)},
    {"--progress", "WHEN", "auto: on a terminal, and a line now and then elsewhere; always: a line a file; or never", WORD(progress, "auto", "always", "never")},
    {"--extra-arg", "ARG", "one more flag behind those of each command; may be repeated", SET(line.database.adjustments.extra.push_back(value))},
    {"--extra-arg-before", "ARG", "one more flag before those of each command; may be repeated", SET(line.database.adjustments.before.push_back(value))},
    {"--removed-arg", "ARG", "take this word off each command, or all that begin like ARG*; may be repeated", SET(line.database.adjustments.removed.push_back(value))},
    {"--show-command", "FILE", "print the command of a file, the one used, and the reason of every change", SET(line.mode = Mode::showCommand; line.shownFile = value)},
    {"--color", "WHEN", "auto, always or never (default: auto)", WORD(colour, "auto", "always", "never")},
    {"--help", "", "print this", SET(line.mode = Mode::help)},
    {"--version", "", "print the versions of torch-tidy and Clang", SET(line.mode = Mode::version)},
};
#undef SET
#undef NUMBER
#undef WORD

const Flag* flagNamed(llvm::StringRef name) {
  for (const Flag& flag : flags)
    if (name == llvm::StringRef(flag.name) || (name.starts_with("-") && !name.starts_with("--") && flag.name.starts_with("--") && name.drop_front() == llvm::StringRef(flag.name.substr(2)))) return &flag;
  return nullptr;
}

std::string defaultCacheDir() {
  llvm::SmallString<128> folder;
  if (!llvm::sys::path::cache_directory(folder)) return {};
  llvm::sys::path::append(folder, "torch-tidy");
  return folder.str().str();
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  unsigned distance = std::max<unsigned>(2, static_cast<unsigned>(word.size()) / 3) + 1;
  for (const std::string& candidate : candidates) {
    unsigned d = llvm::StringRef(word).edit_distance(candidate, true, distance);
    if (d < distance) distance = d, best = candidate;
  }
  return best;
}

CommandLine parseCommandLine(const std::vector<std::string>& arguments) {
  CommandLine line;
  for (size_t i = 0; i < arguments.size() && line.error.empty(); ++i) {
    llvm::StringRef argument = arguments[i];
    if (argument == "--") {
      line.database.fixed = true;
      line.database.fixedFlags.assign(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1, arguments.end());
      break;
    }
    if (i == 0 && (argument == "lsp" || argument == "cache")) {
      line.mode = argument == "lsp" ? Mode::languageServer : Mode::cache;
      continue;
    }
    if (argument == "replay" && line.files.empty() && line.mode == Mode::lint) {
      line.mode = Mode::replay;
      continue;
    }
    if (!argument.starts_with("-") || argument == "-") {
      line.files.push_back(argument.str());
      continue;
    }
    auto [name, value] = argument.split('=');
    bool hasValue = argument.contains('=');
    bool joined = argument.size() > 2 && argument.starts_with("-j") && llvm::isDigit(argument[2]);  // -j4
    if (joined) name = "-j", value = argument.drop_front(2), hasValue = true;
    const Flag* flag = flagNamed(name);
    if (!flag) {
      std::vector<std::string> names;
      for (const Flag& known : flags) names.emplace_back(known.name);
      std::string near = nearest(name.str(), names);
      line.error = "unknown option '" + name.str() + "'" + (near.empty() ? "; --help lists them" : "; did you mean '" + near + "'?");
    } else if (flag->argument.empty() && hasValue) {
      line.error = "option '" + name.str() + "' takes no value";
    } else if (!flag->argument.empty() && !hasValue && i + 1 == arguments.size()) {
      line.error = "option '" + name.str() + "' needs a value: " + std::string(flag->argument);
    } else {
      std::string given = flag->argument.empty() ? "" : hasValue ? value.str() : arguments[++i];
      std::string wrong = flag->set(line, given);
      if (!wrong.empty()) line.error = "option '" + name.str() + "': " + wrong;
    }
  }
  if (line.cacheDir.empty()) line.cacheDir = defaultCacheDir();
  if (line.unsafeFixes) line.fix = true;
  return line;
}

std::string helpText() {
  std::string text =
      "torch-tidy finds where C++ model code makes the host look at tensor values, and proves its fixes by running them.\n\n"
      "usage: torch-tidy [options] files or folders... [-- compiler flags]\n"
      "       torch-tidy lsp [options]     a language server on standard input and output\n"
      "       torch-tidy cache [path|size|clear]     where the cache is, how much it holds, and its end\n"
      "       torch-tidy replay [--cpp] FILE   run again what --verify-report wrote, or print it as C++\n\noptions:\n";
  for (const Flag& flag : flags) {
    std::string left = "  " + std::string(flag.name) + (flag.argument.empty() ? "" : (flag.name.starts_with("--") ? "=" : " ") + std::string(flag.argument));
    text += left + std::string(left.size() < 24 ? 24 - left.size() : 1, ' ') + std::string(flag.help) + "\n";
  }
  text += "\nformats:\n";
  for (const Format& format : formats) text += "  " + std::string(format.name) + std::string(22 - format.name.size(), ' ') + std::string(format.help) + "\n";
  return text + "\nexit status: 0 nothing found; 1 findings; 2 wrong options, or a file that could not be analysed\n";
}

}  // namespace lint
