// The checks, each a coroutine with its own requests, so that all run concurrently. A fault is part of the returned checks. A
// Failure means that the check was cancelled, or ended by its deadline.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>

#include "call/rules/doctor_checks.hpp"
#include "doctor/doctor_plan.hpp"
#include "rollcall/doctor.hpp"

namespace rollcall {

using DoctorPlanHandle = std::shared_ptr<const DoctorPlan>;

inline constexpr const char* no_google_credentials = "this target takes none of Google's";

/// Without a target: the cluster that the variables and files of this process show, or what was looked for. Sends no request.
DoctorAnswer check_surroundings(Call& call, DoctorPlanHandle plan);
/// Proxy, credentials, their file, quota project. Sends no request.
DoctorAnswer check_settings(Call& call, DoctorPlanHandle plan);
/// The Rollcall service that is used instead of the clouds, its token, and the token's expiry. Empty if there is none.
DoctorAnswer check_server(Call& call);
DoctorAnswer check_token(Call& call, DoctorPlanHandle plan);
DoctorAnswer check_metadata_server(Call& call, DoctorPlanHandle plan);
DoctorAnswer check_project(Call& call, DoctorPlanHandle plan);
DoctorAnswer check_zone(Call& call, DoctorPlanHandle plan);
/// Name look-up, connection, TLS and clock, by one request without a token to the target's service.
DoctorAnswer check_route(Call& call, DoctorPlanHandle plan);
/// Without a target: sends a small request to the service.
DoctorAnswer check_api(Call& call, DoctorPlanHandle plan);
/// The status of the target by its resolver.
DoctorAnswer check_target(Call& call, DoctorPlanHandle plan);
DoctorAnswer check_permissions(Call& call, DoctorPlanHandle plan);

/// A request for the root URL of the plan's service; the plan must have one. Errors: those of finding the root.
asio::awaitable<Result<HttpRequest>> find_service(Call& call, DoctorPlanHandle plan);

}  // namespace rollcall
