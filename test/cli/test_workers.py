"""Files in processes of their own: what is wrong with one costs only itself, and the order is that of the files."""

import json
import os
import pty
import signal
import subprocess
import time

import places
import pytest

here = places.load()
SLOW = "constexpr long f(long n) { long s = 0; for (long i = 0; i < n; ++i) s += i; return s; }\nconstexpr long x = f(%d);\n"
STEPS = "-fconstexpr-steps=2000000000"


def tidy(folder, *arguments, **options):
    return subprocess.run(here.command("--no-cache", *arguments), cwd=folder, capture_output=True, text=True, **{"timeout": 120, **options})


def write(folder, **files):
    for name, text in files.items():
        (folder / f"{name}.cpp").write_text(text)


CRASHES = {
    "crash": ("#pragma clang __debug crash\n", "the analysis crashed ("),
    "fatal": ("#pragma clang __debug llvm_fatal_error\n", "the analysis ended early: "),
}


@pytest.mark.parametrize("name", CRASHES)
def test_a_crash_costs_only_its_file(tmp_path, name):
    text, reason = CRASHES[name]
    write(tmp_path, bad=text, good="int a = lost;\n", other="int b;\n")
    run = tidy(tmp_path, "--format=json", "good.cpp", "bad.cpp", "other.cpp", "--")
    report = json.loads(run.stdout)
    assert run.returncode == 2 and [error["message"] for error in report["errors"]] == ["use of undeclared identifier 'lost'"]
    assert len(report["failures"]) == 1 and report["failures"][0].startswith(f"bad.cpp: {reason}")
    assert f"error: bad.cpp: {reason}" in run.stderr and report["files"] == ["good.cpp", "bad.cpp", "other.cpp"]


def test_what_crashed_is_not_kept(tmp_path):
    write(tmp_path, bad="#pragma clang __debug crash\n")
    for _ in range(2):
        run = subprocess.run([here.tool, f"--cache-dir={tmp_path}/cache", "bad.cpp", "--"], cwd=tmp_path, capture_output=True, text=True)
        assert run.returncode == 2 and "bad.cpp: the analysis crashed" in run.stderr
    assert list((tmp_path / "cache").iterdir()) == []


@pytest.mark.skipif(not here.torch_flags, reason="no LibTorch")
def test_a_crash_is_not_blamed_on_the_file_while_there_is_a_preamble(tmp_path):
    """Here the file crashes Clang without one as well: it is said once."""
    write(tmp_path, bad="#include <torch/version.h>\n#pragma clang __debug crash\n")
    run = tidy(tmp_path, "--stats", "bad.cpp", "--", *here.torch_flags)
    assert run.returncode == 2 and run.stderr.count("the analysis crashed") == 1 and "0 analysed, 1 failed" in run.stderr


def test_a_time_limit(tmp_path):
    write(tmp_path, slow=SLOW % 1_000_000_000, good="int a = lost;\n")
    start = time.monotonic()
    run = tidy(tmp_path, "--timeout=1.5", "slow.cpp", "good.cpp", "--", STEPS)
    assert 1.5 <= time.monotonic() - start < 5
    assert run.returncode == 2 and run.stderr == "error: slow.cpp: it took longer than 1.5 s; --timeout allows more\n"
    assert run.stdout.startswith("good.cpp:1:9: error:")


def test_a_memory_limit(tmp_path):
    big = "template <int...> struct list {};\ntemplate <class T, T... n> using of = list<n...>;\n" + "".join(
        f"using t{i} = __make_integer_seq<of, int, {2_000_000 + i}>; t{i} v{i};\n" for i in range(20))
    write(tmp_path, big=big, good="int a = lost;\n")
    run = tidy(tmp_path, "--max-memory=300", "big.cpp", "good.cpp", "--")
    assert run.returncode == 2 and run.stderr == "error: big.cpp: it needs more than 300 MB of memory; --max-memory allows more\n"
    assert run.stdout.startswith("good.cpp:1:9: error:")


