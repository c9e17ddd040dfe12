// Calls a function when a scope ends, also by an exception or by the destruction of a coroutine.
#pragma once

#include <utility>

namespace rollcall {

template <class Function>
class AtEnd {
 public:
  explicit AtEnd(Function end) : end_(std::move(end)) {}
  ~AtEnd() { end_(); }
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;

 private:
  Function end_;
};

}  // namespace rollcall
