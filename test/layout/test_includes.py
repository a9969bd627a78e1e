"""Includes go one way. The tables below are the design: a file that is in no layer, or includes past its layer, fails."""

import os
import re

import places

ROOT = places.load().root

# Folder -> folders of the project that it may include.
FOLDERS = {
    "runtime": {"runtime"},
    "analyzer": {"runtime", "analyzer"},
    "checks": {"runtime", "analyzer"},
}

# The runtime's layers, lowest first: a file may include its own layer and those before it.
LAYERS = [
    ("tables", r"(ops|dtypes)\.def|device\.h"),
    ("op", r"(op|formula|special|half)\.h|op\.cpp|(parallel|pool)\.(h|cpp)"),
    ("rules", r"rules\.(h|cpp)|backend\.h"),
    ("tensor", r"(tensor|ops|body|launch|stream|cuda-error|cuda-check|cuda-blas)\.h"),
    ("engines", r"(tensor|call|elementwise|numbers|kernels|composite|gradients|cpu|no-cuda|stream)\.cpp|cuda(-.*)?\.(cpp|cu|h)|(loops|device-rows|device-kernels)\.h|gradients-.*|autograd\.(h|cpp)|kernels/.*"),
    ("training", r"(random|optim|indexing)\.(h|cpp)|(normal|multinomial|dropout)\.cpp"),
    ("program", r"(program|program-text|program-cpp|host|ops-page)\.(h|cpp)"),
    ("verify", r"verify/.*"),
]

# Files -> libraries whose headers they may not include.
FOREIGN = {"clang": r"clang/", "llvm": r"llvm/", "torch": r"(torch|ATen|c10)/", "json": r"nlohmann/"}
BARRED = [
    (r"runtime/.*", {"clang", "llvm", "torch", "json"}),
    (r"(analyzer|checks)/.*", {"torch"}),
    (r"checks/.*", {"json"}),
    (r"analyzer/report/.*", {"clang"}),
    (r"analyzer/lsp/.*", {"clang"}),
    (r"analyzer/diagnostic\.h", {"clang", "llvm", "json"}),
    (r"analyzer/rewrite/edits\.(h|cpp)", {"clang"}),
]


def files(folder):
    for base, _, names in os.walk(os.path.join(ROOT, folder)):
        for name in names:
            if name.endswith((".h", ".cpp", ".cu", ".def")):
                yield os.path.relpath(os.path.join(base, name), ROOT)


def includes(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', file.read(), re.M)


def layer_of(path):
    if not path.startswith("runtime/"):
        return None
    inside = path.removeprefix("runtime/")
    return next((number for number, (_, pattern) in enumerate(LAYERS) if re.fullmatch(pattern, inside)), None)


ALL = sorted(file for folder in FOLDERS for file in files(folder))


def test_folders():
    wrong = [
        (path, name)
        for path in ALL
        for name in includes(path)
        if name.split("/")[0] in {*FOLDERS, "test", "docs", "scripts"} - FOLDERS[path.split("/")[0]]
    ]
    assert wrong == []


def test_every_runtime_file_has_a_layer():
    assert [path for path in ALL if path.startswith("runtime/") and layer_of(path) is None] == []


def test_runtime_layers():
    wrong = [
        (path, name)
        for path in ALL
        if layer_of(path) is not None
        for name in includes(path)
        if name.startswith("runtime/") and (layer_of(name) or 0) > layer_of(path)
    ]
    assert wrong == []


def test_foreign_headers():
    wrong = []
    for path in ALL:
        barred = {library for pattern, libraries in BARRED if re.fullmatch(pattern, path) for library in libraries}
        wrong += [(path, name) for name in includes(path) if any(re.match(FOREIGN[library], name) for library in barred)]
    assert wrong == []


def test_includes_are_spelled_from_the_root():
    assert [(path, name) for path in ALL for name in includes(path) if name.startswith(".")] == []
