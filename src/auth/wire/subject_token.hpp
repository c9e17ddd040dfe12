// Another provider's token as it lies in a file or an answer.
#pragma once

#include <string>
#include <string_view>

#include "auth/wire/credential_file.hpp"

namespace rollcall {

/// `name` begins the messages: "the subject token file /run/token". Errors: invalid_argument (empty, too long, not JSON, no such field,
/// more than a token).
Result<Secret<std::string>> parse_subject_token(std::string_view name, std::string_view text, const SubjectTokenFormat& format);

}  // namespace rollcall
