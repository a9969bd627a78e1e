#!/usr/bin/env bash
# A first look: builds torch-tidy, lints the LibTorch project in docs/tour, fixes a copy of it, and runs both versions.
set -euo pipefail
cd "$(dirname "$0")"
. scripts/setup.sh
. scripts/tour.sh

install_tools
find_cxx
make_venv
install_libtorch
configure OFF
step "building torch-tidy" cmake --build build/release --target torch-tidy
configure_tour

echo
echo "\$ torch-tidy -p build/tour docs/tour"
lint_tour
show_finding "A rewrite that was run on many inputs and holds:" 'note: verified'
show_finding "A rewrite that was run and does not hold, so it is never applied:" 'note: no fix: .* differs'

echo "$(tail -n 1 build/try/findings.txt) (all of them: build/try/findings.txt)"

echo
echo "\$ torch-tidy --fix ...  on a copy in build/try/fixed"
fix_copy
step "compiling the tour as written and as fixed" compile_both
compare_runs
