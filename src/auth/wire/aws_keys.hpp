// Keys as AWS's metadata and container servers hand them out.
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
  Secret<std::string> session_token;  ///< empty: the keys are lasting ones
};

/// `{"AccessKeyId": …, "SecretAccessKey": …, "Token": …}`. Errors: unauthenticated, with the server's `Code` and
/// `Message` where it says that there are none; malformed_response, which quotes nothing of it.
Result<AwsKeys> parse_aws_keys(std::string_view json);

/// Whether a text can be a region: `us-east-1`.
bool is_aws_region(std::string_view text) noexcept;

}  // namespace rollcall
