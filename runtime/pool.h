// Memory for small objects that come and go by the thousand: what a thread gave back, it gets again.
#pragma once

#include <cstddef>
#include <memory>

namespace rt {

namespace pool {
/// At least `bytes`, aligned for any object. Under the address sanitizer, which is to see every one of them, plain new and delete.
void* take(size_t bytes);
/// `bytes` as they were asked for. May be another thread than the one that took it.
void give(void* memory, size_t bytes) noexcept;
}  // namespace pool

/// For containers and std::allocate_shared.
template <typename T> struct Pooled {
  using value_type = T;
  Pooled() = default;
  template <typename U> Pooled(const Pooled<U>&) {}
  T* allocate(size_t count) { return static_cast<T*>(pool::take(count * sizeof(T))); }
  void deallocate(T* memory, size_t count) noexcept { pool::give(memory, count * sizeof(T)); }
  friend bool operator==(const Pooled&, const Pooled&) { return true; }
};

template <typename T, typename... Arguments> std::shared_ptr<T> makePooled(Arguments&&... arguments) {
  return std::allocate_shared<T>(Pooled<T>(), std::forward<Arguments>(arguments)...);
}

}  // namespace rt