def test_deeply_nested_code(tmp_path):
    depth = 5_000
    write(tmp_path, parentheses="int a = " + "(" * depth + "1" + ")" * depth + ";\n", blocks="void f() {" + "{" * depth + "}" * depth + "}\n",
          sums="int b(int x) { return " + "+".join(["x"] * depth) + "; }\n",
          elses="void g(int x) {" + "".join(f"if (x == {i}) ; else " for i in range(depth)) + ";}\n",
          names="".join("namespace n { " for _ in range(depth)) + "}" * depth, good="int a = lost;\n")
    run = tidy(tmp_path, "--progress=never", ".", "--", "-fbracket-depth=100000")
    assert run.returncode == 2 and "good.cpp:1:9: error: use of undeclared identifier 'lost'" in run.stdout
    for line in run.stderr.rstrip("\n").split("\n"):
        assert not line or line.startswith("error: ") and "the analysis crashed (Segmentation fault)" in line


def meet(folder, jobs):
    """Two files, each waiting for a pipe: whether both wait at the same time."""
    for name in ("a", "b"):
        os.mkfifo(folder / f"{name}.h")
        (folder / f"{name}.cpp").write_text(f'#include "{name}.h"\nint {name} = lost_{name};\n')
    command = here.command("--no-cache", f"-j{jobs}", "a.cpp", "b.cpp", "--")
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    open_, deadline = {}, time.monotonic() + 60
    while not open_ and time.monotonic() < deadline:
        attempt(folder, open_)
    more = time.monotonic() + 2
    while len(open_) < 2 and time.monotonic() < more:
        attempt(folder, open_)
    together = len(open_) == 2
    while process.poll() is None:
        for file in open_.values():
            os.close(file)
        open_.clear()
        attempt(folder, open_)
    return together, process.stdout.read()


def attempt(folder, open_):
    for name in ("b", "a"):
        if name in open_:
            continue
        try:
            open_[name] = os.open(folder / f"{name}.h", os.O_WRONLY | os.O_NONBLOCK)  # fails while nobody reads
        except OSError:
            time.sleep(0.01)


@pytest.mark.parametrize("jobs", [1, 2])
def test_how_many_at_a_time(tmp_path, jobs):
    together, text = meet(tmp_path, jobs)
    assert together == (jobs == 2)
    assert text.index("lost_a") < text.index("lost_b")


def test_the_order_is_that_of_the_files(tmp_path):
    """Whichever is ready first."""
    names = [f"f{i}" for i in range(8)]
    write(tmp_path, **{name: SLOW % (20_000 * (8 - i)) + f"int lost_{i} = lost;\n" for i, name in enumerate(names)})
    runs = {tidy(tmp_path, f"-j{jobs}", "--format=json", *[f"{name}.cpp" for name in names], "--", STEPS).stdout for jobs in (1, 3, 8)}
    assert len(runs) == 1
    assert [error["range"]["file"] for error in json.loads(runs.pop())["errors"]] == [f"{name}.cpp" for name in names]


def test_the_longest_goes_first(tmp_path):
    """By the last run's time: the file that is the longest to read is the quickest to analyse."""
    write(tmp_path, quick="/*" + "x" * 1_000_000 + "*/\nint a;\n", slow=SLOW % 300_000)
    command = [here.tool, f"--cache-dir={tmp_path}/cache", "--progress=always", "-j1"]
    first = lambda *flags: subprocess.run([*command, "quick.cpp", "slow.cpp", "--", STEPS, *flags], cwd=tmp_path, capture_output=True, text=True).stderr
    assert first().startswith("[1/2] quick.cpp")
    for name in ("quick", "slow"):
        with open(tmp_path / f"{name}.cpp", "a") as file:
            file.write("int more;\n")
    assert first().startswith("[1/2] slow.cpp")


def processes_of(group):
    listing = subprocess.run(["ps", "-eo", "pgid=,pid=,stat="], capture_output=True, text=True).stdout
    return [line for line in listing.splitlines() if line.split()[0] == str(group) and not line.split()[2].startswith("Z")]


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption(tmp_path, which):
    write(tmp_path, quick="int a;\n", slow=SLOW % 1_000_000_000, other=SLOW % 1_000_000_000)
    (tmp_path / "report.json").write_text("old")
    options = [f"--cache-dir={tmp_path}/cache", "-j3", "--progress=always", "--format=json", "--output=report.json"]
    command = [here.tool, *options, "quick.cpp", "slow.cpp", "other.cpp", "--", STEPS]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    assert process.stderr.readline().startswith("[1/3] quick.cpp")
    start = time.monotonic()
    os.killpg(process.pid, which) if which == signal.SIGINT else process.send_signal(which)
    out, err = process.communicate(timeout=10)
    assert time.monotonic() - start < 1
    assert (process.returncode, out, err) == (130, "", "interrupted: 1 of 3 files were done; no report is written\n")
    assert processes_of(process.pid) == [] and (tmp_path / "report.json").read_text() == "old"
    assert len(list((tmp_path / "cache").iterdir())) == 1  # of the one that was done
    assert sorted(file.name for file in tmp_path.iterdir()) == ["cache", "other.cpp", "quick.cpp", "report.json", "slow.cpp"]


