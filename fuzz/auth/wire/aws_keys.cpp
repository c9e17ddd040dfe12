// AWS's keys: accepted ones can go into headers; no message quotes one.
#include "auth/wire/aws_keys.hpp"

#include "auth/wire/canary.hpp"
#include "base/field_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<AwsKeys> keys = parse_aws_keys(text);
  require_sane(keys);
  if (keys) {
    require(!keys->access_key_id.empty() && is_graphic(keys->access_key_id));
    require(!keys->secret_access_key.empty() && is_graphic(keys->secret_access_key.reveal()));
    require(keys->session_token.empty() || is_graphic(keys->session_token.reveal()));
  }
  require_hidden(text, {"AccessKeyId", "SecretAccessKey", "Token"}, parse_aws_keys);
  if (is_aws_region(text)) require(text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos && size <= 40);
  return 0;
}
