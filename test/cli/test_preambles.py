"""The shared preamble: which one a file stands on, when it is built, and that it changes nothing.

What it does to real code is told by LibTorch's own headers; how it is chosen and kept, by small ones that bear LibTorch's names.
"""

import json
import os
import subprocess
import time

from bench.engine import project
import places
import pytest

here = places.load()
needs_torch = pytest.mark.skipif(not here.torch_flags, reason="no LibTorch")
STAND_IN = """#pragma once
#ifdef FLAG
inline int flagged() { return FLAG; }
#endif
namespace at { struct Tensor { int value() const { return 1; } }; }
"""


class Folder:
    def __init__(self, path, cache):
        self.path, self.cache = path, cache
        path.mkdir(exist_ok=True)
        self.write("lib/torch/torch.h", STAND_IN)

    def write(self, name, text, age=10):
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        then = time.time() - age
        os.utime(file, (then, then))

    def command(self, *arguments):
        return [here.tool, f"--cache-dir={self.cache}", "--no-cache", "--stats", *arguments]

    def run(self, *arguments, flags=()):
        run = subprocess.run(self.command(*arguments, "--", f"-isystem{self.path}/lib", *flags), cwd=self.path, capture_output=True, text=True)
        return run.stderr + run.stdout

    def preambles(self):
        return len(list(self.cache.glob("*.pch")))


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path / "project", tmp_path / "cache")


def test_it_is_built_once_and_used(folder):
    folder.write("a.cpp", "#include <torch/torch.h>\nint a = at::Tensor().value();\n")
    folder.write("b.cpp", "#include <vector>\n#include <torch/torch.h>\nint b;\n")
    first, second = folder.run("a.cpp"), folder.run("a.cpp", "b.cpp")
    assert "1 preamble built" in first and "built" not in second
    assert second.count("preamble used") == 2 and folder.preambles() == 1


def test_a_generous_umask(folder):
    """What is written is closed to others all the same, and so it is used."""
    folder.write("a.cpp", "#include <torch/torch.h>\nint a;\n")
    before = os.umask(0)
    texts = folder.run("a.cpp"), folder.run("a.cpp")
    os.umask(before)
    assert "preamble used" in texts[0] and "preamble used" in texts[1] and "built" not in texts[1]
    assert {file.stat().st_mode & 0o077 for file in folder.cache.iterdir()} == {0}


def test_projects_share_it(folder, tmp_path):
    folder.write("a.cpp", "#include <torch/torch.h>\nint a;\n")
    folder.run("a.cpp")
    other = tmp_path / "elsewhere"
    other.mkdir()
    (other / "b.cpp").write_text("#include <torch/torch.h>\nint b;\n")
    run = subprocess.run(folder.command("b.cpp", "--", f"-isystem{folder.path}/lib"), cwd=other, capture_output=True, text=True)
    assert "preamble used" in run.stderr and "built" not in run.stderr and folder.preambles() == 1


@pytest.mark.parametrize("flags", [["-DX=1"], ["-std=c++17"], ["-mavx2"], ["-include", "other.h"], ["-UX"]], ids=lambda flags: flags[0])
def test_other_flags_are_another_one(folder, flags):
    folder.write("a.cpp", "#include <torch/torch.h>\nint a;\n")
    folder.write("other.h", "int other;\n")
    folder.run("a.cpp")
    assert "1 preamble built" in folder.run("a.cpp", flags=flags) and folder.preambles() == 2


@pytest.mark.parametrize("text", ["#define FLAG 7\n#include <torch/torch.h>\n", '#include "own.h"\n',
                                  "#define VALUE \\\n 7\n#define FLAG VALUE\n#include <torch/torch.h>\n"],
                         ids=["before", "in a header", "in two lines"])
def test_a_macro_before_the_include_is_part_of_it(folder, text):
    folder.write("own.h", "#ifndef OWN_H\n#define OWN_H\n#define FLAG 7\n#include <torch/torch.h>\ninline int own() { return flagged(); }\n#endif\n")
    folder.write("plain.cpp", "#include <torch/torch.h>\nint plain;\n")
    folder.write("a.cpp", text + "int a = flagged() + FLAG;\n")
    folder.run("plain.cpp")
    text = folder.run("a.cpp")
    assert "1 preamble built" in text and "preamble used" in text and "error" not in text and folder.preambles() == 2


@pytest.mark.parametrize("text, reason", [
    ("#ifdef A\n#define FLAG 1\n#endif\n#include <torch/torch.h>\n", "'FLAG' is defined under a condition before <torch/torch.h>"),
    ("#ifdef FLAG\n#endif\n#define FLAG 1\n#include <torch/torch.h>\n", "'FLAG' is asked for before it is defined, before <torch/torch.h>"),
    ("int a;\n", "no LibTorch header is included")], ids=["condition", "asked", "none"])
def test_why_there_is_none(folder, text, reason):
    folder.write("a.cpp", text)
    text = folder.run("a.cpp")
    assert f"a.cpp: preamble {reason}, " in text and f"\n1 without a preamble: {reason}\n" in text and folder.preambles() == 0


