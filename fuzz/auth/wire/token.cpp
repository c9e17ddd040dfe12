// Token replies and token texts: an accepted token can go into a header.
#include "auth/wire/token.hpp"

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const Result<TokenReply>& reply : {parse_token_reply(text), parse_generated_token(text, WallTime())}) {
    require_sane(reply);
    if (!reply) continue;
    require(!reply->access_token.empty());
    for (const unsigned char c : reply->access_token.reveal()) require(c > ' ' && c < 0x7f);
    if (reply->lifetime) require(reply->lifetime->count() >= 0);
  }
  const auto token = parse_token_text("the input", text);
  require_sane(token);
  if (token) require(!token->empty() && token->reveal().find_first_of(" \r\n") == std::string_view::npos);
  return 0;
}
