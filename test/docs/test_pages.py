"""Pages say what the program does: its options, its checks, its tables."""

import glob
import os
import re
import subprocess

import pytest

import pages
from pages import here

SECTIONS = ["Bad", "Why", "Good", "Verified", "Limits", "Silence"]
NOT_OURS = {"--version", "--cuda-path"}  # options that a page may name as another program's


def output(*arguments):
    run = subprocess.run([here.tool, *arguments], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.mark.parametrize("page", pages.prose_pages())
def test_options_exist(page):
    known = set(re.findall(r"--[a-z][a-z-]*", output("--help"))) | NOT_OURS
    named = {option for command in pages.commands(page) for option in pages.options(command)}
    assert named - known == set()


def test_every_option_has_a_line_in_the_manual():
    known = set(re.findall(r"^\s+(--[a-z][a-z-]*)", output("--help"), re.M))
    assert known and known - set(re.findall(r"--[a-z][a-z-]*", pages.read("docs/cli.md"))) == set()


@pytest.mark.skipif(not here.torch_flags, reason="no LibTorch: TORCH_ROOT is not set")
def test_the_screen_is_real():
    """README.md shows parts of what the tour's lint prints."""
    shown = next(block.code for block in pages.blocks("README.md") if block.code.startswith("$ torch-tidy"))
    tour = sorted(glob.glob("docs/tour/*.cpp", root_dir=here.root))
    run = subprocess.run(here.command(*tour, "--", *here.torch_flags), capture_output=True, text=True, cwd=here.root)
    printed = set(run.stdout.split("\n"))
    assert [line for line in shown.strip().split("\n")[1:] if line != "..." and line not in printed] == []


@pytest.mark.parametrize("page, option", [("docs/ops.md", "--ops-page"), ("docs/checks.md", "--checks-page")])
def test_printed_pages(page, option):
    assert pages.read(page) == output(option), f"{page} is printed by torch-tidy {option}"


@pytest.mark.parametrize("name", pages.check_pages())
def test_sections(name):
    text = pages.read(f"docs/checks/{name}.md")
    assert text.startswith(f"# {name}\n")
    assert re.findall(r"^\*\*(.*)\*\*$", text, re.M) == SECTIONS


@pytest.mark.parametrize("name", pages.check_pages())
def test_first_sentence_is_the_summary(name):
    first = pages.read(f"docs/checks/{name}.md").split("\n\n")[1].replace("`", "").replace("\n", " ").rstrip(".")
    row = re.search(rf"^\| \[{name}\]\(.*\| ([^|]*) \|$", output("--checks-page"), re.M)
    assert row and row[1].lower() == first.lower()


@pytest.mark.parametrize("page", pages.prose_pages() + [f"docs/checks/{name}.md" for name in pages.check_pages()])
def test_links_lead_somewhere(page):
    folder = os.path.dirname(os.path.join(here.root, page))
    prose = re.sub(r"(?ms)^```.*?^```", "", pages.read(page))
    targets = [target.split("#")[0] for target in re.findall(r"\]\(([^)]+)\)", prose) if "://" not in target]
    assert [target for target in targets if target and not os.path.exists(os.path.join(folder, target))] == []
