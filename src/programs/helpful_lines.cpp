#include "programs/helpful_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <vector>

#include "base/both_ends.hpp"
#include "base/secret_words.hpp"
#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_said_lines = 10;
constexpr std::size_t max_line_bytes = 400;
constexpr std::size_t max_said_bytes = 1200;

constexpr std::string_view error_words[] = {"error",        "fatal",     "fail",          "denied",    "expired",   "invalid",
                                            "unauthorized", "forbidden", "cannot",        "can't",     "could not", "couldn't",
                                            "unable",       "not found", "no such",       "missing",   "refused",   "exception",
                                            "panic",        "required",  "not logged in", "no active", "timed out", "not authorized"};
constexpr std::string_view advice_words[] = {"please",  "run ",           "run:",     "running ", "log in",  "login",
                                             "sign in", "authenticate",   "try ",     "use ",     "install", "hint",
                                             "must ",   "enter the code", "https://", "follow"};
// Lines of a stack, and warnings, have such words by accident.
constexpr std::string_view noise_words[] = {"traceback (most recent", "file \"", "above exception", "goroutine ", "warning", "deprecat"};

template <std::size_t Count>
bool has_any(std::string_view line, const std::string_view (&words)[Count]) {
  return std::any_of(std::begin(words), std::end(words),
                     [line](std::string_view word) { return line.find(word) != std::string_view::npos; });
}

// Without colours, links and other sequences of a terminal.
std::string without_sequences(std::string_view text) {
  constexpr char escape = '\x1b';
  constexpr std::size_t max_sequence = 256;
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != escape || at + 1 == text.size()) {
      out += text[at];
      continue;
    }
    const char kind = text[++at];
    const std::size_t limit = std::min(text.size(), at + max_sequence);
    if (kind == '[') {
      while (++at < limit && (text[at] < '@' || text[at] > '~')) continue;
    } else if (kind == ']') {
      while (++at < limit && text[at] != '\a' && text[at] != escape) continue;
      if (at + 1 < limit && text[at] == escape && text[at + 1] == '\\') ++at;
    }
  }
  return out;
}

class SaidLine {
 public:
  // A chain of errors ends with its cause, so the end of a long line is kept, too.
  explicit SaidLine(std::string_view line) : text(both_ends(line, max_line_bytes)), lower(to_lower(line)) {
    is_noise = has_any(lower, noise_words);
    is_error = !is_noise && has_any(lower, error_words);
    is_advice = !is_noise && (lower.starts_with("$ ") || has_any(lower, advice_words));
  }
  std::string text;
  std::string lower;
  bool is_noise = false;
  bool is_error = false;
  bool is_advice = false;
  bool is_chosen = false;
};

// The same for lines that differ by their time or process number alone.
std::string likeness(std::string_view line) {
  std::string out;
  std::copy_if(line.begin(), line.end(), std::back_inserter(out), [](char c) { return !is_digit(c); });
  return out;
}

std::vector<SaidLine> lines_of(std::string_view text) {
  std::vector<SaidLine> lines;
  std::set<std::string> seen;
  const auto add = [&lines, &seen](std::string_view line) {
    line = trim(line);
    if (std::any_of(line.begin(), line.end(), [](char c) { return is_alnum(c) || c == '*' || static_cast<unsigned char>(c) >= 0x80; }) &&
        seen.insert(likeness(line)).second)
      lines.emplace_back(line);
  };
  for (const std::string_view part : split(text, '\n')) {
    for (std::string_view line : split(part, '\r')) {
      // A program that quotes the output of another one writes the line ends as \n.
      for (std::size_t end = 0; line.size() > max_line_bytes && (end = line.find("\\n")) != std::string_view::npos;) {
        add(line.substr(0, end));
        line.remove_prefix(end + 2);
      }
      add(line);
    }
  }
  // "To log in, run:", and the command in the next line.
  for (std::size_t i = 1; i < lines.size(); ++i)
    lines[i].is_advice = lines[i].is_advice || (lines[i - 1].is_advice && lines[i - 1].lower.ends_with(':'));
  return lines;
}

// Chooses lines until there is room for no more.
class LineChoice {
 public:
  explicit LineChoice(std::vector<SaidLine>& lines) : lines_(lines) {}

  void choose(SaidLine& line) {
    const bool has_room = count_ == 0 || (count_ < max_said_lines && bytes_ + line.text.size() <= max_said_bytes);
    if (line.is_chosen || !has_room) return;
    line.is_chosen = true;
    ++count_;
    bytes_ += line.text.size();
  }
  void choose_all(bool SaidLine::* is_wanted) {
    for (SaidLine& line : lines_) {
      if (line.*is_wanted) choose(line);
    }
  }

 private:
  std::vector<SaidLine>& lines_;
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace

std::string helpful_lines(std::string_view text) {
  const std::string said = without_secrets(without_sequences(text));
  std::vector<SaidLine> lines = lines_of(said);
  if (lines.empty()) return {};
  LineChoice choice(lines);
  const auto is_error = [](const SaidLine& line) { return line.is_error; };
  if (const auto first = std::find_if(lines.begin(), lines.end(), is_error); first != lines.end()) choice.choose(*first);
  if (const auto last = std::find_if(lines.rbegin(), lines.rend(), is_error); last != lines.rend()) choice.choose(*last);
  choice.choose(lines.back());
  choice.choose_all(&SaidLine::is_advice);
  choice.choose(lines.front());
  choice.choose_all(&SaidLine::is_error);
  constexpr std::size_t few = 3;
  const std::size_t rest = lines.size() <= max_said_lines ? lines.size() : few;
  std::for_each(lines.rbegin(), lines.rbegin() + static_cast<std::ptrdiff_t>(rest), [&choice](SaidLine& line) { choice.choose(line); });
  std::string words;
  bool has_gap = false;
  for (const SaidLine& line : lines) {
    if (line.is_chosen) words += fmt::format("{}{}{}", words.empty() ? "" : " | ", has_gap ? "… | " : "", line.text);
    has_gap = !line.is_chosen;
  }
  return words;
}

}  // namespace rollcall
