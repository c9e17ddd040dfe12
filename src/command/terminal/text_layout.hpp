// Layout of help texts in columns; pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rollcall::command {

inline constexpr std::size_t usual_width = 80;

/// `text` broken at blanks into lines of at most `width` columns; every line but the first begins with `indent` blanks.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width = usual_width);

/// A command as shell text, with `indent` blanks in front: broken at blanks outside quotes, with a backslash.
std::string wrapped_command(std::string_view command, std::size_t indent, std::size_t width);

/// The first clause of `text`: all of it if it is at most `width` long, else up to a colon, semicolon or bracket, and cut with dots.
std::string first_clause(std::string_view text, std::size_t width);

class HelpEntry {
 public:
  HelpEntry(std::string term, std::string meaning) : left(std::move(term)), right(std::move(meaning)) {}
  std::string left;
  std::string right;
};

/// Two columns, the right one wrapped; a term that is wider than the left column has its meaning on the next line.
void append_entries(std::string& out, const std::vector<HelpEntry>& entries, std::size_t width);

/// Replaces the ellipses of the tables, which some terminals cannot show.
std::string in_ascii(std::string_view text);

}  // namespace rollcall::command
