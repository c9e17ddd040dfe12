#include "resolvers/tpu/wire/tpu_env.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cluster/service_address.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_tpu_env_bytes = 64 * 1024;
constexpr std::size_t max_tpu_env_keys = 512;

bool is_tpu_env_key(std::string_view key) {
  return !key.empty() && key.size() <= 128 &&
         std::all_of(key.begin(), key.end(), [](char c) { return is_alnum(c) || c == '_' || c == '-'; });
}

// The subset of YAML that the agents write: plain, single-quoted and double-quoted scalars.
std::string unquoted(std::string_view text) {
  text = trim(text);
  const bool is_quoted = text.size() >= 2 && (text.front() == '\'' || text.front() == '"') && text.back() == text.front();
  if (!is_quoted) return std::string(text);
  const char quote = text.front();
  text = text.substr(1, text.size() - 2);
  std::string value;
  for (std::size_t i = 0; i < text.size(); ++i) {
    value += text[i];
    if (quote == '\'' && text.substr(i, 2) == "''") ++i;
  }
  return std::string(trim(value));
}

constexpr std::string_view endpoints_attribute = "worker-network-endpoints";

template <class Take>
Result<void> each_item(std::string_view from, std::string_view text, std::size_t max, Take take) {
  std::size_t count = 0;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    if (count++ == max) return Failure(Errc::limit_exceeded, fmt::format("{} lists more than {} hosts", from, max));
    const Result<void> taken = take(trim(text.substr(at, end - at)), count - 1);
    if (!taken) return taken;
    at = end + 1;
  }
  return {};
}

Failure bad_tpu_endpoint(std::string_view item, std::size_t index, std::string_view why) {
  return Failure(Errc::malformed_response,
                 fmt::format("the metadata value {}: element {} is {}: {}", endpoints_attribute, index, quoted(item, 80), why));
}

}  // namespace

Result<TpuEnv> TpuEnv::parse(std::string_view text) {
  if (text.size() > max_tpu_env_bytes) return Failure(Errc::limit_exceeded, fmt::format("tpu-env has {} bytes", text.size()));
  TpuEnv env;
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = trim(line.substr(0, colon));
    if (!is_tpu_env_key(key)) continue;
    std::string value = unquoted(line.substr(colon + 1));
    if (printable_line(value) != value)
      return Failure(Errc::malformed_response, fmt::format("tpu-env: {} has control characters: {}", key, quoted(value, 80)));
    const auto [entry, is_new] = env.values_.emplace(key, std::move(value));
    if (!is_new && entry->second != unquoted(line.substr(colon + 1))) {
      return Failure(Errc::malformed_response, fmt::format("tpu-env: {} is there twice, as {} and {}", key, quoted(entry->second, 80),
                                                           quoted(unquoted(line.substr(colon + 1)), 80)));
    }
    if (env.values_.size() > max_tpu_env_keys)
      return Failure(Errc::limit_exceeded, fmt::format("tpu-env has more than {} keys", max_tpu_env_keys));
  }
  return env;
}

Result<std::optional<std::string>> TpuEnv::value(std::string_view name) const {
  const auto of = [this](std::string_view key) {
    const auto at = values_.find(key);
    return at == values_.end() || at->second.empty() ? std::optional<std::string>() : std::optional<std::string>(at->second);
  };
  const std::string long_name = fmt::format("TPU_{}", name);
  std::optional<std::string> plain = of(name);
  std::optional<std::string> prefixed = of(long_name);
  if (plain && prefixed && *plain != *prefixed) {
    return Failure(Errc::conflict,
                   fmt::format("tpu-env: {} is {}, but {} is {}", name, quoted(*plain, 80), long_name, quoted(*prefixed, 80)));
  }
  return plain ? plain : prefixed;
}

Result<TpuHosts> parse_worker_network_endpoints(std::string_view text, std::size_t max) {
  TpuHosts list;
  list.from = endpoints_attribute;
  const Result<void> fine = each_item(list.from, trim(text), max, [&list](std::string_view item, std::size_t index) -> Result<void> {
    const std::size_t first = item.starts_with('[') ? std::string_view::npos : item.find(':');
    const std::size_t second = first == std::string_view::npos ? first : item.find(':', first + 1);
    const bool is_triple = second != std::string_view::npos && !service_host(item.substr(0, first)).empty() && second > first + 1 &&
                           !service_host(item.substr(second + 1)).empty();
    const bool is_alone = !service_host(item).empty();
    if (is_triple && is_alone) return bad_tpu_endpoint(item, index, "an IPv6 address or name:uid:address, which is ambiguous");
    if (!is_triple && !is_alone) return bad_tpu_endpoint(item, index, "neither a host nor name:uid:address");
    list.hosts.emplace_back(service_host(is_triple ? item.substr(second + 1) : item));
    list.names.push_back(is_triple ? std::string(item.substr(0, first)) : list.hosts.back());
    return {};
  });
  if (!fine) return fine.error();
  return list;
}

Result<TpuHosts> parse_host_names(std::string_view from, std::string_view text, std::size_t max) {
  TpuHosts list;
  list.from = from;
  const Result<void> fine = each_item(from, trim(text), max, [&list](std::string_view item, std::size_t index) -> Result<void> {
    const std::string_view host = service_host(item);
    if (host.empty())
      return Failure(Errc::invalid_argument, fmt::format("{}: element {} is {}, no host name", list.from, index, quoted(item, 80)));
    list.hosts.emplace_back(host);
    return {};
  });
  if (!fine) return fine.error();
  return list;
}

}  // namespace rollcall
