#include "auth/rules/token_service.hpp"

namespace rollcall {

constexpr Service token_service = {
    .forbidden_hint = "The credentials may not be used for this: see what the service says, and what it allows them.",
    .not_found_hint = "Check the credentials' token address.",
    .takes_token = false,
    .refuses_credentials_by_400 = true,
    .may_be_google = true,
};

}  // namespace rollcall
