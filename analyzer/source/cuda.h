// CUDA sources are read as their host half: kernels are declarations, launches are calls, and no header of the toolkit has to
// be one that Clang supports.
#pragma once

#include "analyzer/source/change.h"

#include <string>
#include <vector>

namespace lint {

/// Whether the name says CUDA: .cu, .cuh.
bool isCudaName(const std::string& file);

/// The folder of the toolkit (with include/cuda_runtime.h), from `given` (--cuda-path, may be empty), the path of nvcc (may
/// be empty), the environment and the usual places, and where it was looked for.
struct Toolkit {
  std::string folder;  // empty: none was found
  std::vector<std::string> lookedIn;
};
Toolkit findToolkit(const std::string& given, const std::string& nvcc);

/// The flags of the host half.
std::vector<std::string> cudaFlags(const Toolkit&);

/// What nvcc includes before every source, in so far as the host half needs it. It is no file on the disk: the parse lays it
/// over the file system under this name.
inline constexpr const char* cudaHeaderPath = "/torch-tidy/cuda-host.h";
extern const char* const cudaHeader;

}  // namespace lint
