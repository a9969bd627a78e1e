#!/usr/bin/env bash
# Runs the tests: all of them, or the parts named: ./test.sh cli, ./test.sh checks/host-branch.cpp. The last line is the sum.
set -euo pipefail
cd "$(dirname "$0")"
. scripts/setup.sh

install_test_tools
find_cxx
make_venv
install_test_requirements
install_libtorch
configure ON
step "building" cmake --build build/release
exec build/venv/bin/python test/run --build build/release "$@"
