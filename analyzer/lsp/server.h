// `torch-tidy lsp`: the language server on standard input and output.
#pragma once

#include "analyzer/source/database.h"

#include <string>
#include <vector>

namespace lint {

struct Check;

struct ServerOptions {
  std::vector<const Check*> checks;
  std::string cacheDir;
  Database::Settings database;
};

/// Runs until `exit`. Returns 0 after a `shutdown`, 1 without one.
int runLanguageServer(const ServerOptions&);

}  // namespace lint
