#include "net/dns/wire/resolv_conf.hpp"

#include <algorithm>
#include <iterator>

#include "base/text.hpp"

namespace rollcall {
namespace {

// Options that c-ares reads itself, and options that do not affect how a server is queried.
constexpr std::string_view silent[] = {"debug",          "rotate",     "trust-ad",      "no-check-names", "inet6",
                                       "ip6-bytestring", "ip6-dotint", "no-ip6-dotint", "no-reload"};

std::optional<int> number_behind(std::string_view word, std::string_view name, int max) {
  if (!word.starts_with(name)) return std::nullopt;
  const std::optional<int> number = parse_decimal<int>(word.substr(name.size()));
  return number ? std::optional<int>(std::clamp(*number, 1, max)) : std::nullopt;
}

template <class Take>
void each_word(std::string_view line, Take take) {
  constexpr std::string_view blanks = " \t\r";
  for (std::size_t at = line.find_first_not_of(blanks); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(blanks, at), line.size());
    take(line.substr(at, end - at));
    at = line.find_first_not_of(blanks, end);
  }
}

}  // namespace

void ResolverOptions::take(std::string_view words) {
  constexpr int max_seconds = 30;
  constexpr int max_attempts = 5;
  each_word(words, [this](std::string_view word) {
    if (const std::optional<int> seconds = number_behind(word, "timeout:", max_seconds)) {
      timeout = std::chrono::seconds(*seconds);
    } else if (const std::optional<int> tries = number_behind(word, "attempts:", max_attempts)) {
      attempts = *tries;
    } else if (word == "use-vc" || word == "usevc") {
      uses_tcp = true;
    } else if (word == "edns0") {
      uses_edns = true;
    } else if (word == "no-aaaa") {
      skips_ipv6 = true;
    } else if (!word.starts_with("ndots:") && std::find(std::begin(silent), std::end(silent), word) == std::end(silent)) {
      constexpr std::size_t max_named = 5;
      const std::string shown = printable(word, 40);
      const bool is_new = std::find(unfollowed.begin(), unfollowed.end(), shown) == unfollowed.end();
      if (is_new && unfollowed.size() < max_named) unfollowed.push_back(shown);
    }
  });
}

ResolverOptions parse_resolver_options(std::string_view resolv_conf) {
  ResolverOptions options;
  for (const std::string_view whole : split(resolv_conf, '\n')) {
    const std::string_view line = whole.substr(0, whole.find_first_of("#;"));
    constexpr std::string_view keyword = "options";
    const bool is_ours =
        line.starts_with(keyword) && line.size() > keyword.size() && (line[keyword.size()] == ' ' || line[keyword.size()] == '\t');
    if (is_ours) options.take(line.substr(keyword.size()));
  }
  return options;
}

}  // namespace rollcall
