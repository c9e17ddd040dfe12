// Another provider's token in a file, in an answer, or in a program's output.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "auth/wire/credential_file.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// `name` begins the messages: "the subject token file /run/token". Errors: invalid_argument (empty, too long, not JSON, no such field,
/// more than a token).
Result<Secret<std::string>> parse_subject_token(std::string_view name, std::string_view text, const SubjectTokenFormat& format);

class ExecutableReply {
 public:
  ExecutableReply() {}
  Secret<std::string> token;
  std::optional<WallTime> expires_at;
};

/// `name` begins the messages. `{"version": 1, "success": true, "token_type": …, "id_token" or "saml_response": …, "expiration_time": …}`.
/// Errors: malformed_response; unauthenticated with the program's own words if it reports a failure.
Result<ExecutableReply> parse_executable_reply(std::string_view name, std::string_view json);

}  // namespace rollcall
