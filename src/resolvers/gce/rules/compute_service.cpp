#include "resolvers/gce/rules/compute_service.hpp"

namespace rollcall {

constexpr Service compute_service = {
    .viewer_role = "roles/compute.viewer",
    .api = "compute.googleapis.com",
    .not_found_hint = "Check the name, the project and the zone: gcloud compute instance-groups list --project=PROJECT",
    .is_recordable = true,
    .lists_addresses = true,
    .is_google_api = true,
};

}  // namespace rollcall
