#include "sim/record/pseudonyms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/ip.hpp"
#include "base/text.hpp"

namespace rollcall::sim {
namespace {

// Parts of names that say nothing about the user, and that readers of a recording need.
constexpr std::array<std::string_view, 62> common_parts = {
    "api",     "app",   "apps",     "asia",      "batch",     "central", "chief",      "cluster", "com",    "coordinator", "default",
    "driver",  "east",  "eu",       "europe",    "example",   "google",  "googleapis", "gpu",     "head",   "host",        "io",
    "job",     "kube",  "latest",   "launcher",  "leader",    "local",   "localhost",  "main",    "master", "namespace",   "net",
    "node",    "nodes", "north",    "org",       "p",         "pod",     "ps",         "public",  "r",      "s",           "server",
    "service", "slice", "south",    "svc",       "system",    "tpu",     "us",         "v",       "w",      "west",        "worker",
    "workers", "x",     "internal", "northeast", "southeast", "true",    "false"};

bool is_common(std::string_view part) {
  const std::string lower = to_lower(part);
  return std::find(common_parts.begin(), common_parts.end(), lower) != common_parts.end();
}

// `gpu12` is the part gpu and a number; `x7f2q` is one part.
struct NamePart {
  std::string_view part;
  std::string_view digits;
};

NamePart split_part(std::string_view run) {
  std::size_t end = run.size();
  while (end > 0 && is_digit(run[end - 1])) --end;
  const std::string_view letters = run.substr(0, end);
  if (std::none_of(letters.begin(), letters.end(), is_digit)) return {letters, run.substr(end)};
  return {run, {}};
}

// Calls `part` with each run of letters and digits, `other` with what stands between.
template <class Part, class Other>
void each_run(std::string_view name, Part part, Other other) {
  for (std::size_t at = 0; at < name.size();) {
    const bool is_part = is_alnum(name[at]);
    std::size_t end = at;
    while (end < name.size() && is_alnum(name[end]) == is_part) ++end;
    if (is_part) part(name.substr(at, end - at));
    if (!is_part) other(name.substr(at, end - at));
    at = end;
  }
}

constexpr bool is_name_char(char c) noexcept { return is_alnum(c) || c == '-' || c == '.' || c == '_'; }

std::optional<std::uint32_t> ipv4_of(std::string_view text) {
  std::uint32_t value = 0;
  int parts = 0;
  for (const std::string_view part : split(text, '.')) {
    const auto number = part.size() > 3 || part.empty() ? std::nullopt : parse_decimal<std::uint32_t>(part, 0, 255);
    if (!number || ++parts > 4) return std::nullopt;
    value = value * 256 + *number;
  }
  if (parts != 4) return std::nullopt;
  return value;
}

// This machine, any address, and the metadata server are the same everywhere.
bool is_general(std::uint32_t address) { return address >> 24 == 127 || address == 0 || address >> 16 == 0xA9FE; }

// Calls `word` with each run of the characters of names, without dots at its end, and `other` with what stands between.
template <class Word, class Other>
void each_word(std::string_view text, Word word, Other other) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_name_char(text[end])) ++end;
    std::size_t word_end = end;
    while (word_end > at && (text[word_end - 1] == '.' || text[word_end - 1] == '-')) --word_end;
    if (word_end > at) word(text.substr(at, word_end - at));
    if (word_end == at) ++end;
    end = std::min(end, text.size());
    other(text.substr(word_end, end - word_end));
    at = end;
  }
}

// Identifiers that servers make are no names, and must stay alike wherever they stand.
bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (is_dash ? text[i] != '-' : hex_value(text[i]) < 0) return false;
  }
  return true;
}

// An address within a name: `ip-10-0-1-2.ec2.internal`.
struct DashedAddress {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint32_t address = 0;
};

std::optional<DashedAddress> dashed_address(std::string_view name) {
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (!is_digit(name[at]) || (at > 0 && is_alnum(name[at - 1]))) continue;
    std::size_t end = at;
    int dashes = 0;
    while (end < name.size() && (is_digit(name[end]) || (name[end] == '-' && dashes < 3))) dashes += name[end++] == '-' ? 1 : 0;
    std::string dotted(name.substr(at, end - at));
    std::replace(dotted.begin(), dotted.end(), '-', '.');
    const bool is_alone = end == name.size() || !is_alnum(name[end]);
    if (const auto address = is_alone ? ipv4_of(dotted) : std::nullopt) return DashedAddress{at, end, *address};
  }
  return std::nullopt;
}

