"""Includes go one way. The tables below are the design: a file that is in no layer, or includes past its layer, fails."""

import os
import re

import pytest

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
    ("tables", r"(ops|dtypes)\.def"),
    ("op", r"(op|formula)\.h|op\.cpp"),
    ("rules", r"rules\.(h|cpp)"),
    ("tensor", r"(tensor|host)\.(h|cpp)"),
    ("kernels", r"(cpu|autograd|no-cuda)\.(h|cpp)|cuda\.cu|kernels/.*"),
    ("program", r"program(-text)?\.(h|cpp)"),
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
    inside = path.removeprefix("runtime/")
    return next((number for number, (_, pattern) in enumerate(LAYERS) if re.fullmatch(pattern, inside)), None)


ALL = sorted(file for folder in FOLDERS for file in files(folder))


@pytest.mark.parametrize("path", ALL)
def test_folders(path):
    allowed = FOLDERS[path.split("/")[0]]
    own = [name for name in includes(path) if name.split("/")[0] in {*FOLDERS, "test", "docs", "scripts"}]
    assert [name for name in own if name.split("/")[0] not in allowed] == []


@pytest.mark.parametrize("path", [path for path in ALL if path.startswith("runtime/")])
def test_runtime_layers(path):
    layer = layer_of(path)
    assert layer is not None, f"{path} is in no layer: give it a place in LAYERS"
    higher = [name for name in includes(path) if name.startswith("runtime/") and (layer_of(name) or 0) > layer]
    assert higher == [], f"{path} is of layer '{LAYERS[layer][0]}'"


@pytest.mark.parametrize("path", ALL)
def test_foreign_headers(path):
    barred = {library for pattern, libraries in BARRED if re.fullmatch(pattern, path) for library in libraries}
    assert [name for name in includes(path) if any(re.match(FOREIGN[library], name) for library in barred)] == []


def test_includes_are_spelled_from_the_root():
    relative = [(path, name) for path in ALL for name in includes(path) if name.startswith(".")]
    assert relative == []
