// The output of a program that provides an identity: an accepted token is valid, its expiry is a date; no message quotes it.
#include "auth/wire/subject_token.hpp"

#include "auth/wire/canary.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<ExecutableReply> reply = parse_executable_reply("the output of the program /idp", text);
  require_sane(reply);
  if (reply) {
    require(!reply->token.empty());
    if (reply->expires_at) require(*reply->expires_at >= WallTime() && *reply->expires_at <= WallTime(std::chrono::seconds(9'000'000'000)));
  }
  require_hidden(text, {"id_token", "saml_response"},
                 [](std::string_view marked) { return parse_executable_reply("the output of the program /idp", marked); });
  return 0;
}
