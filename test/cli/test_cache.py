"""Results that are kept: the same bytes as long as nothing changed, a new analysis as soon as something did."""

import os
import resource
import subprocess
import time

import places
import pytest

here = places.load()
needs_torch = pytest.mark.skipif(not here.torch_flags, reason="no LibTorch")

FINDINGS = """#include <torch/torch.h>
#include "own.h"
torch::Tensor f(torch::Tensor x) {
  if ((x.sum() < 0).item<bool>()) x = x + 5;
  return x;
}
torch::Tensor g(torch::Tensor x) {
  torch::Tensor y = x;
  if (x.min().item<float>() > 0) y = -x * torch::log(x);
  if (x.max().item<float>() > 0) y = x / 2;  // NOLINT
  return y.view({16, -1});
}
"""


def powerless():
    """Root may write everywhere; without this capability it may not."""
    return ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override"] if os.geteuid() == 0 else []


class Folder:
    """A folder with sources and a cache of its own."""

    def __init__(self, path, cache=None):
        self.path, self.cache = path, cache or path / "cache"

    def write(self, name, text, age=10):
        """A file as it is after a while: its time is no longer that of the run that reads it."""
        file = self.path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        then = time.time() - age
        os.utime(file, (then, then))

    def run(self, *arguments, prefix=(), **options):
        command = [*prefix, here.tool, f"--cache-dir={self.cache}", "--stats", *arguments]
        return subprocess.run(command, cwd=self.path, capture_output=True, text=True, **options)

    def replayed(self, *arguments, **options):
        """How many files came from the cache."""
        run = self.run(*arguments, **options)
        return int(run.stderr.split(" replayed,")[0].split("\n")[-1])

    def entries(self):
        return sorted(self.cache.glob("result-*"))


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path)


@pytest.fixture
def two(folder):
    folder.write("a.cpp", '#include "a.h"\nint a = one;\n')
    folder.write("a.h", "constexpr int one = 1;\n")
    folder.write("b.cpp", "int b = lost;\n")
    return folder


def tail(run):
    """What --stats does not write."""
    return run.returncode, run.stdout, [line for line in run.stderr.split("\n") if line.startswith(("error:", "warning:", "note:"))]


@needs_torch
@pytest.mark.parametrize("format", ["text", "json", "sarif"])
def test_a_replay_is_the_same(tmp_path, format):
    folder = Folder(tmp_path, here.cache)  # where the preamble is
    folder.write("own.h", "int limit();\n")
    folder.write("model.cpp", FINDINGS)
    arguments = ["--format=" + format, "model.cpp", "--", *here.torch_flags]
    fresh, first, second = folder.run("--no-cache", *arguments), folder.run(*arguments), folder.run(*arguments)
    assert "0 replayed, 1 analysed" in first.stderr and "1 replayed, 0 analysed" in second.stderr
    assert tail(fresh) == tail(first) == tail(second)
    assert "torch::where" in first.stdout and first.returncode == 1


@needs_torch
def test_a_replayed_fix_is_applied(tmp_path):
    folder = Folder(tmp_path, here.cache)
    folder.write("own.h", "int limit();\n")
    folder.write("model.cpp", FINDINGS)
    folder.run("model.cpp", "--", *here.torch_flags)
    assert folder.replayed("--fix", "model.cpp", "--", *here.torch_flags) == 1
    assert "x = torch::where(x.sum() < 0, x + 5, x);" in (tmp_path / "model.cpp").read_text()
    assert folder.replayed("model.cpp", "--", *here.torch_flags) == 0


def test_errors_are_replayed_too(two):
    first, second = two.run("a.cpp", "b.cpp", "--"), two.run("a.cpp", "b.cpp", "--")
    assert "2 replayed" in second.stderr and tail(first) == tail(second)
    assert "b.cpp:1:9: error: use of undeclared identifier 'lost'" in second.stdout and second.returncode == 2


def test_only_those_that_read_a_header_are_analysed_again(two):
    two.run("a.cpp", "b.cpp", "--")
    two.write("a.h", "constexpr int one = 2;\n")
    assert two.replayed("a.cpp", "b.cpp", "--") == 1
    assert two.replayed("a.cpp", "b.cpp", "--") == 2
    (two.path / "a.h").unlink()
    run = two.run("a.cpp", "b.cpp", "--")
    assert "1 replayed, 1 analysed" in run.stderr and "a.cpp:1:10: error: 'a.h' file not found" in run.stdout


@pytest.mark.parametrize("change", [["--checks=host-branch"], ["--no-verify"], ["--extra-arg=-DX=1"], ["--extra-arg=-std=c++17"]], ids=lambda change: change[0])
def test_another_question_is_another_entry(two, change):
    two.run("a.cpp", "--")
    assert two.replayed(*change, "a.cpp", "--") == 0
    assert two.replayed(*change, "a.cpp", "--") == two.replayed("a.cpp", "--") == 1


