#include "base/glob.hpp"

namespace rollcall {

bool glob_match(std::string_view pattern, std::string_view text) noexcept {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;  // behind the last star, and where its text ends so far
  std::size_t star_text = 0;
  while (true) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = ++p;
      star_text = t;
    } else if (p == pattern.size() && t == text.size()) {
      return true;
    } else if (t < text.size() && p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos && star_text < text.size()) {
      t = ++star_text;
      p = star;
    } else {
      return false;
    }
  }
}

}  // namespace rollcall
