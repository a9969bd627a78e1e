"""The same server with a client that no one here wrote: pytest-lsp checks each message against the protocol."""

import pytest
import pytest_lsp
from conversation import here, project
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient

pytestmark = [pytest.mark.skipif(not here.torch_flags, reason="no LibTorch")]

SOURCE = """#include <torch/torch.h>
torch::Tensor pick(torch::Tensor x) {
  if ((x.sum() < 0).item<bool>()) x = x + 55;
  return x;
}
"""


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[here.tool, "lsp", "--cache-dir=" + here.cache]))
async def client(lsp_client: LanguageClient):
    await lsp_client.initialize_session(types.InitializeParams(capabilities=pytest_lsp.client_capabilities("neovim"), root_uri=None))
    yield
    await lsp_client.shutdown_session()


@pytest.mark.asyncio
async def test_diagnostics_and_quick_fix(client: LanguageClient, tmp_path):
    file = project(tmp_path, SOURCE)
    uri = file.as_uri()
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=types.TextDocumentItem(uri=uri, language_id="cpp", version=1, text=SOURCE)))
    await client.wait_for_notification("textDocument/publishDiagnostics")
    (diagnostic,) = client.diagnostics[uri]
    assert (diagnostic.code, diagnostic.range.start.line, diagnostic.range.start.character) == ("host-branch", 2, 2)
    actions = await client.text_document_code_action_async(types.CodeActionParams(
        text_document=types.TextDocumentIdentifier(uri=uri), range=diagnostic.range, context=types.CodeActionContext(diagnostics=[diagnostic])))
    assert [action.title for action in actions] == ["replace with 'x = torch::where(x.sum() < 0, x + 55, x);'"]