@pytest.mark.parametrize("same", [["--format=json"], ["--quiet"], ["--fail-on=none"], ["-j1"]], ids=lambda same: same[0])
def test_what_concerns_the_report_alone_is_no_other_question(two, same):
    two.run("a.cpp", "--")
    assert two.replayed(*same, "a.cpp", "--") == 1


def test_the_environment_belongs_to_the_command(two):
    two.run("a.cpp", "--")
    assert two.replayed("a.cpp", "--", env={**os.environ, "CPLUS_INCLUDE_PATH": str(two.path)}) == 0


def test_a_new_time_is_no_new_content(two):
    two.run("a.cpp", "--")
    (two.path / "a.cpp").touch()
    assert two.replayed("a.cpp", "--") == 1


def test_a_change_within_one_tick_is_seen(two):
    """The file is as long as before, and has the time it had; it was young when it was read."""
    two.write("a.cpp", "int a = one;\n", age=0)
    time = os.stat(two.path / "a.cpp").st_mtime_ns
    assert two.run("a.cpp", "--").returncode == 2
    with open(two.path / "a.cpp", "r+") as file:
        file.write("int a = 111;")
    os.utime(two.path / "a.cpp", ns=(time, time))
    assert two.run("a.cpp", "--").returncode == 0


def test_a_header_that_comes_to_stand_before_another(folder):
    folder.write("late/x.h", "int x;\n")
    folder.write("a.cpp", '#include "x.h"\nint y = x;\n')
    (folder.path / "early").mkdir()
    flags = ["--", "-Iearly", "-Ilate"]
    assert folder.replayed("a.cpp", *flags) == 0 and folder.replayed("a.cpp", *flags) == 1
    folder.write("early/x.h", "#error early\n")
    run = folder.run("a.cpp", *flags)
    assert "0 replayed" in run.stderr and "early/x.h:1:2: error: early" in run.stdout


def test_a_header_that_was_asked_for(folder):
    folder.write("a.cpp", '#if __has_include("maybe.h")\n#error it is here\n#endif\n')
    assert folder.run("a.cpp", "--").returncode == 0
    folder.write("maybe.h", "")
    assert folder.run("a.cpp", "--").returncode == 2


def test_what_a_pipe_said_is_not_kept(folder):
    os.mkfifo(folder.path / "pipe.h")
    folder.write("a.cpp", '#include "pipe.h"\nint a = b;\n')
    for text, code in (("int b;\n", 0), ("int c;\n", 2)):
        writer = subprocess.Popen(["sh", "-c", 'printf %s "$0" > pipe.h', text], cwd=folder.path)
        assert folder.run("a.cpp", "--", timeout=60).returncode == code
        writer.wait(60)
    assert folder.entries() == []


@pytest.mark.parametrize("damage", [lambda old: b"", lambda old: old[:-5], lambda old: old[:100] + bytes([old[100] ^ 1]) + old[101:], lambda old: old + b"x"],
                         ids=["empty", "cut", "flipped", "longer"])
def test_a_damaged_entry_is_written_anew(two, damage):
    first = two.run("a.cpp", "b.cpp", "--")
    for entry in two.entries():
        entry.write_bytes(damage(entry.read_bytes()))
    second, third = two.run("a.cpp", "b.cpp", "--"), two.run("a.cpp", "b.cpp", "--")
    assert "0 replayed, 2 analysed" in second.stderr and "2 replayed" in third.stderr
    assert tail(first) == tail(second) == tail(third)


def test_an_entry_that_others_may_write_is_not_believed(two):
    two.run("a.cpp", "--")
    two.entries()[0].chmod(0o666)
    assert two.replayed("a.cpp", "--") == 0
    if os.geteuid() == 0:
        os.chown(two.entries()[0], 1, 1)
        assert two.replayed("a.cpp", "--") == 0


def test_runs_at_the_same_time(two):
    command = [here.tool, f"--cache-dir={two.cache}", "a.cpp", "b.cpp", "--"]
    runs = [subprocess.Popen(command, cwd=two.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(8)]
    answers = {(*run.communicate(timeout=60), run.returncode) for run in runs}
    assert len(answers) == 1
    assert two.replayed("a.cpp", "b.cpp", "--") == 2 and not list(two.cache.glob("part-*"))


def test_the_folder_is_closed_to_others(two):
    two.run("a.cpp", "--")
    assert two.cache.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o077 for file in two.entries()} == {0}


def warnings(run):
    return [line for line in run.stderr.split("\n") if line.startswith("warning:")]


def test_a_folder_that_may_not_be_written(two):
    two.run("a.cpp", "--")
    two.cache.chmod(0o500)
    for name in ("a.cpp", "b.cpp"):  # what is there is of use all the same
        run = two.run(name, "--", prefix=powerless())
        assert ("1 replayed" in run.stderr, len(warnings(run)), run.returncode) == ((True, 0, 0) if name == "a.cpp" else (False, 1, 2))
    two.cache.chmod(0o700)
    assert warnings(run) == [f"warning: nothing is kept in {two.cache}: Permission denied"]


