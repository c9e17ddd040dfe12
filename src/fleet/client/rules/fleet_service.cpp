#include "fleet/client/rules/fleet_service.hpp"

namespace rollcall {

constexpr Service fleet_service = {
    .forbidden_hint = "Check what the service allows the one who asks.",
    .not_found_hint = "Check that ROLLCALL_SERVER names a service, without a path behind it.",
};

}  // namespace rollcall
