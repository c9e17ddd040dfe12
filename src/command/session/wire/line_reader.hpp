// Lines out of pieces of any size. A line over the limit is told as such, once its end has come, and what is behind it is read as usual.
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

  /// Adds what has come. To be called when next() has no line any more: then at most max_bytes are kept.
  void feed(std::string_view piece) {
    buffer_.erase(0, start_);
    start_ = 0;
    buffer_ += piece;
  }
  /// Nothing more will come: what stands behind the last line's end is a line, too.
  void finish() { is_finished_ = true; }
  /// The next line; none until more has come.
  std::optional<Line> next() {
    const std::size_t end = buffer_.find('\n', start_ + searched_);  // of a long line only what is new is searched
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
  std::size_t start_ = 0;     // of what has not been given yet
  std::size_t searched_ = 0;  // behind start_: there is no line's end
  bool is_cut_ = false;
  bool is_finished_ = false;
};

}  // namespace rollcall::serve
