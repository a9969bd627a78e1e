#pragma once

#include <cstdint>

/// Counts how often LibTorch reads tensor values on the host, from construction on. On a GPU each of these would wait for
/// the device.
class HostReads {
 public:
  HostReads();
  ~HostReads();
  HostReads(const HostReads&) = delete;
  HostReads& operator=(const HostReads&) = delete;

  /// Since the last call, or since construction.
  int64_t take();

 private:
  uint64_t callback_;
};
