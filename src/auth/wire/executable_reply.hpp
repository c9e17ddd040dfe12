// What a program prints that is the source of an identity. Source: google.aip.dev/auth/4117, "executable-sourced credentials".
#pragma once

#include <optional>
#include <string_view>

#include "rollcall/error.hpp"
#include "rollcall/secret.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

class ExecutableReply {
 public:
  ExecutableReply() {}
  Secret<std::string> token;
  std::optional<WallTime> expires_at;
};

/// `name` begins the messages. `{"version": 1, "success": true, "token_type": …, "id_token" or "saml_response": …, "expiration_time": …}`.
/// Errors: malformed_response; unauthenticated with the program's own words where it says that it failed.
Result<ExecutableReply> parse_executable_reply(std::string_view name, std::string_view json);

}  // namespace rollcall
