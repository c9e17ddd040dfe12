// Splits pieces of any size into lines. A line over the limit is reported once its end has come, and the text after it is read as usual.
// Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace rollcall::serve {

class Line {
 public:
  Line(std::string_view what, bool was_cut) : text(what), is_too_long(was_cut) {}
  std::string_view text;  ///< without its end; empty if it is too long; good until the reader is called again
  bool is_too_long;
};

class LineReader {
 public:
  explicit LineReader(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// Adds input. Call it when next() has no line any more: then at most max_bytes are kept.
  void feed(std::string_view piece) {
    buffer_.erase(0, start_);
    start_ = 0;
    buffer_ += piece;
  }
  /// Marks the end of the input: the text after the last line's end is a line, too.
  void finish() { is_finished_ = true; }
  /// The next line; none until more input has come.
  std::optional<Line> next() {
    const std::size_t end = buffer_.find('\n', start_ + searched_);  // searches only the new part of a long line
    if (end != std::string::npos) return take(end, end + 1);
    if (buffer_.size() - start_ > max_bytes_) {
      is_cut_ = true;
      start_ = buffer_.size();
    }
    searched_ = buffer_.size() - start_;
    if (!is_finished_ || (searched_ == 0 && !is_cut_)) return std::nullopt;
    return take(buffer_.size(), buffer_.size());
  }

 private:
  Line take(std::size_t end, std::size_t next) {
    const std::string_view text = std::string_view(buffer_).substr(start_, end - start_);
    start_ = next;
    searched_ = 0;
    const bool was_cut = std::exchange(is_cut_, false) || text.size() > max_bytes_;
    return Line(was_cut ? std::string_view() : text, was_cut);
  }

  std::size_t max_bytes_;
  std::string buffer_;
  std::size_t start_ = 0;     // input that has not been returned yet
  std::size_t searched_ = 0;  // no line's end between start_ and here
  bool is_cut_ = false;
  bool is_finished_ = false;
};

}  // namespace rollcall::serve
