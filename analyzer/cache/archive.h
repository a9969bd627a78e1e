// Plain data to bytes and back: for entries of the cache, and between processes of one run. A struct names its fields once, in
// a function `fields(archive, value)`, which writing and reading share. The bytes are for the program that wrote them: they
// have no version and no byte order, since a key or a pipe ties them to it.
#pragma once

#include <array>
#include <concepts>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace lint {

template <typename T>
concept Flat = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class Writer {
 public:
  std::string bytes;

  template <typename... Ts> void operator()(const Ts&... values) { (put(values), ...); }

 private:
  template <Flat T> void put(const T& value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); }
  template <typename T, size_t n> void put(const std::array<T, n>& values) { for (const T& value : values) put(value); }
  template <typename A, typename B> void put(const std::pair<A, B>& value) { (*this)(value.first, value.second); }
  void put(const std::string& text) {
    put(text.size());
    bytes += text;
  }
  template <typename T> void put(const std::vector<T>& values) {
    put(values.size());
    for (const T& value : values) put(value);
  }
  template <typename T> void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <typename T> requires std::is_class_v<T> void put(const T& value) { fields(*this, const_cast<T&>(value)); }  // fields() serves both ways
};

/// What does not fit is `bad`, and the values are of no use then.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  bool bad() const { return bad_; }
  bool done() const { return !bad_ && rest_.empty(); }

  template <typename... Ts> void operator()(Ts&... values) { (get(values), ...); }

 private:
  std::string_view take(size_t size) {
    bad_ |= size > rest_.size();
    if (bad_) return {};
    std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  template <Flat T> void get(T& value) {
    if (std::string_view taken = take(sizeof value); !bad_) std::memcpy(&value, taken.data(), sizeof value);
  }
  void get(bool& value) {
    uint8_t byte = 0;
    get(byte);
    value = byte != 0;
  }
  template <typename T, size_t n> void get(std::array<T, n>& values) { for (T& value : values) get(value); }
  template <typename A, typename B> void get(std::pair<A, B>& value) { (*this)(value.first, value.second); }
  void get(std::string& text) {
    size_t size = 0;
    get(size);
    text = take(size);
  }
  template <typename T> void get(std::vector<T>& values) {
    size_t size = 0;
    get(size);
    bad_ |= size > rest_.size();  // each takes a byte at least
    values.clear();
    for (size_t i = 0; i < size && !bad_; ++i) get(values.emplace_back());
  }
  template <typename T> void get(std::optional<T>& value) {
    bool there = false;
    get(there);
    value.reset();
    if (there) get(value.emplace());
  }
  template <typename T> requires std::is_class_v<T> void get(T& value) { fields(*this, value); }

  std::string_view rest_;
  bool bad_ = false;
};

template <typename T>
std::string toBytes(const T& value) {
  Writer writer;
  writer(value);
  return std::move(writer.bytes);
}

/// Nothing where the bytes are not exactly one T.
template <typename T>
std::optional<T> fromBytes(std::string_view bytes) {
  T value{};
  Reader reader(bytes);
  reader(value);
  if (!reader.done()) return {};
  return value;
}

}  // namespace lint
