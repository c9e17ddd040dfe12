#include "resolvers/tpu/rules/tpu_service.hpp"

namespace rollcall {

constexpr Service tpu_service = {
    .viewer_role = "roles/tpu.viewer",
    .api = "tpu.googleapis.com",
    .not_found_hint = "check its name, the project and the zone; rollcall discover lists what is there",
    .is_recordable = true,
    .lists_addresses = true,
    .is_google_api = true,
};

}  // namespace rollcall
