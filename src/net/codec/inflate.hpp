// gzip, undone a slice at a time, so that no input can hold the loop for long.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace rollcall {

class Inflater {
 public:
  enum class Status {
    need_input,  ///< all input is used up
    slice_full,  ///< `max_bytes` were appended and there is more to come
    corrupt,     ///< this is not gzip; also: something other than another gzip member follows the first
  };

  Inflater();
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Ready for another body.
  void reset();
  /// Gives the next input, which must stay where it is until step() returns need_input.
  void put(std::string_view input);
  /// Appends at most `max_bytes` to `out`.
  Status step(std::string& out, std::size_t max_bytes);
  /// True if the input so far is whole: nothing at all, or members with their check sums.
  bool is_whole() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rollcall
