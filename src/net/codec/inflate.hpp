// Decompresses gzip in slices, so that no input can block the loop for long.
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
    slice_full,  ///< `max_bytes` were appended and more output is available
    corrupt,     ///< this is not gzip; also: something other than another gzip member follows the first
  };

  Inflater();
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Resets for another body.
  void reset();
  /// Sets the next input, which must stay in place until step() returns need_input.
  void put(std::string_view input);
  /// Appends at most `max_bytes` to `out`.
  Status step(std::string& out, std::size_t max_bytes);
  /// True if the input so far is complete: empty, or members with their checksums.
  bool is_whole() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rollcall
