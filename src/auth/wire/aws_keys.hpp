// Keys in the answers of AWS's metadata and container servers.
#pragma once

#include <string>
#include <string_view>

#include "rollcall/error.hpp"
#include "rollcall/secret.hpp"

namespace rollcall {

class AwsKeys {
 public:
  AwsKeys() {}
  std::string access_key_id;
  Secret<std::string> secret_access_key;
  Secret<std::string> session_token;  ///< empty: the keys are long-term ones
};

/// `{"AccessKeyId": …, "SecretAccessKey": …, "Token": …}`. Errors: unauthenticated, with the server's `Code` and `Message` if it reports
/// that there are none; malformed_response, which quotes nothing of it.
Result<AwsKeys> parse_aws_keys(std::string_view json);

/// True if the text has the form of a region: `us-east-1`.
bool is_aws_region(std::string_view text) noexcept;

}  // namespace rollcall
