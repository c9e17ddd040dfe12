#include "programs/last_words.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
constexpr bool is_edge(char c) noexcept { return is_blank(c) || std::string_view("\"'`,;()[]{}<>").find(c) != std::string_view::npos; }

bool names_secret(std::string_view word) {
  constexpr std::array names = {std::string_view("token"),      std::string_view("secret"), std::string_view("password"),
                                std::string_view("passphrase"), std::string_view("bearer"), std::string_view("authorization"),
                                std::string_view("key")};
  const std::string lower = to_lower(word);
  return std::any_of(names.begin(), names.end(), [&lower](std::string_view name) { return lower.ends_with(name); });
}

// Random letters and digits in one run are longer than any word or part of a name.
bool looks_random(std::string_view word) {
  constexpr std::size_t least_run = 16;
  for (std::size_t at = 0; at < word.size();) {
    std::size_t end = at;
    bool has_digit = false;
    bool has_letter = false;
    for (; end < word.size() && is_alnum(word[end]); ++end) (is_digit(word[end]) ? has_digit : has_letter) = true;
    if (end - at >= least_run && has_digit && has_letter) return true;
    at = end + 1;
  }
  return false;
}

bool is_known_token(std::string_view word) {
  constexpr std::array starts = {std::string_view("eyJ"), std::string_view("ya29."), std::string_view("-----"),
                                 std::string_view("k8s-aws-v1.")};
  return std::any_of(starts.begin(), starts.end(), [word](std::string_view start) { return word.starts_with(start) && word.size() > 8; });
}

// `name=value` and `name:value` are two words.
std::size_t end_of_word(std::string_view line, std::size_t at) {
  while (at < line.size() && !is_edge(line[at]) && line[at] != '=' && line[at] != ':') ++at;
  return at;
}

// `is_due`: the word before says that this one is a secret.
void append_shown(std::string& out, std::string_view line, bool& is_due) {
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = end_of_word(line, at);
    const std::string_view word = line.substr(at, end - at);
    if (!word.empty()) {
      const bool is_scheme = equals_ignoring_case(word, "bearer") || equals_ignoring_case(word, "basic");
      const bool is_hidden_word = (is_due && !is_scheme) || looks_random(word) || is_known_token(word);
      out += is_hidden_word ? "***" : word;
      is_due = false;
      const std::size_t next = line.find_first_not_of(" \t\"'", end);
      const bool is_assigned = next != std::string_view::npos && (line[next] == '=' || line[next] == ':');
      if (is_scheme || (names_secret(word) && is_assigned)) is_due = true;
    }
    if (end < line.size()) out += line[end];
    at = end + 1;
  }
}

}  // namespace

std::string last_words(std::string_view text) {
  constexpr std::size_t most_lines = 3;
  constexpr std::size_t most_bytes = 300;
  std::vector<std::string_view> lines;
  for (const std::string_view line : split(text, '\n')) {
    if (!trim(line).empty()) lines.push_back(trim(line));
  }
  std::string words;
  bool is_due = false;
  for (std::size_t i = lines.size() - std::min(lines.size(), most_lines); i < lines.size(); ++i) {
    std::string shown;
    append_shown(shown, lines[i], is_due);
    words += (words.empty() ? "" : " | ") + printable(shown, most_bytes);
  }
  return words;
}

}  // namespace rollcall
