// A GPU's table on the host, so that what is written for a device is tested where there is none. Linked in the place of the
// library's, it gives memory that only "kernels" and copies can reach: whatever else looks at it crashes. Kernels run as loops over
// the same functors, the last index first. It shows mistakes in indexing and in where code runs, not those of a compiler or a race.
#include "test/runtime/emulated-gpu.h"

#include "runtime/backend.h"
#include "runtime/body.h"
#include "runtime/cuda-error.h"

#include <sys/mman.h>

#include <bit>
#include <map>
#include <mutex>

namespace rt {
namespace {

constexpr size_t arenaBytes = size_t(1) << 32, pageBytes = 4096;

// Blocks of powers of two; what is given back is handed out again.
class Arena {
 public:
  void* allocate(size_t bytes) {
    std::lock_guard lock(mutex_);
    const size_t size = std::bit_ceil(std::max<size_t>(bytes, 64));
    if (size >= pageBytes) used_ = (used_ + pageBytes - 1) / pageBytes * pageBytes;
    if (size > arenaBytes - used_) throw CudaOutOfMemory("cudaMallocAsync", "cudaErrorMemoryAllocation", bytes, arenaBytes - used_);
    std::vector<std::byte*>& spare = spare_[size];
    std::byte* block = base_ + used_;
    if (spare.empty()) used_ += size;
    else block = spare.back(), spare.pop_back();
    sizes_[block] = size;
    open([&] { memset(block, 0xff, size); });  // what is read before it is written is NaN, or -1
    return block;
  }
  void release(void* memory) {
    std::lock_guard lock(mutex_);
    const size_t size = sizes_.at(memory);
    if (size >= pageBytes) madvise(memory, size, MADV_DONTNEED);  // the fewer pages there are, the faster they change protection
    spare_[size].push_back(static_cast<std::byte*>(memory));
  }
  bool holds(const void* memory) const { return memory >= base_ && memory < base_ + used_; }
  template <typename F> void run(const F& f) {
    std::lock_guard lock(mutex_);
    open(f);
  }

 private:
  template <typename F> void open(const F& f) {
    mprotect(base_, used_, PROT_READ | PROT_WRITE);
    f();
    mprotect(base_, used_, PROT_NONE);
  }

  std::mutex mutex_;
  std::byte* base_ = static_cast<std::byte*>(mmap(nullptr, arenaBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  size_t used_ = 0;
  std::map<size_t, std::vector<std::byte*>> spare_;
  std::map<void*, size_t> sizes_;
};

Arena& arena() {
  static Arena& arena = *new Arena;  // outlives the last tensor
  return arena;
}

template <typename F> void launchElements(const F& f, int64_t n) {
  arena().run([&] {
    for (int64_t i = n; i-- > 0;) f(i);
  });
}

void* allocate(size_t bytes) { return arena().allocate(bytes); }
void release(void* memory) { arena().release(memory); }
void copy(void* to, const void* from, size_t bytes) { arena().run([&] { memcpy(to, from, bytes); }); }

// What a kernel is given must be the GPU's own memory.
const Loop& checked(const Loop& loop, int operands) {
  bool own = arena().holds(loop.out);
  for (int k = 0; k < operands; ++k) own &= arena().holds(loop.in[k]);
  if (!own && numelOf(loop.shape) > 0) throw std::logic_error("a kernel on the emulated GPU is given memory of the host");
  return loop;
}

}  // namespace

std::set<std::type_index> launched;

}  // namespace rt

#define LAUNCH launched.insert(typeid(F<bool>)), launchElements(f, n)
#include "runtime/device-kernels.h"

#include "runtime/device-rows.h"

namespace rt {

const Backend* cudaBackend() {
  static const Backend table = {
      .allocate = allocate,
      .release = release,
      .toHost = copy,
      .fromHost = copy,
      .elementwise = [](Op op, DType dtype, const Loop& loop) { return elementwiseOnDevice(op, dtype, checked(loop, info(op).tensors)); },
      .convert = [](DType to, DType from, const Loop& loop) { convertOnDevice(to, from, checked(loop, 1)); },
      .gemm = [](DType, const Gemm&) { return false; },
      .queues = cpuBackend().queues,
  };
  return &table;
}
bool cudaAvailable() { return true; }

}  // namespace rt
