"""A real editor: Neovim without a screen opens a file, sees the finding and applies the fix."""

import os
import shutil
import subprocess

import pytest
from conversation import here, project

SOURCE = """#include <torch/torch.h>
torch::Tensor pick(torch::Tensor x) {
  if ((x.sum() < 0).item<bool>()) x = x + 55;
  return x;
}
"""


@pytest.mark.skipif(not shutil.which("nvim"), reason="no Neovim")
@pytest.mark.skipif(not here.torch_flags, reason="no LibTorch")
def test_neovim(tmp_path):
    net, out = project(tmp_path, SOURCE), tmp_path / "out"
    server = "\n".join([here.tool, "lsp", "--cache-dir=" + here.cache])
    environment = {**os.environ, "NET": str(net), "OUT": str(out), "SERVER": server, "XDG_STATE_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    script = os.path.join(os.path.dirname(__file__), "neovim.lua")
    subprocess.run(["nvim", "--headless", "-n", "-i", "NONE", "-u", "NONE", "-S", script], env=environment, timeout=120, check=True, capture_output=True)
    first, *text = out.read_text().splitlines()
    assert first.startswith("2:2 branch on a tensor value")
    assert text == SOURCE.replace("if ((x.sum() < 0).item<bool>()) x = x + 55;", "x = torch::where(x.sum() < 0, x + 55, x);").splitlines()
