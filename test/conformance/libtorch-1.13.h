// Included before everything else when compiling against LibTorch 1.13.1, whose headers keep vectors of types that are not
// complete yet. Clang refuses that of C++20's constexpr std::vector; without constexpr it is as it was in C++17.
#pragma once

#include <bits/c++config.h>
#undef _GLIBCXX20_CONSTEXPR
#define _GLIBCXX20_CONSTEXPR
