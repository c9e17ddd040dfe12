// The init container that is put in front of a pod's others, so that they start once a cluster is ready.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "webhook/wire/admission_review.hpp"

namespace rollcall::webhook {

inline constexpr std::string_view wait_container_name = "rollcall-wait";

class WaitContainer {
 public:
  WaitContainer() {}
  std::string image;
  std::vector<std::string> arguments;  ///< of rollcall
};

/// True if the pod has the init container already: a server may ask again after other webhooks.
bool has_wait_container(const AdmittedPod& pod) noexcept;

/// The container of a pod that has the annotation rollcall.dev/wait. `image` has rollcall as its entry point; `usual_until` is what the
/// target is waited for without rollcall.dev/wait-until; empty: what `rollcall wait` waits for by itself. Errors: invalid_argument naming
/// the annotation; failed_precondition: an API server would refuse the pod with it, or no node could run it.
Result<WaitContainer> wait_container(const AdmittedPod& pod, std::string image, std::string_view usual_until);

/// JSON Patch (RFC 6902).
std::string patch_in_front(const AdmittedPod& pod, const WaitContainer& container);

}  // namespace rollcall::webhook
