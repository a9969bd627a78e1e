"""Damages sources, compilation databases and cache entries, and watches torch-tidy take them.

Usage: bench/robust/robust.py --build DIR [--seed N] [--units N] [--damaged N] [--databases N] [--entries N] [--torch]

Every run must end by itself with 0, 1 or 2 and a reason, and no analysis may crash where clang++ does not. What does is written
to --keep and listed; then the exit code is 1. The same seed gives the same damage.
"""

import argparse
import collections
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(os.path.dirname(HERE)))
import places

STATEMENTS = [
    "if ((x.sum() < {n}).item<bool>()) x = x + {n};", "if (x.mean().item<float>() > {f}) {{ y = x * {f}; }} else y = -x;",
    "while (x.norm().item<double>() > {n}) x = x / 2;", "{{ double v = x.max().item<double>(); y = x - v; }}", "{{ auto z = x.view({{{n}, -1}}); y = z; }}",
    "for (int i = 0; i < {n}; ++i) y = torch::relu(y + x[i]);", "y.add_(torch::matmul(x, y.transpose(0, 1)));", "if (x.size(0) == {n}) return y;",
    "if (torch::log(x).any().item<bool>()) y = torch::exp(y);",
    "{{ auto f = [&](torch::Tensor t) {{ return t.abs() > {f}; }}; y = f(x); }}",
    "switch (x.item<int>()) {{ case {n}: y = x; break; default: y = x * {n}; }}", "y = x.sum().item<float>() > {f} ? x : y;",
    "if (x.defined() && (x == y).any().item<bool>()) y.mul_({f});", "// NOLINTNEXTLINE(host-branch)\n  if (x.min().item<float>() < {f}) y = x;",
]

SHAPES = [
    "torch::Tensor f{0}(torch::Tensor x, torch::Tensor y) {{\n", "template <int size> torch::Tensor t{0}(torch::Tensor x, torch::Tensor y) {{\n",
    "struct M{0} : torch::nn::Module {{ torch::Tensor y; torch::Tensor forward(torch::Tensor x) {{\n",
]
PAIRS = [("(", ")"), ("{", "}"), ("[", "]"), ("-", ""), ("!", ""), ("x<", ">"), ("if (x) ", ";"), ("namespace n {", "}")]
WORDS = ["c++", "ccache", "nvcc", "-I", "-Iinclude", "-DX=1", "-std=c++20", "-o", "a.o", "-c", "a.cpp", "-Xcompiler", "-Wall,-Wextra", "@a.rsp", "-x", "cu",
         "-gencode", "--", "", "-isystem", "'", "\\"]


def unit(chance, header):
    text = f"#include {header}\n#define TWICE(x) ((x) * 2)\nnamespace {{\n"
    for number in range(chance.randint(1, 8)):
        shape = chance.choice(SHAPES)
        text += shape.format(number)
        for _ in range(chance.randint(1, 9)):
            text += "  " + chance.choice(STATEMENTS).format(n=chance.randint(0, 20), f=round(chance.uniform(-2, 2), 3)) + "\n"
        text += "  return y;\n}" + (" };" if "struct" in shape else "") + "\n"
        if "template" in shape:
            text += f"auto use{number} = &t{number}<3>;\n"
    return text + "}\n"


def truncated(chance, text):
    return text[: chance.randrange(len(text))]


def lines_deleted(chance, text):
    lines = text.split("\n")
    for _ in range(chance.randint(1, 4)):
        if lines:
            del lines[chance.randrange(len(lines))]
    return "\n".join(lines)


def tokens_swapped(chance, text):
    tokens = re.findall(r"\s+|\w+|.", text)
    for _ in range(chance.randint(1, 6)):
        a, b = chance.randrange(len(tokens)), chance.randrange(len(tokens))
        tokens[a], tokens[b] = tokens[b], tokens[a]
    return "".join(tokens)


def bytes_flipped(chance, text):
    data = bytearray(text.encode())
    for _ in range(chance.randint(1, 8)):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return data.decode("latin-1")


