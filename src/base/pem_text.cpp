#include "base/pem_text.hpp"

#include <string>

namespace rollcall {
namespace {

constexpr std::string_view begin = "-----BEGIN ";
constexpr std::string_view line_end_in_words = "\\n";
constexpr std::string_view return_in_words = "\\r";

bool has(std::string_view text, std::string_view part) noexcept { return text.find(part) != std::string_view::npos; }

// One line end may follow: editors add it.
bool has_inner_line_end(std::string_view text) noexcept {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return last != std::string_view::npos && text.substr(0, last).find('\n') != std::string_view::npos;
}

}  // namespace

Secret<std::string> with_line_ends(std::string_view pem) {
  if (!has(pem, begin) || !has(pem, line_end_in_words) || has_inner_line_end(pem)) return Secret<std::string>(std::string(pem));
  std::string text;
  text.reserve(pem.size());  // it never grows, so that no copy of it stays in memory
  for (std::size_t at = 0; at < pem.size(); ++at) {
    const std::string_view rest = pem.substr(at);
    const bool is_line_end = rest.starts_with(line_end_in_words);
    if (!is_line_end && !rest.starts_with(return_in_words)) {
      text += pem[at];
      continue;
    }
    if (is_line_end) text += '\n';
    ++at;
  }
  return Secret<std::string>(std::move(text));
}

std::string_view pem_form_fault(std::string_view text) noexcept {
  if (!has(text, begin)) return {};
  if (has(text, line_end_in_words)) return "its line ends are \\n as two characters";
  if (!has_inner_line_end(text)) return "its lines have no line ends in between";
  return {};
}

}  // namespace rollcall