def test_a_wrong_guess_is_not_blamed_on_the_file(folder):
    folder.write("a.cpp", "#if 0\n#include <torch/torch.h>\n#endif\nnamespace at { struct Tensor {}; }\n")
    text = folder.run("a.cpp")
    assert "error:" not in text and "\n1 without a preamble: not used: redefinition of 'Tensor'\n" in text


def test_headers_that_do_not_compile(folder):
    folder.write("lib/torch/torch.h", "#error broken\n")
    folder.write("a.cpp", "#include <torch/torch.h>\nint a;\n")
    text = folder.run("a.cpp")
    assert "1 without a preamble: the headers do not compile alone: broken" in text and text.count("error: broken") == 1


@pytest.mark.parametrize("files", [3, 4])
def test_what_many_files_begin_with_is_learned(folder, files):
    folder.write("lib/vision/all.h", "#pragma once\ninline int vision() { return 2; }\n")
    folder.write("include/own.h", "#pragma once\n#include <string>\n#include <vision/all.h>\n")
    names = [f"f{i}.cpp" for i in range(files)]
    for name in names:
        folder.write(name, '#include "own.h"\n#include <torch/torch.h>\nint x = vision();\n')
    text = folder.run(*names, flags=["-Iinclude"])
    assert text.count("preamble used") == files and folder.preambles() == 1
    (source,) = folder.cache.glob("*.h")
    assert source.read_text() == "#include <vision/all.h>\n#include <torch/torch.h>\n"
    folder.write("g.cpp", "#include <vision/all.h>\nint y = vision();\n")
    for i in range(files):
        folder.write(f"g{i}.cpp", "#include <vision/all.h>\nint y = vision();\n")
    text = folder.run(*[f"g{i}.cpp" for i in range(files)])
    assert ("preamble used" in text) == (files == 4)


def test_eight_at_once_build_one(folder):
    folder.write("lib/torch/torch.h", STAND_IN + "constexpr long f(long n) { long s = 0; for (long i = 0; i < n; ++i) s += i; return s; }\n"
                 "constexpr long x = f(50000);\n")
    folder.write("a.cpp", "#include <torch/torch.h>\nint a;\n")
    runs = [subprocess.Popen(folder.command("a.cpp", "--", f"-isystem{folder.path}/lib"), cwd=folder.path, stderr=subprocess.PIPE, text=True) for _ in range(8)]
    texts = [run.communicate(timeout=60)[1] for run in runs]
    assert sum("1 preamble built" in text for text in texts) == 1 and all("preamble used" in text for text in texts)
    assert folder.preambles() == 1 and not list(folder.cache.glob("part-*"))


@pytest.mark.parametrize("suffix", [".pch", ".files", ".h"])
@pytest.mark.parametrize("damage", [lambda old: b"", lambda old: old[: len(old) // 2], lambda old: old[:-20] + bytes(20)], ids=["empty", "cut", "zeros"])
def test_a_damaged_one_is_built_again(folder, suffix, damage):
    folder.write("a.cpp", "#include <torch/torch.h>\nint a = at::Tensor().value();\n")
    folder.run("a.cpp")
    (file,) = folder.cache.glob("*" + suffix)
    file.write_bytes(damage(file.read_bytes()))
    text = folder.run("a.cpp")
    assert "error" not in text and ("preamble used" in text or "preamble built" in text)
    text = folder.run("a.cpp")
    assert "preamble used" in text and "built" not in text


def test_a_header_that_changes(folder):
    folder.write("a.cpp", "#include <torch/torch.h>\nint a = at::Tensor().more();\n")
    assert "no member named 'more'" in folder.run("a.cpp")
    folder.write("lib/torch/torch.h", STAND_IN.replace("value", "more"))
    text = folder.run("a.cpp")
    assert "error" not in text and "1 preamble built" in text
    os.utime(folder.path / "lib/torch/torch.h")  # what Clang has loaded is not this file any more
    text = folder.run("a.cpp")
    assert "error" not in text and "preamble used" in text


def findings(command, *arguments):
    run = subprocess.run([*command, "--no-cache", "--no-verify", "--format=json", *arguments], capture_output=True, text=True)
    report = json.loads(run.stdout)
    assert report["errors"] == report["failures"] == [], run.stderr
    return sorted(report["findings"], key=lambda finding: json.dumps(finding["range"]))


@needs_torch
@pytest.mark.parametrize("which", ["tour", "generated"])
def test_both_ways_find_the_same(tmp_path, which):
    """File by file on the preamble, and in one translation unit without one: LibTorch's headers are parsed once then."""
    if which == "generated":
        sources = project.generate(str(tmp_path / "project"), here.torch_flags, files=12)
    else:
        tour = os.path.join(here.root, "docs/tour")
        sources = sorted(os.path.join(tour, name) for name in os.listdir(tour) if name.endswith(".cpp"))
    flags = ["--", *here.torch_flags, f"-I{tmp_path}/project/include"]
    one = tmp_path / "one.cpp"
    one.write_text("".join(f'#include "{source}"\n' for source in sources))
    apart, together = findings(here.command(), *sources, *flags), findings(here.command("--no-preamble"), str(one), *flags)
    assert apart == together and len(apart) >= 10