@pytest.mark.skipif(not here.torch_flags, reason="no LibTorch")
def test_an_interruption_while_headers_are_precompiled(tmp_path):
    write(tmp_path, model="#include <torch/torch.h>\nint a;\n")
    command = [here.tool, f"--cache-dir={tmp_path}/cache", "model.cpp", "--", *here.torch_flags]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True)
    time.sleep(2)
    os.killpg(process.pid, signal.SIGINT)
    assert "interrupted: 0 of 1 files" in process.communicate(timeout=2)[1] and process.returncode == 130
    assert {file.suffix for file in (tmp_path / "cache").iterdir()} <= {".h", ".lock"}


def test_workers_end_with_their_parent(tmp_path):
    write(tmp_path, slow=SLOW % 1_000_000_000)
    process = subprocess.Popen(here.command("--no-cache", "slow.cpp", "--", STEPS), cwd=tmp_path, start_new_session=True)
    deadline = time.monotonic() + 30
    while len(processes_of(process.pid)) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.kill()
    process.wait()
    while processes_of(process.pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert processes_of(process.pid) == []


def on_a_terminal(folder, *arguments):
    """Standard error as a terminal shows it."""
    parent, child = pty.openpty()
    process = subprocess.Popen(here.command("--no-cache", *arguments), cwd=folder, stdout=subprocess.DEVNULL, stderr=child)
    os.close(child)
    text = b""
    while True:
        try:
            text += os.read(parent, 4096)
        except OSError:  # the terminal's other end is closed
            break
    process.wait()
    os.close(parent)
    return text.decode()


def test_progress(tmp_path):
    write(tmp_path, **{f"f{i}": "int a;\n" for i in range(12)})
    text = on_a_terminal(tmp_path, "-j2", ".", "--")
    assert "\r\x1b[K[ 1/12] f" in text and "cpp  eta " in text and text.endswith("[12/12] " + text.split("[12/12] ")[1]) and text.endswith("\r\x1b[K")
    assert on_a_terminal(tmp_path, "--quiet", ".", "--") == on_a_terminal(tmp_path, "--progress=never", ".", "--") == ""
    assert tidy(tmp_path, ".", "--").stderr == ""
    lines = tidy(tmp_path, "--progress=always", ".", "--").stderr.splitlines()
    assert len(lines) == 12 and lines[0].startswith("[ 1/12] f") and lines[11].startswith("[12/12] f") and "\x1b" not in "".join(lines)


def test_progress_in_a_log(tmp_path):
    """A line every five seconds, as long as something is left."""
    write(tmp_path, **{f"f{i}": SLOW % 1_000_000 for i in range(5)})
    lines = tidy(tmp_path, "-j1", ".", "--", STEPS).stderr.splitlines()
    assert all(line.startswith("[") and "/5] f" in line and "  eta " in line for line in lines) and len(lines) < 5


@pytest.mark.parametrize("arguments, message", [
    (["-j0"], "option '-j': '0' is no whole number from 1 on"), (["-j", "two"], "option '-j': 'two' is no whole number from 1 on"),
    (["--timeout=soon"], "option '--timeout': 'soon' is no number of seconds"), (["--timeout=-1"], "option '--timeout': '-1' is no number of seconds"),
    (["--max-memory=0"], "option '--max-memory': '0' is no whole number from 1 on"),
    (["--progress=yes"], "option '--progress': 'yes' is not one of auto, always, never")])
def test_wrong_numbers(tmp_path, arguments, message):
    run = tidy(tmp_path, *arguments, "a.cpp", "--")
    assert (run.returncode, run.stderr) == (2, f"error: {message}\n")
