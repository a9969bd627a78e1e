"""Writes a project that uses LibTorch: N sources of 40 to 400 lines, its own headers, and compile_commands.json.

The same seed gives the same project. Every source includes some of the project's headers; `common.h` is included by ten of
fifty, so that a change of it concerns a known part. What the functions do is drawn from a few shapes of model code, some of
which are findings.
"""

import json
import os
import random

SHAPES = [
    """torch::Tensor {name}(torch::Tensor x, torch::Tensor y) {{
  auto h = torch::relu(torch::matmul(x, y.transpose(0, 1)));
  h = h / (h.norm() + {number});
  return h.sum({{-1}}, true) * {number};
}}
""",
    """torch::Tensor {name}(torch::Tensor loss, torch::Tensor weight) {{
  if (loss.sum().item<float>() > {number}) loss = loss * {number};
  auto scaled = loss * weight;
  return scaled + {other};
}}
""",
    """struct {type} : torch::nn::Module {{
  {type}() : fc(register_module("fc", torch::nn::Linear({size}, {size}))) {{}}
  torch::Tensor forward(torch::Tensor x) {{
    x = torch::tanh(fc->forward(x));
    x = torch::dropout(x, {number}, is_training());
    return {helper}(x, {number});
  }}
  torch::nn::Linear fc;
}};
""",
    """double {name}(const std::vector<torch::Tensor>& batches) {{
  double total = 0;
  for (const auto& batch : batches) {{
    auto mean = batch.mean();
    total += mean.item<double>();
  }}
  return batches.empty() ? 0 : total / static_cast<double>(batches.size());
}}
""",
    """torch::Tensor {name}(torch::Tensor x) {{
  x = x.view({{{size}, -1}});
  for (int i = 0; i < {small}; ++i) {{
    x = torch::softmax(x, 1);
    x = x - x.mean(1, true);
  }}
  return x.contiguous();
}}
""",
    """std::map<std::string, torch::Tensor> {name}(const torch::Tensor& state) {{
  std::map<std::string, torch::Tensor> parts;
  auto chunks = state.chunk({small}, 0);
  for (size_t i = 0; i < chunks.size(); ++i) parts["part" + std::to_string(i)] = chunks[i].clone();
  return parts;
}}
""",
]

HEADER = """#pragma once
#include <torch/torch.h>
#include <map>
#include <string>
#include <vector>

namespace {space} {{
inline torch::Tensor {space}_scale(const torch::Tensor& x, double by) {{ return x * by + 1; }}
torch::Tensor {space}_step(torch::Tensor x);
}}
"""


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def source(chance, number, header, common, lines):
    space = f"part{number}"
    text = f'#include "{header}.h"\n' + ('#include "common.h"\n' if common else "") + f"#include <algorithm>\n#include <cmath>\n\nnamespace {space} {{\n"
    count = 0
    while text.count("\n") < lines:
        count += 1
        text += "\n" + chance.choice(SHAPES).format(
            name=f"f{count}", type=f"Block{count}", helper=f"{header}::{header}_scale", number=round(chance.uniform(0.01, 0.9), 3),
            other=chance.randint(1, 9), size=chance.choice([16, 32, 64]), small=chance.randint(2, 5))
    return text + f"\n}}  // namespace {space}\n"


def generate(folder, flags, files=50, headers=8, seed=1):
    """Returns the sources' paths. `flags` are LibTorch's."""
    chance = random.Random(seed)
    for number in range(headers):
        write(f"{folder}/include/net{number}.h", HEADER.format(space=f"net{number}"))
    write(f"{folder}/include/common.h", HEADER.format(space="common"))
    sources, entries = [], []
    for number in range(files):
        path = f"{folder}/src/unit{number:03}.cpp"
        write(path, source(chance, number, f"net{chance.randrange(headers)}", number % 5 == 0, chance.randint(40, 400)))
        sources.append(path)
        entries.append({"directory": folder, "file": path, "arguments": ["c++", *flags, f"-I{folder}/include", "-c", path]})
    write(f"{folder}/compile_commands.json", json.dumps(entries, indent=1))
    return sources


if __name__ == "__main__":
    import sys

    generate(os.path.abspath(sys.argv[1]), sys.argv[3:], int(sys.argv[2]))