def nested(chance, text):
    depth, (left, right) = chance.randint(50, 1500), chance.choice(PAIRS)
    at = chance.choice([match.end() for match in re.finditer(r"[=(;{]", text)] or [0])
    return text[:at] + left * depth + "1" + right * depth + text[at:]


DAMAGES = [truncated, lines_deleted, tokens_swapped, bytes_flipped, nested]


class Robust:
    def __init__(self, options):
        self.options, self.chance = options, random.Random(options.seed)
        self.here = places.load(os.path.join(options.build, "test/paths.json"))
        self.work = tempfile.mkdtemp(prefix="torch-tidy-robust-")
        self.cache = self.here.cache if options.torch else self.work + "/cache"
        self.flags = self.here.torch_flags if options.torch else ["-std=c++20", f"-I{HERE}"]
        self.header = "<torch/torch.h>" if options.torch else '"tensors.h"'
        self.counts, self.trouble = collections.Counter(), []

    def tidy(self, *arguments, cwd=None):
        command = [self.here.tool, f"--cache-dir={self.cache}", "--progress=never", "--format=json", *arguments]
        try:
            return subprocess.run(command, cwd=cwd or self.work, capture_output=True, text=True, errors="replace", timeout=self.options.timeout)
        except subprocess.TimeoutExpired:
            return None

    def keep(self, what, path):
        os.makedirs(self.options.keep, exist_ok=True)
        kept = os.path.join(self.options.keep, f"seed{self.options.seed}-{len(self.trouble)}-{os.path.basename(path)}")
        shutil.copy(path, kept)
        self.trouble.append(f"{what}: {kept}")
        print("  " + self.trouble[-1], flush=True)

    def judge(self, run, path, what):
        """The run of one odd input; returns its report, if it gave one."""
        if run is None:
            return self.keep(f"{what}: no end within {self.options.timeout} s", path)
        if run.returncode not in (0, 1, 2) or "Sanitizer" in run.stderr or "runtime error:" in run.stderr:
            return self.keep(f"{what}: exit {run.returncode}: {run.stderr.strip()[-200:]}", path)
        if run.returncode == 2 and not run.stderr.strip() and '"errors": []' in run.stdout:
            return self.keep(f"{what}: exit 2 without a reason", path)
        self.counts[what] += 1
        return json.loads(run.stdout) if run.stdout else None

    def sources(self, count, damages, what):
        """In batches: a file's end is told by its report."""
        for start in range(0, count, 100):
            folder = f"{self.work}/{what}{start}"
            os.makedirs(folder)
            for number in range(start, min(start + 100, count)):
                text = unit(self.chance, self.header)
                for _ in range(self.chance.randint(1, 2) if damages else 0):
                    text = self.chance.choice(damages)(self.chance, text) or " "
                with open(f"{folder}/u{number}.cpp", "w", encoding="latin-1") as file:
                    file.write(text)
            options = [f"--timeout={self.options.give_up}"] + (["--no-verify"] if damages and not self.options.verify else [])
            report = self.judge(self.tidy(*options, ".", "--", *self.flags, cwd=folder), f"{folder}/u{start}.cpp", what)
            if not report:
                continue
            self.counts[what] += len(report["files"]) - 1
            self.counts[what + ": findings"] += len(report["findings"])
            self.counts[what + ": errors"] += len(report["errors"])
            for failure in report["failures"]:
                name, _, reason = failure.partition(": ")
                self.failure(what, os.path.join(folder, name), reason)
            if what == "whole" and report["errors"]:
                self.keep("a whole unit does not compile", os.path.join(folder, os.path.basename(report["errors"][0]["range"]["file"])))
            shutil.rmtree(folder)

    def failure(self, what, path, reason):
        """A unit that was given up: some of what is damaged takes Clang for ever, or its stack."""
        if "the analysis" not in reason:
            self.counts[f"{what}: given up for time or memory"] += 1
            return
        try:
            clang = subprocess.run([self.options.clang, "-fsyntax-only", "-w", "-ferror-limit=0", *self.flags, path], capture_output=True, timeout=60)
            own = clang.returncode < 0 or clang.returncode > 128 or b"PLEASE submit a bug report" in clang.stderr
        except subprocess.TimeoutExpired:
            own = False
        if own:
            self.counts[f"{what}: clang++ crashes as well"] += 1
        else:
            self.keep(f"{what}: {reason}", path)

    def databases(self, count):
        folder = f"{self.work}/database"
        os.makedirs(folder)
        open(f"{folder}/a.cpp", "w").write("int a;\n")
        for _ in range(count):
            entries = [{"directory": folder, "file": "a.cpp", self.chance.choice(["command", "arguments"]): None} for _ in range(self.chance.randint(1, 3))]
            for entry in entries:
                line = self.chance.choices(WORDS, k=self.chance.randint(0, 9))
                entry["arguments" if "arguments" in entry else "command"] = line if "arguments" in entry else " ".join(line)
            text = json.dumps(entries)
            if self.chance.random() < 0.7:
                text = self.chance.choice(DAMAGES[:4])(self.chance, text) or " "
            path = f"{folder}/compile_commands.json"
            with open(path, "w", encoding="latin-1") as file:
                file.write(text)
            report = self.judge(self.tidy("--no-cache", "a.cpp", cwd=folder), path, "databases")
            for failure in report["failures"] if report else []:
                if "the analysis" in failure:
                    self.keep(f"databases: {failure}", path)

    def entries(self, count):
        """Damaged entries, and what is replayed in spite of them: always the same."""
        folder, cache = f"{self.work}/entries", self.cache
        os.makedirs(folder)
        self.cache = folder + "/cache"
        with open(f"{folder}/a.cpp", "w") as file:
            file.write(unit(self.chance, self.header))
        wanted = None
        for _ in range(count):
            run = self.tidy("a.cpp", "--", *self.flags, cwd=folder)
            self.judge(run, f"{folder}/a.cpp", "entries")
            wanted = wanted or run.stdout
            (name,) = [name for name in os.listdir(self.cache) if name.startswith("result-")]
            path = f"{self.cache}/{name}"
            if run.stdout != wanted:
                self.keep("entries: another report", path)
            with open(path, encoding="latin-1", newline="") as file:
                text = file.read()
            with open(path, "w", encoding="latin-1", newline="") as file:
                file.write(self.chance.choice([truncated, flipped_plainly])(self.chance, text))
        self.cache = cache


