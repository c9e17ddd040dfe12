#include "command/arguments/refused_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.hpp"

namespace rollcall::command {
namespace {

// Words without the faulty ones: an option without a value, and a flag with one, would make the split of all words fail.
CommandWords split_sound_words(std::vector<std::string> words, std::span<const OptionRow> rows) {
  for (;;) {
    CommandWords given = split_words(words, rows);
    if (given.without_value) {
      words.pop_back();
    } else if (!given.with_value.empty()) {
      const std::string wrong = std::string(given.with_value) + "=";
      std::erase_if(words, [&wrong](const std::string& word) { return word.starts_with(wrong); });
    } else {
      return given;
    }
  }
}

bool accepts(const OptionRow& row, const std::string& value) {
  return row.choices.empty() || std::find(row.choices.begin(), row.choices.end(), value) != row.choices.end();
}

// `10.0.0.1:8470`, `host:8470`, `[::1]:8470`
bool is_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  return colon != std::string_view::npos && colon > 0 && text.find_first_of("/=,") == std::string_view::npos &&
         parse_decimal<std::uint16_t>(text.substr(colon + 1), 1).has_value();
}

bool is_host(std::string_view text) {
  const auto is_of_name = [](char c) { return is_alnum(c) || c == '-' || c == '.' || c == '_'; };
  return is_address(text) || (!text.empty() && std::all_of(text.begin(), text.end(), is_of_name));
}

bool is_path(std::string_view text) {
  const auto begins = [text](std::string_view start) { return text.starts_with(start); };
  const auto ends = [text](std::string_view end) { return text.ends_with(end); };
  return begins("/") || begins("./") || begins("../") || ends(".txt") || ends(".json") || ends(".yaml") || ends(".yml");
}

bool is_number(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_digit); }

}  // namespace

std::string meant_target(std::string_view text) {
  if (text.starts_with("job:") && is_number(text.substr(4))) return fmt::format("slurm:job/{}", text.substr(4));
  if (is_address(text)) return fmt::format("tpu:grpc://{}", text);
  if (text.starts_with("job.")) return fmt::format("simple:{}", text);
  if (is_number(text)) return fmt::format("slurm:job/{}", text);
  const std::string_view name = text.substr(0, text.find(','));
  const auto slashes = std::count(name.begin(), name.end(), '/');
  if (name.starts_with("projects/")) return name.find("/nodes/") == std::string_view::npos ? std::string() : fmt::format("tpu:{}", text);
  if (is_path(name)) return fmt::format("file:{}", text);
  if (name.starts_with("qr/")) return fmt::format("tpu:{}", text);
  if (name.find(':') == std::string_view::npos && (slashes == 1 || slashes == 2))
    return fmt::format("kubernetes:{}{}", slashes == 1 ? "./" : "", text);
  const std::vector<std::string_view> hosts = split(text, ',');
  if (hosts.size() > 1 && std::all_of(hosts.begin(), hosts.end(), is_host))
    return fmt::format("simple:job.worker={}", fmt::join(hosts, "+"));
  return {};
}

std::string without_slashes(const TargetScheme& row, std::string_view rest) {
  const std::size_t name = rest.starts_with("//") ? rest.find_first_not_of('/') : std::string_view::npos;
  if (name == std::string_view::npos || row.name_needs_trust || row.example.find("://") != std::string_view::npos) return {};
  rest.remove_prefix(name);
  const std::string plain = fmt::format("{}:{}", row.name, rest);
  const std::string meant = meant_target(rest);
  return meant.starts_with(plain.substr(0, row.name.size() + 1)) ? meant : plain;
}

RefusedWords::RefusedWords(const std::vector<std::string>& words) {
  std::vector<std::string> others = words;
  const auto first = std::find_if(others.begin(), others.end(), [](const std::string& word) { return !word.starts_with("-"); });
  if (first != others.end()) command_ = find_command(*first);
  if (command_) others.erase(first);
  others.erase(std::find(others.begin(), others.end(), "--"), others.end());  // words behind -- are not options of this command
  const CommandRow* const row = command_ ? command_ : find_command("spec");
  given_ = split_sound_words(std::move(others), row->options);
}

std::optional<std::string> RefusedWords::value_of(std::string_view option) const {
  std::optional<std::string> last;
  for (const GivenOption& one : given_.options) {
    if (one.row->name == option && accepts(*one.row, one.value)) last = one.value;
  }
  return last;
}

}  // namespace rollcall::command
