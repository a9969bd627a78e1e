"""The Markdown of docs/, in pieces."""

import os
import re
from dataclasses import dataclass

import places

here = places.load()
DOCS = os.path.join(here.root, "docs")


@dataclass
class Block:
    """A fenced block: its page, the words behind the fence, the line of its first line of code, and the code."""

    page: str
    words: list
    line: int
    code: str


def read(path):
    with open(os.path.join(here.root, path), encoding="utf-8") as file:
        return file.read()


def check_pages():
    """Names of the checks that have a page, which are those that have a source file: CMake sees to that."""
    return sorted(name[:-3] for name in os.listdir(os.path.join(DOCS, "checks")) if name.endswith(".md"))


def prose_pages():
    """README.md and the pages directly in docs/."""
    return ["README.md"] + sorted("docs/" + name for name in os.listdir(DOCS) if name.endswith(".md"))


def blocks(page):
    found, block = [], None
    for number, line in enumerate(read(page).split("\n"), 1):
        if not line.startswith("```"):
            if block:
                block.code += line + "\n"
        elif block:
            found.append(block)
            block = None
        else:
            block = Block(page, line[3:].split(), number + 1, "")
    return found


def commands(page):
    """Command lines of torch-tidy in blocks, and option names in backquotes."""
    for block in blocks(page):
        for line in block.code.split("\n"):
            if re.match(r"(\$ |\s*(run: )?)(\S*/)?torch-tidy\b", line):
                yield line
    prose = re.sub(r"(?ms)^```.*?^```", "", read(page))
    for span in re.findall(r"`([^`]+)`", prose):
        if span.startswith("--") or span.startswith("torch-tidy "):
            yield span


def options(command):
    own = command.split(" -- ")[0]  # what follows belongs to the compiler
    return re.findall(r"(?<![\w-])(--[a-z][a-z-]*)", own)
