// A value that may be absent, and that copies share: little memory where most objects have none, or many have the same.
#pragma once

#include <memory>
#include <optional>
#include <utility>

namespace rollcall {

/// As a std::optional<const T>; its content is replaced as a whole.
template <class T>
class SharedValue {
 public:
  SharedValue() {}
  SharedValue(std::nullopt_t) {}                                                        // NOLINT(google-explicit-constructor)
  SharedValue(T value) : value_(std::make_shared<const T>(std::move(value))) {}         // NOLINT(google-explicit-constructor)
  SharedValue(std::optional<T> value) {                                                 // NOLINT(google-explicit-constructor)
    if (value) value_ = std::make_shared<const T>(*std::move(value));
  }

  bool has_value() const noexcept { return value_ != nullptr; }
  explicit operator bool() const noexcept { return has_value(); }
  const T& operator*() const noexcept { return *value_; }
  const T* operator->() const noexcept { return value_.get(); }

  /// Replaces the content, and returns it so that the caller can complete it before the value is copied.
  template <class... Arguments>
  T& emplace(Arguments&&... arguments) {
    auto made = std::make_shared<T>(std::forward<Arguments>(arguments)...);
    T& content = *made;
    value_ = std::move(made);
    return content;
  }
  void reset() noexcept { value_.reset(); }

  friend bool operator==(const SharedValue& a, const SharedValue& b) {
    return a.value_ == b.value_ || (a.value_ && b.value_ && *a.value_ == *b.value_);
  }

 private:
  std::shared_ptr<const T> value_;
};

}  // namespace rollcall