std::string ipv4_text(std::uint32_t address, char between) {
  return fmt::format("{1}{0}{2}{0}{3}{0}{4}", between, address >> 24, (address >> 16) & 255, (address >> 8) & 255, address & 255);
}

}  // namespace

void Pseudonyms::add_name(std::string_view name) {
  if (name.empty() || name.size() > 1024 || is_uuid(name) || ipv4_of(name)) return;
  bool is_of_user = false;
  if (const auto found = dashed_address(name)) {
    is_of_user = true;
    addresses_.emplace(found->address, 0);
  }
  each_run(
      name,
      [&](std::string_view run) {
        const std::string_view part = split_part(run).part;
        if (part.empty() || is_common(part)) return;
        is_of_user = true;
        parts_.emplace(part, "");
      },
      [](std::string_view) {});
  if (is_of_user) names_.emplace(name);
}

void Pseudonyms::add_addresses(std::string_view text) {
  each_word(
      text,
      [this](std::string_view word) {
        const auto address = ipv4_of(word);
        if (address && !is_general(*address)) addresses_.emplace(*address, 0);
      },
      [](std::string_view) {});
  if (text.size() <= 45 && text.find(':') != std::string_view::npos && is_ipv6_literal(text, true) && text != "::1" && text != "::")
    wide_addresses_.emplace(text, "");
}

void Pseudonyms::choose() {
  // Letters only, since a number may follow; of one length and in the order of the parts, so that sorted names stay sorted.
  constexpr std::string_view letters = "bcdfghjklmnpqrstvwxz";
  std::size_t width = 1;
  for (std::size_t room = letters.size(); room < parts_.size(); room *= letters.size()) ++width;
  std::size_t number = 0;
  for (auto& [part, pseudonym] : parts_) {
    pseudonym.assign(width + 1, 'x');
    std::size_t rest = number++;
    for (std::size_t i = width; i > 0; --i) {
      pseudonym[i] = letters[rest % letters.size()];
      rest /= letters.size();
    }
  }
  std::uint32_t next = (10u << 24) + 1;
  for (auto& [address, pseudonym] : addresses_) pseudonym = next++;
  std::size_t wide = 0;
  for (auto& [address, pseudonym] : wide_addresses_) pseudonym = fmt::format("2001:db8::{:x}", ++wide);
}

std::string Pseudonyms::of_name(std::string_view name) const {
  std::string out;
  if (is_uuid(name)) return std::string(name);
  if (const auto found = dashed_address(name)) {
    const auto known = addresses_.find(found->address);
    if (known != addresses_.end())
      return of_name(name.substr(0, found->begin)) + ipv4_text(known->second, '-') + of_name(name.substr(found->end));
  }
  each_run(
      name,
      [&](std::string_view run) {
        const NamePart split = split_part(run);
        const auto known = parts_.find(split.part);
        out += known == parts_.end() ? split.part : std::string_view(known->second);
        out += split.digits;
      },
      [&out](std::string_view other) { out += other; });
  return out;
}

// A name, or a longer one that begins like it: a pod's behind its controller's.
bool Pseudonyms::begins_with_name(std::string_view word) const {
  for (std::size_t end = word.size();;) {
    if (names_.contains(word.substr(0, end))) return true;
    end = word.find_last_of("-._", end - 1);
    if (end == std::string_view::npos || end == 0) return false;
  }
}

std::string Pseudonyms::of_word(std::string_view word) const {
  if (const auto address = ipv4_of(word)) {
    const auto known = addresses_.find(*address);
    const std::uint32_t shown = known == addresses_.end() ? *address : known->second;
    return ipv4_text(shown, '.');
  }
  return begins_with_name(word) ? of_name(word) : std::string(word);
}

std::string Pseudonyms::of_text(std::string_view text) const {
  if (const auto wide = wide_addresses_.find(text); wide != wide_addresses_.end()) return wide->second;
  if (names_.contains(text)) return of_name(text);
  std::string out;
  each_word(text, [&](std::string_view word) { out += of_word(word); }, [&out](std::string_view other) { out += other; });
  return out;
}

std::string Pseudonyms::of_addresses(std::string_view text) const {
  if (const auto wide = wide_addresses_.find(text); wide != wide_addresses_.end()) return wide->second;
  std::string out;
  each_word(
      text, [&](std::string_view word) { out += ipv4_of(word) ? of_word(word) : std::string(word); },
      [&out](std::string_view other) { out += other; });
  return out;
}

}  // namespace rollcall::sim
