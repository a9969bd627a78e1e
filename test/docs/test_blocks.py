"""The code on the checks' pages: what is called bad fires the check, what is called good does not."""

import json
import re
import subprocess

import pytest

import pages
from pages import here

BLOCKS = [block for name in pages.check_pages() for block in pages.blocks(f"docs/checks/{name}.md") if block.words[:1] == ["cpp"]]
if not here.torch_flags:
    pytest.skip("no LibTorch: TORCH_ROOT is not set", allow_module_level=True)


def check_of(block):
    return re.search(r"([\w-]+)\.md$", block.page)[1]


@pytest.fixture(scope="module")
def findings(tmp_path_factory):
    """Findings by block index. All blocks are one translation unit, each in a namespace of its own."""
    lines, begins = ["#include <torch/torch.h>"], []
    for number, block in enumerate(BLOCKS):
        lines.append(f"namespace block{number} {{")
        begins.append(len(lines) + 1)
        lines += [line for line in block.code.rstrip("\n").split("\n") if not line.startswith("#include")]
        lines.append("}")
    source = tmp_path_factory.mktemp("pages") / "blocks.cpp"
    source.write_text("\n".join(lines) + "\n")
    command = here.command("--format=json", "--no-verify", str(source), "--", *here.torch_flags)
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode in (0, 1), run.stdout + run.stderr
    report = json.loads(run.stdout)
    found = {number: [] for number in range(len(BLOCKS))}
    for finding in report["findings"]:
        block = max(number for number, begin in enumerate(begins) if begin <= finding["range"]["begin"]["line"])
        found[block].append(finding["check"])
    return found


@pytest.mark.parametrize("number", range(len(BLOCKS)), ids=[f"{check_of(block)}:{block.line}:{'-'.join(block.words[1:])}" for block in BLOCKS])
def test_block(number, findings):
    block = BLOCKS[number]
    assert block.words[1:] in (["bad"], ["good"]), "a block is `cpp bad` or `cpp good`"
    if block.words[1] == "bad":
        assert check_of(block) in findings[number]
    else:
        assert findings[number] == []


@pytest.mark.parametrize("name", pages.check_pages())
def test_every_page_has_both_kinds(name):
    kinds = {word for block in BLOCKS if check_of(block) == name for word in block.words[1:]}
    assert kinds == {"bad", "good"}
