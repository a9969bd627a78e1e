"""Where a build's tests find things, from the paths.json that CMake writes: shared by lit, pytest and test/run."""

import json
import os
import re


class Places:
    """Paths and compiler flags of one build. A LibTorch that is not there has no flags: its tests are skipped."""

    def __init__(self, paths):
        self.root, self.build, self.tool = paths["root"], paths["build"], paths["tool"]
        self.cache, self.llvm_tools = paths["cache"], paths["llvmTools"]
        self.torch_flags = _flags("c++20", paths["torch"] + "/include") if paths["torch"] else []
        self.torch113_flags = _flags("c++17", "/usr/include") if _version("/usr/include").startswith("1.13") else []

    def command(self, *arguments):
        """torch-tidy with this build's cache."""
        return [self.tool, "--cache-dir=" + self.cache, *arguments]

    def environment(self):
        """For suites that are programs of their own: a shell's view of the same things."""
        return {
            "TORCH_TIDY": self.tool,
            "TORCH_TIDY_CACHE": self.cache,
            "TORCH_TIDY_PATHS": os.path.join(self.build, "test/paths.json"),
            "TORCH_FLAGS": " ".join(self.torch_flags),
        }


def load(file=None):
    with open(file or os.environ["TORCH_TIDY_PATHS"]) as stream:
        return Places(json.load(stream))


def _version(include):
    try:
        with open(include + "/torch/csrc/api/include/torch/version.h") as stream:
            return ".".join(re.findall(r"#define TORCH_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", stream.read()))
    except OSError:
        return ""


def _flags(standard, include):
    api = include + "/torch/csrc/api/include"
    if not os.path.exists(api + "/torch/torch.h"):
        return []
    own = [] if include == "/usr/include" else ["-isystem", include]
    return ["-std=" + standard, *own, "-isystem", api]
