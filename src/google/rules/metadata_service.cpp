#include "google/rules/metadata_service.hpp"

namespace rollcall {

constexpr Service metadata_service = {
    .forbidden_hint =
        "The metadata server refuses: the request passed a proxy, lacked its header, or the endpoint is switched off for this VM or "
        "project.",
    .forbids_without_reasons = true,
    .not_found_hint = "The metadata server has no such value; give it as an option or an environment variable.",
    .takes_token = false,
    .may_answer_499 = true,
    .may_move = true,
    .is_recordable = true,
};

}  // namespace rollcall
