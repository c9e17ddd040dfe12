#include "resolvers/slurm/wire/slurm_token.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/base64.hpp"
#include "base/field_text.hpp"
#include "base/text.hpp"
#include "base/wiped_buffer.hpp"
#include "call/rules/token_end.hpp"
#include "json/json_dom.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_slurm_token = 16 * 1024;

bool is_slurm_token(std::string_view text) {
  return !text.empty() && text.size() <= max_slurm_token && is_graphic(text) && std::count(text.begin(), text.end(), '.') == 2;
}

std::string user_of_claims(std::string_view token) {
  std::optional<std::string> claims = base64url_decode(split(token, '.')[1]);
  if (!claims) return {};
  const Result<JsonDocument> document = JsonDocument::parse("the token", *claims);
  clear_and_wipe(*claims);
  if (!document || !document->root().is_object()) return {};
  for (const std::string_view claim : {"sun", "username"}) {
    const std::optional<std::string_view> user = find_text(document->root(), claim);
    if (user && !user->empty() && !field_value_fault(*user)) return std::string(*user);
  }
  return {};
}

}  // namespace

Result<SlurmToken> parse_slurm_token(std::string_view source, std::string_view text) {
  constexpr std::string_view name = "SLURM_JWT=";
  for (const std::string_view line : split(without_byte_order_mark(text), '\n')) {
    std::string_view word = trim(line);
    if (word.starts_with("export ")) word = trim(word.substr(7));
    if (word.starts_with(name)) word = word.substr(name.size());
    if (!is_slurm_token(word)) continue;
    SlurmToken token;
    token.value = Secret<std::string>(std::string(word));
    token.user = user_of_claims(word);
    token.end = token_end(word);
    return token;
  }
  return Failure(Errc::unauthenticated, fmt::format("{} holds no token of Slurm's", source))
      .with_hint("it is one line, SLURM_JWT=eyJ… or eyJ…, as scontrol token prints it");
}

}  // namespace rollcall
