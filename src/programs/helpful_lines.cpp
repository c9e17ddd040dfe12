#include "programs/last_words.hpp"

#include <algorithm>
#include <vector>

#include "base/secret_words.hpp"
#include "base/text.hpp"

namespace rollcall {

std::string last_words(std::string_view text) {
  constexpr std::size_t max_lines = 3;
  constexpr std::size_t max_bytes = 300;
  const std::string shown = without_secrets(text);
  std::vector<std::string_view> lines;
  for (const std::string_view line : split(shown, '\n')) {
    if (!trim(line).empty()) lines.push_back(trim(line));
  }
  std::string words;
  for (std::size_t i = lines.size() - std::min(lines.size(), max_lines); i < lines.size(); ++i)
    words += (words.empty() ? "" : " | ") + printable(lines[i], max_bytes);
  return words;
}

}  // namespace rollcall
