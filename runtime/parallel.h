// The CPU's threads: a pool that is started by the first loop that is long enough to be worth it.
#pragma once

#include <cstdint>

namespace rt {

/// Threads that long loops use; at first as many as the process may run on.
int threadCount();
void setThreadCount(int);

namespace parallel {
using Body = void (*)(const void* context, int64_t begin, int64_t end);
void run(int64_t n, int64_t grain, Body, const void* context);
}  // namespace parallel

/// f(begin, end) over parts of [0, n), each of at least `grain`; on the caller's thread where that makes one part, and where
/// the caller is itself a part. `f` must not throw.
template <typename F> void parallelFor(int64_t n, int64_t grain, const F& f) {
  if (n <= grain) { if (n > 0) f(int64_t(0), n); return; }
  parallel::run(n, grain, [](const void* context, int64_t begin, int64_t end) { (*static_cast<const F*>(context))(begin, end); }, &f);
}

}  // namespace rt
