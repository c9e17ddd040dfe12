#include "resolvers/tpu/wire/tpu_env.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_tpu_env_bytes = 64 * 1024;
constexpr std::size_t max_tpu_env_keys = 512;

bool is_tpu_env_key(std::string_view key) {
  return !key.empty() && key.size() <= 128 &&
         std::all_of(key.begin(), key.end(), [](char c) { return is_alnum(c) || c == '_' || c == '-'; });
}

// YAML's plain, single-quoted and double-quoted scalars, as far as the agents write them.
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

}  // namespace rollcall