def test_a_folder_that_cannot_be_made(two):
    two.cache.write_text("")
    run = two.run("a.cpp", "b.cpp", "--")
    assert warnings(run) == [f"warning: nothing is kept in {two.cache}: it is no folder"] and run.returncode == 2


def test_a_folder_that_others_may_write(two):
    two.cache.mkdir()
    two.cache.chmod(0o777)
    run = two.run("a.cpp", "b.cpp", "--")
    assert len(warnings(run)) == 1 and "others may write there" in warnings(run)[0] and not list(two.cache.iterdir())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user(two):
    two.cache.mkdir()
    os.chown(two.cache, 1, 1)
    run = two.run("a.cpp", "--")
    assert len(warnings(run)) == 1 and "it belongs to another user" in warnings(run)[0] and not list(two.cache.iterdir())


def test_a_full_disk(two):
    full = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    run = two.run("a.cpp", "b.cpp", "--", preexec_fn=full)
    assert warnings(run) == [f"warning: nothing is kept in {two.cache}: File too large"] and run.returncode == 2
    assert "b.cpp:1:9: error:" in run.stdout and list(two.cache.iterdir()) == []


@needs_torch
def test_a_preamble_without_a_cache(tmp_path):
    """It is built beside, for the run, and leaves nothing."""
    folder = Folder(tmp_path)
    folder.cache.write_text("")
    folder.write("own.h", "int limit();\n")
    folder.write("model.cpp", FINDINGS)
    (tmp_path / "tmp").mkdir()
    run = folder.run("model.cpp", "--", *here.torch_flags, env={**os.environ, "TMPDIR": str(tmp_path / "tmp")})
    assert "preamble used" in run.stderr and len(warnings(run)) == 1 and "torch::where" in run.stdout
    assert list((tmp_path / "tmp").iterdir()) == []


def test_without_a_cache(two):
    assert two.replayed("--no-cache", "a.cpp", "--") == two.replayed("--no-cache", "a.cpp", "--") == 0
    assert two.entries() == []
    two.run("a.cpp", "--")
    assert two.replayed("--no-cache", "a.cpp", "--") == 0


def test_the_oldest_goes_first(folder):
    entries = {}
    for name in ("old", "older", "oldest"):
        folder.write(name + ".cpp", "int a;\n")
        before = set(folder.entries())
        folder.run(name + ".cpp", "--")
        (entries[name],) = set(folder.entries()) - before
        with open(entries[name], "ab") as file:  # it is too long now, and of no use; here only its size counts
            file.truncate(300_000)
    for hours, name in enumerate(("oldest", "older", "old")):
        os.utime(entries[name], (0, time.time() - 3600 * (3 - hours)))
    folder.write("new.cpp", "int a;\n")
    folder.write("cache/result-padding", "x" * 300_000, age=60)
    folder.run("--cache-size=1", "new.cpp", "--")
    assert {name for name, entry in entries.items() if entry.exists()} == {"old", "older"}
    assert folder.replayed("new.cpp", "--") == 1


def test_an_entry_in_use_is_young(two):
    two.run("a.cpp", "--")
    os.utime(two.entries()[0], (0, 0))
    two.run("a.cpp", "--")
    assert two.entries()[0].stat().st_mtime > time.time() - 60


def test_cache_command(two):
    cache = lambda *words: subprocess.run([here.tool, "cache", *words, f"--cache-dir={two.cache}"], capture_output=True, text=True)
    two.run("a.cpp", "b.cpp", "--")
    (two.cache / "notes.txt").write_text("not ours")
    assert cache("path").stdout == f"{two.cache}\n"
    assert int(cache("size").stdout) == sum(entry.stat().st_size for entry in two.entries())
    assert f"folder     {two.cache}\n" in cache().stdout and "\nresults    2, 0.0 MB\npreambles  0, 0.0 MB\n" in cache().stdout
    assert cache("clear").returncode == 0
    assert [file.name for file in two.cache.iterdir()] == ["notes.txt"]
    wrong = cache("clera")
    assert (wrong.returncode, wrong.stderr) == (2, "error: 'cache clera' is none of path, size and clear\n")


def test_xdg(two):
    environment = {**os.environ, "XDG_CACHE_HOME": str(two.path / "xdg")}
    assert subprocess.run([here.tool, "cache", "path"], env=environment, capture_output=True, text=True).stdout == f"{two.path}/xdg/torch-tidy\n"
    subprocess.run([here.tool, "a.cpp", "--"], cwd=two.path, env=environment)
    assert len(list((two.path / "xdg/torch-tidy").glob("result-*"))) == 1
