// A request target taken apart.
#include <algorithm>

#include "base/text.hpp"
#include "base/url.hpp"
#include "sim/wire/route.hpp"

namespace rollcall::sim {

namespace {

std::pair<std::string, std::string> read_pair(std::string_view pair) {
  const std::size_t equals = pair.find('=');
  return {percent_decode(pair.substr(0, equals), true),
          equals == std::string_view::npos ? std::string() : percent_decode(pair.substr(equals + 1), true)};
}

}  // namespace

std::string percent_decode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 && hex_value(text[i + 2]) >= 0) {
      out.push_back(static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2])));
      i += 2;
    } else {
      out.push_back(plus_is_space && text[i] == '+' ? ' ' : text[i]);
    }
  }
  return out;
}

std::optional<std::string_view> ParsedTarget::get(std::string_view name) const {
  for (const auto& [key, value] : query) {
    if (key == name) return value;
  }
  return std::nullopt;
}

bool ParsedTarget::is_true(std::string_view name) const {
  const auto value = get(name);
  return value && (equals_ignoring_case(*value, "true") || *value == "1");
}

bool names_word(std::string_view words, std::string_view word) {
  const std::vector<std::string_view> all = split(words, ' ');
  return !word.empty() && std::find(all.begin(), all.end(), word) != all.end();
}

ParsedTarget parse_target(std::string_view target) {
  ParsedTarget out;
  target = target.substr(0, target.find('#'));
  const std::size_t mark = target.find('?');
  std::string_view path = target.substr(0, mark);
  out.path = percent_decode(path, false);
  if (path.starts_with('/')) path.remove_prefix(1);
  for (const std::string_view segment : split(path, '/')) out.segments.push_back(percent_decode(segment, false));
  if (mark == std::string_view::npos) return out;
  out.raw_query = target.substr(mark + 1);
  for (const std::string_view pair : split(out.raw_query, '&')) {
    if (!pair.empty()) out.query.push_back(read_pair(pair));
  }
  return out;
}

ParsedTarget ParsedTarget::as_go_reads() const {
  ParsedTarget out = *this;
  out.query.clear();
  for (const std::string_view pair : split(raw_query, '&')) {
    const bool is_fine = pair.find(';') == std::string_view::npos && rollcall::percent_decode(pair);
    if (is_fine && !pair.empty()) out.query.push_back(read_pair(pair));
  }
  return out;
}

}  // namespace rollcall::sim
