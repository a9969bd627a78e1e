#include "runtime/pool.h"

#include <array>
#include <new>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#define RT_POOL 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define RT_POOL 0
#endif
#endif
#ifndef RT_POOL
#define RT_POOL 1
#endif

namespace rt::pool {

#if RT_POOL
namespace {

constexpr size_t step = 64, classes = 16, most = 256;  // sizes up to 1024 bytes, of each at most so many kept

struct Free { Free* next; };
struct List { Free* first = nullptr; size_t count = 0; };

enum class State : char { fresh, open, closed };
thread_local State state = State::fresh;  // trivial, so that it outlives the lists
thread_local std::array<List, classes> lists;

// A thread that ends returns what it kept; objects that outlive it are freed as they come.
struct Closing {
  Closing() { state = State::open; }
  ~Closing() {
    state = State::closed;
    for (List& list : lists)
      while (list.first) ::operator delete(std::exchange(list.first, list.first->next));
  }
};
void open() { static thread_local Closing closing; }

}  // namespace

void* take(size_t bytes) {
  const size_t k = (bytes + step - 1) / step;
  if (k >= classes) return ::operator new(bytes);
  List& list = lists[k];
  if (!list.first) return ::operator new(k * step);
  --list.count;
  return std::exchange(list.first, list.first->next);
}

void give(void* memory, size_t bytes) noexcept {
  const size_t k = (bytes + step - 1) / step;
  if (state == State::fresh) open();
  if (k >= classes || state == State::closed || lists[k].count == most) return ::operator delete(memory);
  ++lists[k].count;
  lists[k].first = new (memory) Free{lists[k].first};
}
#else
void* take(size_t bytes) { return ::operator new(bytes); }
void give(void* memory, size_t) noexcept { ::operator delete(memory); }
#endif

}  // namespace rt::pool
