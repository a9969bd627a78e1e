# What try.sh and test.sh share: everything needed is found or installed, one line a step. Sourced, from the project's root.
#
# Honours CXX (compiler), LLVM_DIR (folder of LLVMConfig.cmake) and TORCH_ROOT (folder with LibTorch's include and lib).
# Writes below build/ only, except for the distribution's own packages; each step is skipped where it is already satisfied.

libtorch_version=2.15.0
tools=(g++ cmake ninja-build ccache git python3 python3-venv nlohmann-json3-dev libopenblas-dev)
llvm_tools=(llvm-22-dev libclang-22-dev libclang-cpp22-dev clang-22)
test_tools=(libgtest-dev)
llvm_test_tools=(llvm-22-tools libclang-rt-22-dev)  # the second: for the sanitizers
optional_test_tools=(libtorch-dev neovim)  # their tests are skipped where a release lacks them
declare -A only_version=([libtorch-dev]=1.13)

# step TEXT COMMAND...: says what is done, keeps its output in build/log, and on failure shows the end of it, and what to
# do (the variable `hint`).
step() {
  local text=$1 log start=$SECONDS
  shift
  mkdir -p build/log
  log=$(tr -cs '[:alnum:]\n' - <<<"$text")
  log=build/log/${log:0:60}.txt
  printf '%s ...' "$text"
  if "$@" >"$log" 2>&1 </dev/null; then
    printf ' %d s\n' $((SECONDS - start))
    return
  fi
  printf ' failed\n'
  tail -n 30 "$log" >&2
  printf '\nerror: %s failed; the whole output is in %s\n%s' "$text" "$log" "${hint:+$hint$'\n'}" >&2
  exit 1
}

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# The packages of a list that are not installed.
missing() {
  local package
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || printf '%s ' "$package"
  done
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

available() {
  [[ $(apt-cache policy "$1" 2>/dev/null) =~ "Candidate: "([0-9]+:)?"${only_version[$1]:-}"[0-9.] ]]
}

# install_packages NEEDED... [-- OPTIONAL...]: optional ones are installed where the distribution has them.
install_packages() {
  local needed=() optional=() absent=() package list
  while [ $# -gt 0 ] && [ "$1" != -- ]; do needed+=("$1"); shift; done
  [ $# = 0 ] || { shift; optional=("$@"); }
  if ! command -v dpkg-query >/dev/null; then
    echo "no dpkg on this system: taking for granted that the equivalents of these are installed: ${needed[*]}"
    return
  fi
  list=$(missing "${needed[@]}")
  # Optional packages are tried once, so that a run with nothing else to do stays offline; never for their sake with sudo.
  [ -e build/log/optional-tried ] || [ "$(id -u)" != 0 ] || list+=$(missing "${optional[@]}")
  [ -n "$list" ] || return 0
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
    fail "these packages are missing, and there is neither root nor sudo to install them: $list"
  fi
  step "reading the package lists" as_root apt-get update
  list=
  for package in $(missing "${needed[@]}"); do
    if available "$package"; then list+="$package "; else absent+=("$package"); fi
  done
  [ ${#absent[@]} = 0 ] || fail_for_packages "${absent[@]}"
  for package in $(missing "${optional[@]}"); do
    if available "$package"; then list+="$package "; else echo "this release has no $package: its tests will be skipped"; fi
  done
  if [ -n "$list" ]; then
    # shellcheck disable=SC2086
    step "installing $list" as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $list
  fi
  [ ${#optional[@]} = 0 ] || { mkdir -p build/log && touch build/log/optional-tried; }
}

fail_for_packages() {
  case "$*" in
    *llvm-22*|*clang*)
      fail "this release's package sources have no $*. LLVM 22 is in the LLVM project's own apt repository (apt.llvm.org): add it" \
           "and run this again, or set LLVM_DIR to the folder of LLVMConfig.cmake of an LLVM and Clang 22" ;;
    *) fail "this release's package sources have no $*" ;;
  esac
}

# The packages that every build needs, less those that LLVM_DIR makes needless, and the arguments'.
install_tools() {
  local wanted=("${tools[@]}")
  [ -n "${LLVM_DIR:-}" ] || wanted+=("${llvm_tools[@]}")
  install_packages "${wanted[@]}" "$@"
}

install_test_tools() {
  local wanted=("${test_tools[@]}")
  [ -n "${LLVM_DIR:-}" ] || wanted+=("${llvm_test_tools[@]}")
  install_tools "${wanted[@]}" -- "${optional_test_tools[@]}"
}

# Clang 22 is here anyway, and makes and loads precompiled headers in half of g++'s time.
find_cxx() {
  if [ -n "${CXX:-}" ]; then
    command -v "${CXX%% *}" >/dev/null || fail "CXX is '$CXX', which is not a program"
  elif command -v clang++-22 >/dev/null; then
    CXX=clang++-22
  else
    CXX=g++
  fi
  export CXX
}

# pip of our own, for LibTorch and the tests' tools.
make_venv() {
  [ -e build/venv/bin/pip ] || step "making a Python environment in build/venv" python3 -m venv build/venv
}

install_test_requirements() {
  cmp -s test/requirements.txt build/venv/requirements.txt && return
  step "installing the tests' Python tools into build/venv" build/venv/bin/pip install -r test/requirements.txt
  cp test/requirements.txt build/venv/requirements.txt
}

# LibTorch is the Python wheel without its dependencies: headers and CPU libraries. The two small CUDA libraries are what
# its own libraries are linked with; no GPU is needed.
install_libtorch() {
  if [ -n "${TORCH_ROOT:-}" ]; then
    [ -e "$TORCH_ROOT/include/torch/csrc/api/include/torch/torch.h" ] || fail "TORCH_ROOT is '$TORCH_ROOT', which has no include/torch/csrc/api/include/torch/torch.h"
  else
    TORCH_ROOT=$PWD/build/libtorch/torch
    if [ ! -e build/libtorch/version-"$libtorch_version" ]; then
      rm -rf build/libtorch build/libtorch.part
      hint="another LibTorch $libtorch_version can be named with TORCH_ROOT" step "fetching LibTorch $libtorch_version into build/libtorch" \
        build/venv/bin/pip install --no-deps --no-compile --only-binary=:all: --python-version 3.11 --target build/libtorch.part \
        torch=="$libtorch_version" nvidia-cuda-runtime nvidia-cuda-cupti
      touch build/libtorch.part/version-"$libtorch_version"
      mv build/libtorch.part build/libtorch
    fi
  fi
  export TORCH_ROOT
}

# configure ON|OFF: with or without the tests. A build folder that has the tests keeps them.
configure() {
  local tests=$1 cache=build/release/CMakeCache.txt
  if [ -e "$cache" ] && grep -qxF "TORCH_ROOT:PATH=$TORCH_ROOT" "$cache"; then
    grep -qx 'TORCH_TIDY_TESTS:BOOL=ON' "$cache" && return
    [ "$tests" = OFF ] && return
  fi
  step "configuring build/release" cmake -S . -B build/release -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DTORCH_ROOT="$TORCH_ROOT" -DTORCH_TIDY_TESTS="$tests"
}
