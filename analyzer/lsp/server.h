// `torch-tidy lsp`: the language server on standard input and output.
#pragma once

#include <string>
#include <vector>

namespace lint {

struct Check;

struct ServerOptions {
  std::vector<const Check*> checks;
  std::string cacheDir;
  std::string compilationDatabase;     // folder; empty: upwards from each file
  std::vector<std::string> extraArguments;
};

/// Runs until `exit`. Returns 0 after a `shutdown`, 1 without one.
int runLanguageServer(const ServerOptions&);

}  // namespace lint
