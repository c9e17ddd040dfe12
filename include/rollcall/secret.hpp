// A value that must not be printed or left behind in memory.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <utility>

#include "rollcall/error.hpp"

namespace rollcall {

/// Overwrites `size` bytes; the compiler does not optimize it away.
void wipe(void* data, std::size_t size) noexcept;

/// Holds a secret; prints as `***`; its memory is wiped when it is replaced or destroyed.
template <class T>
class Secret;

/// The only instance: a text.
template <>
class Secret<std::string> {
 public:
  Secret() noexcept {}
  explicit Secret(std::string value) : value_(std::move(value)) {}
  Secret(const Secret& other) : value_(other.value_) {}
  Secret(Secret&& other) noexcept : value_(std::move(other.value_)) { other.clear_moved(); }
  Secret& operator=(const Secret& other) {
    if (this != &other) {
      clear();
      value_ = other.value_;
    }
    return *this;
  }
  Secret& operator=(Secret&& other) noexcept {
    if (this != &other) {
      clear();
      value_ = std::move(other.value_);
      other.clear_moved();
    }
    return *this;
  }
  ~Secret() { clear(); }

  /// The value itself; the caller is responsible for its use.
  std::string_view reveal() const noexcept { return value_; }
  bool empty() const noexcept { return value_.empty(); }
  void clear() noexcept {
    wipe(value_.data(), value_.size());
    value_.clear();
  }
  friend bool operator==(const Secret& a, const Secret& b) noexcept { return a.value_ == b.value_; }

 private:
  // The move of a short string leaves its bytes in the source.
  void clear_moved() noexcept {
    value_.resize(value_.capacity());
    clear();
  }

  std::string value_;
};

/// A token from a file or an environment variable: trimmed. Errors: invalid_argument naming `source` when it is empty, longer than
/// 16 kB, or has anything but visible ASCII inside.
Result<Secret<std::string>> parse_token_text(std::string_view source, std::string_view text);

}  // namespace rollcall

template <class T>
struct fmt::formatter<rollcall::Secret<T>> {
  constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
  template <class Context>
  auto format(const rollcall::Secret<T>&, Context& context) const {
    auto out = context.out();
    for (const char star : std::string_view("***")) *out++ = star;
    return out;
  }
};
