// Fuzz target: a token from a client. The first byte chooses what is parsed: the input itself, or a token whose header and claims are
// the next two lines, so that the fuzzer need not find their base64. Checks that an accepted token is bounded and has a known algorithm,
// and that no refusal repeats a long part of it.
#include "fleet/rights/wire/json_web_token.hpp"

#include <cstdint>

#include "base/base64.hpp"
#include "check.hpp"
#include "fleet/rights/rules/token_claims.hpp"
#include "fleet/rights/wire/token_review.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) noexcept {
  using namespace rollcall;
  using namespace rollcall::fleet;
  if (size == 0) return 0;
  std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 3 == 2) {
    require_sane(parse_token_review(text, "rollcall"));
    return 0;
  }
  if (data[0] % 3 == 1) {
    const std::size_t line = text.find('\n');
    const std::string claims = line == std::string::npos ? "" : text.substr(line + 1);
    text = base64url_encode(text.substr(0, line)) + "." + base64url_encode(claims) + "." + base64url_encode("signature");
  }
  const Result<JsonWebToken> token = parse_json_web_token(text);
  require_sane(token);
  if (!token) {
    require(token.error().code() == Errc::unauthenticated);
    for (std::size_t at = 0; at + 24 <= text.size(); at += 24)
      require(token.error().message().find(text.substr(at, 24)) == std::string::npos);
    return 0;
  }
  require(text.size() <= max_token_bytes && text.starts_with(token->signed_part) && !token->signature.empty());
  const WallTime now{std::chrono::seconds(1'800'000'000)};
  const Result<void> fine = check_claims(*token, "rollcall", std::chrono::hours(2), now);
  require_sane(fine);
  if (fine) require(token->expires && *token->expires > 1'800'000'000 - 60 && *token->expires <= 1'800'000'000 + 7260);
  const Result<std::string> account = service_account_name(token->subject);
  require_sane(account);
  const Result<std::string> name = google_account_name(*token, {"p"});
  require_sane(name);
  for (const Result<std::string>& one : {account, name}) {
    if (!one) continue;
    for (const char c : *one) require(c > ' ' && c < 0x7f && c != '*');
    require(std::count(one->begin(), one->end(), '/') == 1);
  }
  return 0;
}
