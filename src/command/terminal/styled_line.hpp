// A line whose parts have styles, cut to the terminal's width. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rollcall::command {

class StyledLine {
 public:
  StyledLine() {}
  /// `style`: one of safe_text.hpp, or none. Foreign characters in `text` must have been escaped.
  void add(std::string text, std::string_view style = {}) { parts_.emplace_back(std::move(text), style); }
  /// At most `width` columns; a cut end shows as "…".
  std::string text(std::size_t width, bool with_colour) const;

 private:
  std::vector<std::pair<std::string, std::string_view>> parts_;
};

}  // namespace rollcall::command
