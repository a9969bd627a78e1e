// What nearly every file of the analyzer includes, compiled once.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/ASTMatchers/ASTMatchFinder.h"
#include "clang/ASTMatchers/ASTMatchers.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Lexer.h"
#include "clang/Tooling/CompilationDatabase.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>
