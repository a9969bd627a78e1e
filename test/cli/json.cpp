// REQUIRES: torch
// The schema that programs rely on. Offsets count bytes; nothing else is on standard output; a report in a file is the same.
// RUN: cd %S && expect 1 torch-tidy --format=json json.cpp -- %torch-flags >%t.json 2>%t.err
// RUN: FileCheck %s --input-file=%t.json
// RUN: cat %t.err | count 0
// RUN: %python -m json.tool %t.json %t.pretty
// RUN: cd %S && expect 1 torch-tidy --format json --output=%t.file.json json.cpp -- %torch-flags | count 0
// RUN: diff %t.json %t.file.json
#include <torch/torch.h>

// `begin` and `end` are where the offsets say.
// RUN: %python -c "import json; d = json.load(open('%t.json'))['findings'][0]; s = open('%s', 'rb').read(); r = d['range']; print(s[r['begin']['offset']:r['end']['offset']].decode())" | FileCheck %s --check-prefix=RANGE --match-full-lines
// RANGE: if ((x.sum() < 0).item<bool>()) x = x + 55
// RUN: %python -c "import json; e = json.load(open('%t.json'))['findings'][0]['fix']['edits'][0]; s = open('%s', 'rb').read(); print(s[e['offset']:e['offset'] + e['length']].decode(), '->', e['text'])" | FileCheck %s --check-prefix=EDIT --match-full-lines
// EDIT: if ((x.sum() < 0).item<bool>()) x = x + 55 -> x = torch::where(x.sum() < 0, x + 55, x)

torch::Tensor forward(torch::Tensor x) {
  /* größer */ if ((x.sum() < 0).item<bool>()) x = x + 55;
  return x;
}

torch::Tensor logarithm(torch::Tensor x, torch::Tensor y) {
  if ((x.min() > 0).item<bool>()) y = x.to(torch::kDouble);
  return y;
}

// NOLINTNEXTLINE
torch::Tensor silenced(torch::Tensor x) { return (x.sum() > 0).item<bool>() ? x : x + 1; }

//      CHECK: {
//      CHECK: "errors": [],
// CHECK-NEXT: "failures": [],
// CHECK-NEXT: "files": [
// CHECK-NEXT:   "json.cpp"
// CHECK-NEXT: ],
// CHECK-NEXT: "findings": [
// CHECK-NEXT: {
// CHECK-NEXT:   "check": "host-branch",
// CHECK-NEXT:   "fix": {
// CHECK-NEXT:     "edits": [
// CHECK-NEXT:       {
// CHECK-NEXT:         "file": "json.cpp",
// CHECK-NEXT:         "length": 42,
// CHECK-NEXT:         "offset": {{[0-9]+}},
// CHECK-NEXT:         "text": "x = torch::where(x.sum() < 0, x + 55, x)"
// CHECK-NEXT:       }
// CHECK-NEXT:     ],
// CHECK-NEXT:     "safe": true,
// CHECK-NEXT:     "shown": "x = torch::where(x.sum() < 0, x + 55, x);"
// CHECK-NEXT:   },
// CHECK-NEXT:   "inputs": {{[0-9]+}},
// CHECK-NEXT:   "message": "branch on a tensor value makes the host wait for the device",
// CHECK-NEXT:   "notes": [
//      CHECK:       "message": "verified: the rewrite gives the same values
//      CHECK:   "proof": "tested",
// CHECK-NEXT:   "range": {
// CHECK-NEXT:     "begin": {
// CHECK-NEXT:       "column": 18,
// CHECK-NEXT:       "line": 18,
// CHECK-NEXT:       "offset": {{[0-9]+}}
// CHECK-NEXT:     },
// CHECK-NEXT:     "end": {
// CHECK-NEXT:       "column": 60,
// CHECK-NEXT:       "line": 18,
// CHECK-NEXT:       "offset": {{[0-9]+}}
// CHECK-NEXT:     },
// CHECK-NEXT:     "file": "json.cpp"
// CHECK-NEXT:   },
// CHECK-NEXT:   "severity": "warning"
//      CHECK:   "counterexample": "at x = 0
//      CHECK:   "proof": "refuted",
//      CHECK: "suppressed": 1,
// CHECK-NEXT: "tool": {
// CHECK-NEXT:   "name": "torch-tidy",
// CHECK-NEXT:   "version": "{{[0-9.]+}}"
// CHECK-NEXT: },
// CHECK-NEXT: "version": 1
