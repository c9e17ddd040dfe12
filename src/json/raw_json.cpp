#include "json/raw_json.hpp"

namespace rollcall {
namespace {

class RawReader {
 public:
  explicit RawReader(std::string_view text) : text_(text) {}

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r' || text_[at_] == '\n')) ++at_;
  }
  bool take(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  // A string with its quotes; none if it does not end.
  std::optional<std::string_view> take_string() {
    const std::size_t start = at_;
    if (!take('"')) return std::nullopt;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return text_.substr(start, at_ - start);
      if (c == '\\') ++at_;
    }
    return std::nullopt;
  }
  // Any value; nested ones are skipped by counting brackets.
  std::optional<std::string_view> take_value() {
    skip_blanks();
    const std::size_t start = at_;
    std::size_t depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        if (!take_string()) return std::nullopt;
        if (depth == 0) return text_.substr(start, at_ - start);
        continue;
      }
      const bool ends = c == '}' || c == ']';
      if (depth == 0 && (ends || c == ',')) return trimmed(start);
      ++at_;
      if (c == '{' || c == '[') ++depth;
      if (ends && --depth == 0) return text_.substr(start, at_ - start);
    }
    return std::nullopt;
  }

 private:
  std::string_view trimmed(std::size_t start) const {
    std::string_view value = text_.substr(start, at_ - start);
    while (!value.empty() && (value.back() == ' ' || value.back() == '\t' || value.back() == '\r' || value.back() == '\n'))
      value.remove_suffix(1);
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::string_view> raw_json_member(std::string_view text, std::string_view key) noexcept {
  std::optional<std::string_view> found;
  RawReader reader(text);
  if (!reader.take('{')) return std::nullopt;
  do {
    reader.skip_blanks();
    const auto name = reader.take_string();
    if (!name || !reader.take(':')) return found;
    const auto value = reader.take_value();
    if (!value) return found;
    if (name->substr(1, name->size() - 2) == key) found = *value;
  } while (reader.take(','));
  return found;
}

}  // namespace rollcall
