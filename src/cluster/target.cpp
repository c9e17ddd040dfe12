// Parses and prints targets.
#include "rollcall/target.hpp"
#include "base/path_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "base/url.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_target_bytes = 64 * 1024;
constexpr std::string_view job_prefix = "job.";

// The length of the key that `text` starts with if a `=` follows it, else 0.
std::size_t key_length(std::string_view text) noexcept {
  const bool is_job = text.substr(0, job_prefix.size()) == job_prefix;
  std::size_t at = is_job ? job_prefix.size() : 0;
  const auto is_key_char = [&](char c) {
    return is_job ? is_alnum(c) || c == '_' || c == '-' || c == '.' || c == '%' : is_lower(c) || (at > 0 && (is_digit(c) || c == '_'));
  };
  const std::size_t first = at;
  while (at < text.size() && is_key_char(text[at])) ++at;
  return at > first && at < text.size() && text[at] == '=' ? at : 0;
}

std::size_t find_first_option(std::string_view text) noexcept {
  if (key_length(text) != 0) return 0;
  for (std::size_t comma = text.find(','); comma != std::string_view::npos; comma = text.find(',', comma + 1)) {
    if (key_length(text.substr(comma + 1)) != 0) return comma;
  }
  return text.size();
}

Failure bad_target(std::string_view text, std::string_view fault) {
  return Failure(Errc::invalid_argument, fmt::format("invalid target {}: {}", quoted_target(text), fault))
      .with_hint("a target is SCHEME:NAME[,KEY=VALUE]..., such as tpu:trainer,zone=us-central2-b");
}

Result<std::vector<std::string>> parse_items(std::string_view text, std::string_view value) {
  std::vector<std::string> items;
  if (value.empty()) return items;
  for (std::size_t begin = 0, end = 0; begin <= value.size(); begin = end + 1) {
    end = std::min(value.find('+', begin), value.size());
    auto item = percent_decode(value.substr(begin, end - begin));
    if (!item) return bad_target(text, fmt::format("{} contains a % that two hexadecimal digits do not follow", quoted_target(value, 64)));
    items.push_back(*std::move(item));
  }
  return items;
}

}  // namespace

Result<Target> Target::parse(std::string_view text) {
  if (text.size() > max_target_bytes) return bad_target(text, fmt::format("it is longer than {} bytes", max_target_bytes));
  const auto is_refused = [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F; };
  if (!is_ascii_from(' ' + 1, text) && std::any_of(text.begin(), text.end(), is_refused))
    return bad_target(text, "it contains a blank or control character (write a blank as %20)");

  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return bad_target(text, "it has no scheme");
  Target target;
  target.scheme = text.substr(0, colon);
  const auto is_scheme_char = [](char c) { return is_lower(c) || is_digit(c); };
  if (target.scheme.empty() || !is_lower(target.scheme.front()) ||
      !std::all_of(target.scheme.begin(), target.scheme.end(), is_scheme_char)) {
    return bad_target(text, "its scheme is not made of lower-case letters and digits");
  }

  std::string_view rest = text.substr(colon + 1);
  const std::size_t option_start = find_first_option(rest);
  auto body = percent_decode(rest.substr(0, option_start));
  if (!body) return bad_target(text, "its name contains a % that two hexadecimal digits do not follow");
  target.body = *std::move(body);
  rest.remove_prefix(option_start);
  if (!rest.empty() && rest.front() == ',') rest.remove_prefix(1);

  constexpr std::size_t usual = 4;
  if (!rest.empty()) target.options.reserve(usual);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const std::string_view option = rest.substr(0, end);
    const std::size_t length = key_length(option);
    if (length == 0)
      return bad_target(text,
                        fmt::format("{} is not of the form key=value (write a comma inside a value as %2C)", quoted_target(option, 64)));
    auto key = percent_decode(option.substr(0, length));
    if (!key)
      return bad_target(text,
                        fmt::format("{} contains a % that two hexadecimal digits do not follow", quoted(option.substr(0, length), 64)));
    const auto has_key = [&](const auto& o) { return o.first == *key; };
    if (target.options.size() >= 4096) return bad_target(text, "it has more than 4096 options");
    if (std::any_of(target.options.begin(), target.options.end(), has_key))
      return bad_target(text, fmt::format("{} occurs twice", quoted(*key, 64)));
    Result<std::vector<std::string>> items = parse_items(text, option.substr(length + 1));
    if (!items) return items.error();
    target.options.emplace_back(*std::move(key), *std::move(items));
    if (end + 1 == rest.size()) return bad_target(text, "it ends with a comma");
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return target;
}

std::string Target::to_text() const {
  std::string text = scheme + ":" + percent_encode(body, ".-_:/@,");
  bool is_first = body.empty();
  for (const auto& [key, items] : options) {
    if (!is_first) text += ',';
    is_first = false;
    text += percent_encode(key, "._-") + "=";
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i != 0) text += '+';
      text += percent_encode(items[i], ".-_:/@=");
    }
  }
  return text;
}

std::optional<std::string> Target::get(std::string_view key) const {
  for (const auto& [name, items] : options) {
    if (name != key) continue;
    std::string joined;
    for (std::size_t i = 0; i < items.size(); ++i) joined += (i == 0 ? "" : "+") + items[i];
    return joined;
  }
  return std::nullopt;
}

}  // namespace rollcall
