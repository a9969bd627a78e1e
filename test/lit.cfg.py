# The lit suites: what a check says about a file (checks), what a rewrite may do (rewrites), what the command line answers
# (cli), what machines read (report). Every one runs the built torch-tidy on real LibTorch headers; these are precompiled
# here, once, before the tests start.
import os
import subprocess
import sys

import lit.formats

sys.path.insert(0, config.paths["root"] + "/test")
import places

here = places.Places(config.paths)

config.name = "torch-tidy"
config.test_source_root = here.root + "/test"
config.test_exec_root = here.build + "/test/lit"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".cpp", ".test"]
config.excludes = ["runtime", "conformance", "bench", "lsp", "docs", "Inputs", "rewrites-test.cpp", "torch-backend.cpp", "pairs-test.cpp", "referee-test.cpp", "mutants.cpp"]
config.environment["PATH"] = os.pathsep.join([here.llvm_tools, os.environ["PATH"]])
for name in ("HOME", "XDG_CACHE_HOME"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# A word of its own only: `torch-tidy.test` and `build/torch-tidy` stay as they are.
def word(name, replacement):
    config.substitutions.append((r"(?<![\w./%-])" + name + r"(?![\w./-])", replacement))


word("torch-tidy", " ".join(here.command()))
word("expect", f"{sys.executable} {here.root}/test/expect.py")
config.substitutions.append(("%torch-flags", " ".join(here.torch_flags)))
config.substitutions.append(("%torch113-flags", " ".join(here.torch113_flags)))
config.substitutions.append(("%root", here.root))
config.substitutions.append(("%python", sys.executable))

if here.torch_flags:
    config.available_features.add("torch")
if here.torch113_flags:
    config.available_features.add("torch113")
if os.path.exists("/dev/nvidia0"):
    config.available_features.add("cuda")


def precompile(flags):
    """The preamble that all tests with these flags share."""
    os.makedirs(config.test_exec_root, exist_ok=True)
    source = os.path.join(config.test_exec_root, "preamble.cpp")
    with open(source, "w") as file:
        file.write("#include <torch/torch.h>\n")
    run = subprocess.run(here.command("--quiet", source, "--", *flags), capture_output=True, text=True)
    if run.returncode:
        lit_config.warning(f"an empty file is not clean: torch-tidy exits {run.returncode}: {run.stdout}{run.stderr}")


for flags in (here.torch_flags, here.torch113_flags):
    if flags and not lit_config.params.get("no-preamble"):
        precompile(flags)
