#include "command/terminal/text_layout.hpp"

#include <algorithm>

namespace rollcall::command {
namespace {

constexpr std::string_view ellipsis = "\xE2\x80\xA6";

// Takes the next word off `text`. In a command a quoted text is one word together with the characters around it.
std::string_view take_word(std::string_view& text, bool is_command) {
  char quote = 0;
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    const char c = text[end];
    if (quote == 0 && c == ' ') break;
    if (!is_command || (c != '\'' && c != '"')) continue;
    quote = quote == 0 ? c : quote == c ? 0 : quote;
  }
  const std::string_view word = text.substr(0, end);
  text = end < text.size() ? text.substr(end + 1) : std::string_view();
  return word;
}

std::string broken(std::string_view text, std::size_t indent, std::size_t width, bool is_command) {
  const std::string line_end = is_command ? " \\\n" : "\n";
  const std::size_t room = is_command ? 2 : 0;
  std::string out;
  std::size_t column = indent;
  bool is_first = true;
  while (!text.empty()) {
    const std::string_view word = take_word(text, is_command);
    if (!is_first && column + 1 + word.size() + (text.empty() ? 0 : room) > width) {
      const std::size_t further = indent + (is_command ? 4 : 0);
      out += line_end + std::string(further, ' ');
      column = further;
    } else if (!is_first) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    is_first = false;
  }
  return out;
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) { return broken(text, indent, width, false); }

std::string wrapped_command(std::string_view command, std::size_t indent, std::size_t width) {
  return std::string(indent, ' ') + broken(command, indent, width, true);
}

std::string first_clause(std::string_view text, std::size_t width) {
  if (text.size() <= width) return std::string(text);
  std::size_t end = text.size();
  for (const std::string_view mark : {": ", "; ", " ("}) end = std::min(end, text.find(mark));
  if (end <= width) return std::string(text.substr(0, end));
  constexpr std::string_view dots = "...";
  const std::size_t last_blank = text.substr(0, width > dots.size() ? width - dots.size() + 1 : 1).rfind(' ');
  return std::string(text.substr(0, last_blank == std::string_view::npos ? 0 : last_blank)) + std::string(dots);
}

void append_entries(std::string& out, const std::vector<HelpEntry>& entries, std::size_t width) {
  std::size_t left = 0;
  for (const HelpEntry& entry : entries) left = std::max(left, entry.left.size());
  left = std::min<std::size_t>(left, width / 3);
  for (const HelpEntry& entry : entries) {
    out.append("  ").append(entry.left);
    if (entry.left.size() > left) {
      out.append("\n").append(left + 4, ' ');
    } else {
      out.append(left + 2 - entry.left.size(), ' ');
    }
    out.append(wrapped(entry.right, left + 4, width)).append("\n");
  }
}

std::string in_ascii(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with(ellipsis)) {
      out += "...";
      i += ellipsis.size() - 1;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace rollcall::command
