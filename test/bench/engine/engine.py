"""Measures the engine on a generated project and prints a table and, with --json, the figures. It judges nothing.

Usage: bench/engine/engine.py --build DIR [--files N] [-j N] [--runs N] [--clang-tidy PROGRAM] [--json FILE]

Every ratio is of two times taken in one run on one machine, one after the other. clang-tidy and clang++ are asked about one
file (the median one by length); a whole project is taken for as many of those, divided by the jobs.
"""

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(os.path.dirname(HERE)), HERE]
import places
import project


def seconds(command, folder, expect=(0, 1)):
    start = time.monotonic()
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    passed = time.monotonic() - start
    if run.returncode not in expect:
        sys.exit(f"{' '.join(command)}: exit {run.returncode}\n{run.stderr}")
    return passed, run


class Bench:
    def __init__(self, options):
        self.options, self.here = options, places.load(os.path.join(options.build, "test/paths.json"))
        if not self.here.torch_flags:
            sys.exit("no LibTorch: the build has no TORCH_ROOT")
        self.work = tempfile.mkdtemp(prefix="torch-tidy-bench-")
        self.folder, self.cache = self.work + "/project", self.work + "/cache"
        self.sources = project.generate(self.folder, self.here.torch_flags, options.files)
        self.rows = []

    def tidy(self, *arguments):
        return [self.here.tool, f"--cache-dir={self.cache}", f"-j{self.options.jobs}", "--quiet", "--stats", *arguments]

    def best(self, command, before=lambda: None):
        """The quickest of the runs: what disturbs only adds."""
        times = []
        for _ in range(self.options.runs):
            before()
            times.append(seconds(command, self.folder)[0])
        return min(times)

    def row(self, work, measured, reference=None, wanted=None, note=""):
        self.rows.append({"work": work, "seconds": round(measured, 3), "reference": reference and round(reference, 3),
                          "ratio": reference and round(measured / reference, 4), "wanted": wanted, "note": note})
        ratio = f"{measured / reference:8.3f}" if reference else " " * 8
        faster = f"{reference / measured:7.1f}x" if reference else " " * 8
        print(f"{work:46} {measured:8.3f} s {ratio} {faster}  {wanted or '':26} {note}", flush=True)

    def forget_results(self):
        for name in os.listdir(self.cache):
            if name.startswith("result-"):
                os.unlink(f"{self.cache}/{name}")

    def run(self):
        length = lambda source: os.path.getsize(source)
        middle = sorted(self.sources, key=length)[len(self.sources) // 2]
        flags = [*self.here.torch_flags, f"-I{self.folder}/include"]
        print(f"{'work':46} {'time':>10} {'ratio':>8} {'faster':>8}  {'wanted':26} compared with")

        syntax = self.best([self.options.clang, "-fsyntax-only", "-w", *flags, middle])
        self.row("clang++ -fsyntax-only, one file", syntax)
        clang_tidy, per_file = self.options.clang_tidy and shutil.which(self.options.clang_tidy), None
        if clang_tidy:
            per_file = seconds([clang_tidy, "--checks=-*,modernize-use-override", "--quiet", middle, "--", *flags], self.folder)[0]
            version = subprocess.run([clang_tidy, "--version"], capture_output=True, text=True).stdout.split("\n")[0].strip()
            self.row("clang-tidy with one cheap check, one file", per_file, note=version)
        else:
            print("(clang-tidy is not installed: clang++ stands in for it, which is kinder to it)")
        other, other_name = (per_file, "clang-tidy") if per_file else (syntax, "clang++")

        empty = lambda: shutil.rmtree(self.cache, ignore_errors=True)
        self.row("one cold file", self.best(self.tidy(middle), empty), syntax, "at most 0.6", "clang++")
        empty()
        cold, run = seconds(self.tidy("src"), self.folder)
        all_files = other * len(self.sources) / min(self.options.jobs, len(self.sources))
        self.row(f"{len(self.sources)} cold files", cold, all_files, "at least 40x", f"{other_name} at -j{self.options.jobs}")
        workers = sorted(int(line.split(", ")[-1].split()[0]) for line in run.stderr.splitlines() if " total " in line)
        self.row("one file on a preamble", self.best(self.tidy("--no-cache", middle)), other, "at least 60x", other_name)
        self.row("the same, --no-verify: the bare parse", self.best(self.tidy("--no-cache", "--no-verify", middle)), other, "", other_name)
        seconds(self.tidy("src"), self.folder)
        self.row(f"{len(self.sources)} files, nothing changed", self.best(self.tidy("src")), wanted="0.15 s for 50")
        edit = lambda path: open(path, "a").write("// changed\n")
        self.row("one of them changed", self.best(self.tidy("src"), lambda: edit(middle)), wanted="0.5 s")
        edit(self.folder + "/include/common.h")
        passed, run = seconds(self.tidy("src"), self.folder)
        self.row("a header that ten include changed", passed, note=run.stderr.split("\n")[-2] if run.stderr else "")
        self.row("--version", self.best([self.here.tool, "--version"]), wanted="0.06 s")
        at_95 = workers[int(len(workers) * 0.95) - 1] if workers else 0
        print(f"memory of a worker: {at_95} MB at the 95th percentile, {workers[-1] if workers else 0} MB at most (350 wanted)")
        growth = self.growth() if self.options.growth else None
        return {"files": len(self.sources), "jobs": self.options.jobs, "rows": self.rows, "memory_95_mb": at_95, "growth": growth}

    def growth(self):
        """Time and memory of a fifth, and of all, of many files, preambles being there."""
        figures = []
        for files in (self.options.growth // 5, self.options.growth):
            folder = f"{self.work}/growth{files}"
            project.generate(folder, self.here.torch_flags, files)
            seconds([self.here.tool, f"--cache-dir={self.cache}", "--no-cache", folder + "/src/unit000.cpp"], folder)
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
            passed, _ = seconds([self.here.tool, f"--cache-dir={self.cache}", "--no-cache", f"-j{self.options.jobs}", "--progress=never", "src"], folder)
            figures.append({"files": files, "seconds": round(passed, 2), "peak_mb": max(before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) >> 10})
        few, many = figures
        beyond = many["seconds"] / few["seconds"] / (many["files"] / few["files"])
        print(f"growth: {few['files']} files {few['seconds']} s, {many['files']} files {many['seconds']} s: {beyond:.2f} of linear (1.1 wanted)")
        return {"figures": figures, "of_linear": round(beyond, 3)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--files", type=int, default=50)
    parser.add_argument("-j", "--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--growth", type=int, default=0, help="files of the test of growth; 0: leave it out")
    parser.add_argument("--clang", default="clang++-22")
    parser.add_argument("--clang-tidy", default="clang-tidy-22")
    parser.add_argument("--json")
    bench = Bench(parser.parse_args())
    try:
        figures = bench.run()
    finally:
        shutil.rmtree(bench.work)
    if bench.options.json:
        with open(bench.options.json, "w") as file:
            json.dump(figures, file, indent=1)


if __name__ == "__main__":
    main()
