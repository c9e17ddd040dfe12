// Where a value stands in a JSON text. Used for messages only, after the text has been found well-formed.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "sim/file/file_reader.hpp"

namespace rollcall::sim {

namespace {

// Walks over well-formed JSON; on anything else it ends somewhere, without harm.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::size_t at() const { return at_; }
  void blanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
  bool take(char c) {
    blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  char peek() {
    blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  std::string_view string() {
    if (!take('"')) return {};
    const std::size_t start = at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_, text_.size());
    const std::string_view out = text_.substr(start, at_ - start);
    if (at_ < text_.size()) ++at_;
    return out;
  }
  // Calls enter(step, offset of the key or element) for each child; enter must consume the value.
  template <class Enter>
  void children(Enter enter) {
    FileStep step;
    if (take('[')) {
      step.is_index = true;
      for (; peek() != ']' && peek() != '\0'; ++step.index) {
        if (!enter(step, at_)) return;
        if (!take(',')) break;
      }
      take(']');
    } else if (take('{')) {
      while (peek() == '"') {
        const std::size_t key_at = at_;
        step.key = std::string(string());
        take(':');
        blanks();
        if (!enter(step, key_at)) return;
        if (!take(',')) break;
      }
      take('}');
    }
  }
  void skip() {
    const char c = peek();
    if (c == '"') {
      string();
    } else if (c == '{' || c == '[') {
      children([this](const FileStep&, std::size_t) {
        skip();
        return true;
      });
    } else {
      at_ = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
    }
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

bool find_duplicate(Scanner& scanner, FilePath& path) {
  const char c = scanner.peek();
  if (c != '{' && c != '[') {
    scanner.skip();
    return false;
  }
  std::set<std::string> seen;
  bool is_found = false;
  scanner.children([&](const FileStep& step, std::size_t) {
    path.push_back(step);
    is_found = (!step.is_index && !seen.insert(step.key).second) || find_duplicate(scanner, path);
    if (!is_found) path.pop_back();
    return !is_found;
  });
  return is_found;
}

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
  Scanner scanner(text);
  scanner.blanks();
  std::size_t found = scanner.at();
  for (std::size_t depth = 0; depth < path.size(); ++depth) {
    bool is_there = false;
    std::size_t key_at = 0;
    // The last of equal keys counts, as for the parser: only its place is remembered, and entered afterwards.
    Scanner inside = scanner;
    scanner.children([&](const FileStep& step, std::size_t start) {
      const bool is_same =
          path[depth].is_index ? step.is_index && step.index == path[depth].index : !step.is_index && step.key == path[depth].key;
      if (is_same) {
        is_there = true;
        key_at = start;
        inside = scanner;
      }
      scanner.skip();
      return true;
    });
    if (!is_there) break;
    scanner = inside;
    found = wants_key && depth + 1 == path.size() ? key_at : scanner.at();
  }
  return found;
}

std::optional<FilePath> find_duplicate_key(std::string_view text) {
  Scanner scanner(text);
  FilePath path;
  if (!find_duplicate(scanner, path)) return std::nullopt;
  return path;
}

std::string line_and_column(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return fmt::format("{}:{}", line, offset - start + 1);
}

}  // namespace rollcall::sim
