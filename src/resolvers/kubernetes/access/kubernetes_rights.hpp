// Whether the account may read the pods, and what stands around them, as the API server says itself.
#pragma once

#include <asio/awaitable.hpp>

#include "rollcall/call.hpp"
#include "rollcall/doctor_subject.hpp"
#include "rollcall/kubernetes_resolver.hpp"

namespace rollcall {

/// `options` must outlive the await. Errors: as find_kubernetes() and api_send().
asio::awaitable<Result<DoctorChecks>> check_rbac(Call& call, const KubernetesOptions& options);

}  // namespace rollcall
