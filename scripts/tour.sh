# What try.sh does with docs/tour: lint it, fix a copy, run both against LibTorch. Sourced, after setup.sh.

tidy=build/release/bin/torch-tidy

configure_tour() {
  if [ ! -e build/tour/compile_commands.json ] || [ docs/tour/CMakeLists.txt -nt build/tour/compile_commands.json ] ||
    ! grep -qxF "TORCH_ROOT:PATH=$TORCH_ROOT" build/tour/CMakeCache.txt; then
    step "configuring docs/tour" cmake -S docs/tour -B build/tour -G Ninja -DTORCH_ROOT="$TORCH_ROOT"
  fi
  mkdir -p build/try
}

# tidy OUTPUT ARGUMENTS...: exit code 1 says that something was found; more is an error.
run_tidy() {
  local output=$1 code=0
  shift
  "$tidy" --cache-dir=build/release/cache --color=never "$@" >"$output" || code=$?
  [ "$code" -le 1 ] || { cat "$output"; fail "torch-tidy stopped with exit code $code"; }
}

lint_tour() {
  run_tidy build/try/findings.txt -p build/tour docs/tour
  [ -s build/try/findings.txt ] || fail "torch-tidy found nothing in docs/tour"
}

# show_finding TITLE PATTERN: the first finding with such a note, with its source and rewrite.
show_finding() {
  printf '\n%s\n\n' "$1"
  awk -v pattern="$2" '
    / (warning|error): / { if (hit) exit; block = "" }
    /^[0-9]+ warnings?/ { if (hit) exit }
    { block = block $0 "\n"; if ($0 ~ pattern) hit = 1 }
    END { if (hit) printf "%s", block; else exit 1 }' build/try/findings.txt || fail "no finding says '$2'"
}

# update FROM TO: copies what differs, so that unchanged files are not compiled again.
update() {
  local file
  mkdir -p "$2"
  for file in "$1"/*; do
    cmp -s "$file" "$2/${file##*/}" || cp "$file" "$2"
  done
}

fix_copy() {
  rm -rf build/try/copy
  mkdir build/try/copy
  cp docs/tour/* build/try/copy
  run_tidy build/try/fix.txt --fix build/try/copy/*.cpp -- -std=c++20 \
    -isystem "$TORCH_ROOT/include" -isystem "$TORCH_ROOT/include/torch/csrc/api/include"
  update build/try/copy build/try/fixed
  rm -rf build/try/copy
  { diff -U0 -r docs/tour build/try/fixed || true; } | grep '^[-+] ' || fail "--fix changed nothing"
  echo
}

# One translation unit each: LibTorch's headers cost more than the tour itself.
compile() {
  cmake -S "$1" -B "$2" -G Ninja -DTORCH_ROOT="$TORCH_ROOT" -DCMAKE_UNITY_BUILD=ON -DCMAKE_BUILD_TYPE= && cmake --build "$2"
}

compile_both() {
  local first
  compile docs/tour build/try/build-before &
  first=$!
  compile build/try/fixed build/try/build-fixed && wait "$first"
}

compare_runs() {
  build/try/build-before/tour >build/try/before.txt || fail "the tour as written does not run"
  build/try/build-fixed/tour >build/try/after.txt || fail "the fixed tour does not run"
  printf '%-22s %s\n' "as written" "$(host_reads build/try/before.txt)" "with --fix" "$(host_reads build/try/after.txt)"
  echo
  if diff <(grep -v 'host reads' build/try/before.txt) <(grep -v 'host reads' build/try/after.txt); then
    grep -v 'host reads' build/try/after.txt
    echo "the outputs agree, digit for digit"
  else
    fail "the outputs of the two versions differ"
  fi
}

host_reads() {
  awk '/host reads/ { line = line (line ? ", " : "") $3 } END { print line " host reads in each step" }' "$1"
}
