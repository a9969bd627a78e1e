"""The language server, message by message. Conversation.end() asserts that every request was answered exactly once."""

import time

import pytest
from conversation import Conversation, applied, here, project, shown

pytestmark = pytest.mark.skipif(not here.torch_flags, reason="no LibTorch")

CLEAN = """#include <torch/torch.h>
torch::Tensor pick(torch::Tensor x) {
  x = x * 2;
  return x;
}
"""
BRANCH = CLEAN.replace("x = x * 2;", "if ((x.sum() < 0).item<bool>()) x = x + 55;")
REFUTED = CLEAN.replace("x = x * 2;", "if (x.min().item<float>() > 0) x = x.to(torch::kDouble);")
FOUND = ["2:2 host-branch: branch on a tensor value makes the host wait for the device"]


@pytest.fixture
def talk():
    conversation = Conversation()
    yield conversation
    conversation.process.kill()


def test_open_change_save_close(talk, tmp_path):
    talk.initialize()
    uri = talk.open(project(tmp_path, CLEAN), BRANCH)  # what is open counts, not what is on disk
    (found,) = talk.diagnostics(uri, 1)
    assert shown([found]) == FOUND
    assert found["source"] == "torch-tidy" and found["severity"] == 2
    assert found["codeDescription"]["href"].endswith("/docs/checks/host-branch.md")
    assert found["relatedInformation"][0]["message"].startswith("verified: the rewrite gives the same values")
    talk.change(uri, CLEAN, 2)
    assert talk.diagnostics(uri, 2) == []
    talk.change(uri, BRANCH, 3)
    assert shown(talk.diagnostics(uri, 3)) == FOUND
    talk.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    assert shown(talk.diagnostics(uri, 3)) == FOUND
    talk.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert talk.diagnostics(uri) == []
    assert talk.end() == 0


def test_the_verified_fix_is_a_quick_fix(talk, tmp_path):
    talk.initialize()
    uri = talk.open(project(tmp_path, CLEAN), BRANCH)
    talk.diagnostics(uri, 1)
    (action,) = talk.actions(uri, 2)
    assert action["title"] == "replace with 'x = torch::where(x.sum() < 0, x + 55, x);'"
    assert action["kind"] == "quickfix" and action["isPreferred"]
    assert applied(BRANCH, action) == CLEAN.replace("x = x * 2;", "x = torch::where(x.sum() < 0, x + 55, x);")
    assert talk.actions(uri, 0) == []
    assert talk.end() == 0


def test_a_refuted_rewrite_is_no_quick_fix(talk, tmp_path):
    talk.initialize()
    uri = talk.open(project(tmp_path, CLEAN), REFUTED)
    (found,) = talk.diagnostics(uri, 1)
    assert "the dtype of x is float64 instead of" in found["relatedInformation"][-1]["message"]
    assert talk.actions(uri, 2) == []
    assert talk.end() == 0


def test_no_action_for_a_text_not_yet_analysed(talk, tmp_path):
    talk.initialize()
    uri = talk.open(project(tmp_path, CLEAN), BRANCH)
    talk.diagnostics(uri, 1)
    talk.change(uri, "\n" + BRANCH, 2)
    assert talk.actions(uri, 2) == []  # asked before the pause after an edit is over
    assert talk.end() == 0


@pytest.mark.parametrize("offered, agreed, column", [(["utf-8", "utf-16"], "utf-8", 13), (["utf-16"], "utf-16", 11), (None, "utf-16", 11)])
def test_columns(talk, tmp_path, offered, agreed, column):
    capabilities = talk.initialize(**({"general": {"positionEncodings": offered}} if offered else {}))
    assert capabilities["positionEncoding"] == agreed
    text = BRANCH.replace("  if ((x", "  /* \N{GRINNING FACE} */ if ((x")
    uri = talk.open(project(tmp_path, CLEAN), text)
    assert shown(talk.diagnostics(uri, 1)) == [f"2:{column} host-branch: branch on a tensor value makes the host wait for the device"]
    assert talk.end() == 0


def test_an_edit_shows_within_a_second(talk, tmp_path):
    talk.initialize()
    uri = talk.open(project(tmp_path, CLEAN), CLEAN)
    talk.diagnostics(uri, 1)
    start = time.monotonic()
    talk.change(uri, BRANCH, 2)
    talk.diagnostics(uri, 2)
    seconds = time.monotonic() - start
    print(f"\nan edit gives new diagnostics after {seconds:.2f} s")
    assert seconds < 10  # a hung server, not a slow machine; the figure is in what is printed


def test_errors_while_typing(talk, tmp_path):
    talk.initialize()
    uri = talk.open(project(tmp_path, CLEAN), BRANCH.split(".item")[0] + ".item<")
    assert any("clang: " in line for line in shown(talk.diagnostics(uri, 1)))
    talk.change(uri, BRANCH, 2)
    assert shown(talk.diagnostics(uri, 2)) == FOUND
    assert talk.end() == 0


def test_a_file_that_was_never_saved(talk, tmp_path):
    talk.initialize()
    unsaved = project(tmp_path, CLEAN).with_name("unsaved.cpp")  # it borrows its neighbour's flags
    assert shown(talk.diagnostics(talk.open(unsaved, BRANCH), 1)) == FOUND
    assert not unsaved.exists() and talk.end() == 0


def test_no_database_is_said_once(talk, tmp_path):
    talk.initialize()
    uri = talk.open(tmp_path / "lone.cpp", CLEAN)
    message = talk.wait(lambda m: m.get("method") == "window/showMessage")["params"]["message"]
    assert "no compile_commands.json found (looked in" in message and "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON" in message
    talk.change(uri, CLEAN + "\n", 2)
    time.sleep(0.5)
    assert talk.request("unknown/method")["error"]["code"] == -32601
    assert not any(m.get("method") == "window/showMessage" for m in list(talk.replies.queue))
    assert talk.end() == 0


def test_protocol_errors(talk):
    assert talk.request("shutdown")["error"]["code"] == -32002  # ServerNotInitialized
    talk.initialize()
    talk.raw("{ this is not JSON")
    assert talk.request("no/such/method")["error"]["code"] == -32601
    talk.notify("no/such/notification")
    talk.notify("$/cancelRequest", {"id": 99})
    assert talk.end() == 0


def test_exit_without_shutdown(talk):
    talk.initialize()
    talk.notify("exit")
    assert talk.process.wait(timeout=30) == 1
