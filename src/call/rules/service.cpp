#include "call/rules/service.hpp"

namespace rollcall {

constexpr Service other_service = {
    .forbidden_hint = "Check that the one who asks may do that there.",
    .hides_token = false,
    .may_be_google = true,
};

}  // namespace rollcall
