// Finds the position of a value in a JSON text. Used only for messages about a well-formed text.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/text.hpp"
#include "sim/file/file_reader.hpp"

namespace rollcall::sim {

namespace {

// Walks over well-formed JSON. On any other text it ends at some point without harm.
class Walk {
 public:
  // Called for each value with its path, the offsets of the value and its key, and true if the object has the key for the second time.
  using Visit = std::function<void(const FilePath& path, std::size_t value_at, std::size_t key_at, bool is_second)>;
  Walk(std::string_view text, Visit visit) : text_(text), visit_(std::move(visit)) {}

  void value(std::size_t key_at = 0, bool is_second = false) {
    blanks();
    visit_(path_, at_, key_at, is_second);
    if (take('{')) {
      std::set<std::string> seen;
      for (blanks(); peek() == '"'; blanks()) {
        const std::size_t start = at_;
        FileStep step;
        step.key = std::string(string());
        take(':');
        const bool is_known = !seen.insert(step.key).second;
        if (!child(std::move(step), start, is_known)) break;
      }
      take('}');
    } else if (take('[')) {
      FileStep step;
      step.is_index = true;
      for (blanks(); peek() != ']' && child(step, at_, false); blanks()) ++step.index;
      take(']');
    } else if (peek() == '"') {
      string();
    } else {
      at_ = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
    }
  }

 private:
  // Visits a child. True if another child may follow.
  bool child(FileStep step, std::size_t key_at, bool is_second) {
    path_.push_back(std::move(step));
    value(key_at, is_second);
    path_.pop_back();
    return take(',');
  }
  void blanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    blanks();
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  std::string_view string() {
    const std::size_t start = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_, text_.size());
    const std::string_view out = text_.substr(start, at_ - start);
    if (at_ < text_.size()) ++at_;
    return out;
  }

  std::string_view text_;
  Visit visit_;
  FilePath path_;
  std::size_t at_ = 0;
};

}  // namespace

std::string to_text(const FilePath& path) {
  if (path.empty()) return "the file";
  std::string out;
  for (const FileStep& step : path) {
    const bool is_word =
        !step.key.empty() && std::all_of(step.key.begin(), step.key.end(), [](char c) { return is_alnum(c) || c == '_' || c == '$'; });
    if (step.is_index) {
      out += fmt::format("[{}]", step.index);
    } else if (is_word) {
      out += out.empty() ? step.key : "." + step.key;
    } else {
      out += fmt::format("[\"{}\"]", printable(step.key, 80));
    }
  }
  return out;
}

std::size_t find_position(std::string_view text, const FilePath& path, bool wants_key) {
  std::size_t found = 0;
  // Of equal keys the last counts, as in the parser, since it is visited last.
  Walk(text, [&](const FilePath& here, std::size_t value_at, std::size_t key_at, bool) {
    const bool leads_there = here.size() <= path.size() && std::equal(here.begin(), here.end(), path.begin());
    if (leads_there) found = wants_key && !path.empty() && here.size() == path.size() ? key_at : value_at;
  }).value();
  return found;
}

std::optional<FilePath> find_duplicate_key(std::string_view text) {
  std::optional<FilePath> found;
  Walk(text, [&](const FilePath& here, std::size_t, std::size_t, bool is_second) {
    if (is_second && !found) found = here;
  }).value();
  return found;
}

std::string line_and_column(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return fmt::format("{}:{}", line, offset - start + 1);
}

}  // namespace rollcall::sim
