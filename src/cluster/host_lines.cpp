#include "cluster/host_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/secret_words.hpp"
#include "base/text.hpp"

namespace rollcall {

Failure bad_line(std::size_t number, std::string_view line, std::string_view what) {
  return Failure(Errc::invalid_argument, fmt::format("line {}: {}: {}", number, quoted_words(line, 100), what));
}

bool is_secret_host(const Endpoint& endpoint) {
  constexpr std::size_t max_label = 63;
  const std::vector<std::string_view> labels = split(endpoint.host, '.');
  return looks_secret_for_name(endpoint.host) ||
         std::any_of(labels.begin(), labels.end(), [](std::string_view label) { return label.size() > max_label; });
}

Result<std::string> read_host(std::string_view word) {
  Result<Endpoint> host = Endpoint::parse(word);
  if (host && is_secret_host(*host)) return Failure(Errc::invalid_argument, "'***' is a token or a key, by its looks, and not a host");
  if (host && !host->port) return std::move(host->host);
  return Failure(Errc::invalid_argument, fmt::format("{} is no host", quoted_words(word, 100)));
}

Result<void> each_line(std::string_view text, const std::function<Result<void>(std::size_t, std::string_view)>& use) {
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    ++number;
    const std::string_view content = trim(line.substr(0, line.find('#')));
    if (content.empty()) continue;
    const Result<void> used = use(number, content);
    if (!used) return used.error();
  }
  return Result<void>();
}

std::string_view next_word(std::string_view& line) {
  const std::size_t end = std::min(line.find_first_of(" \t\r\v\f"), line.size());
  const std::string_view word = line.substr(0, end);
  line = trim(line.substr(end));
  return word;
}

std::optional<int> number_behind_colon(std::string_view word) {
  const std::size_t colon = word.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const bool is_v6_colon = word.find(':') != colon && !word.substr(0, colon).ends_with(']');
  return is_v6_colon ? std::nullopt : parse_decimal<int>(word.substr(colon + 1));
}

}  // namespace rollcall
