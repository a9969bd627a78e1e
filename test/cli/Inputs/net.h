#pragma once

inline torch::Tensor step(torch::Tensor x) {
  if ((x.sum() < 0).item<bool>()) x = x + 5;
  return x;
}