def flipped_plainly(chance, text):
    data = bytearray(text.encode("latin-1"))
    for _ in range(chance.randint(1, 4)):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return data.decode("latin-1")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--units", type=int, default=500)
    parser.add_argument("--damaged", type=int, default=5000)
    parser.add_argument("--databases", type=int, default=500)
    parser.add_argument("--entries", type=int, default=500)
    parser.add_argument("--timeout", type=float, default=600, help="seconds of one run, of at most 100 files")
    parser.add_argument("--give-up", type=float, default=10, help="seconds of one unit")
    parser.add_argument("--clang", default="clang++-22", help="to ask whether a crash is Clang's own")
    parser.add_argument("--verify", action="store_true", help="run the rewrites of damaged units as well")
    parser.add_argument("--torch", action="store_true", help="LibTorch's own headers: a damaged unit takes as long as parsing them")
    parser.add_argument("--keep", default="robust-trouble", help="folder for what went wrong")
    robust = Robust(parser.parse_args())
    options = robust.options
    try:
        robust.sources(options.units, [], "whole")
        robust.sources(options.damaged, DAMAGES, "damaged")
        robust.databases(options.databases)
        robust.entries(options.entries)
    finally:
        shutil.rmtree(robust.work)
    for what, count in sorted(robust.counts.items()):
        print(f"{what}: {count}")
    print(f"{len(robust.trouble)} went wrong")
    return 1 if robust.trouble else 0


if __name__ == "__main__":
    sys.exit(main())
