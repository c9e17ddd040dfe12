// The checks, each a coroutine that asks on its own, so that all go side by side. A check that finds fault says so in what it returns; a
// Failure means that it was cancelled, or ended by its deadline.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>

#include "call/rules/doctor_checks.hpp"
#include "doctor/doctor_plan.hpp"
#include "rollcall/doctor.hpp"

namespace rollcall {

using DoctorPlanHandle = std::shared_ptr<const DoctorPlan>;

inline constexpr const char* no_google_credentials = "this target takes none of Google's";

/// Proxy, credentials, the file they are in, quota project, or what the subject checks. No request is sent.
DoctorAnswer check_settings(Call& call, DoctorPlanHandle plan);
/// Where a service is asked instead of the clouds: which, by which token, until when. None: no check.
DoctorAnswer check_server(Call& call);
DoctorAnswer check_token(Call& call, DoctorPlanHandle plan);
DoctorAnswer check_metadata_server(Call& call, DoctorPlanHandle plan);
DoctorAnswer check_project(Call& call, DoctorPlanHandle plan);
DoctorAnswer check_zone(Call& call, DoctorPlanHandle plan);
/// Name look-up, connection, TLS and clock, by one request without a token to the target's service.
DoctorAnswer check_route(Call& call, DoctorPlanHandle plan);
/// Without a target: the service answers a small question.
DoctorAnswer check_api(Call& call, DoctorPlanHandle plan);
/// What the target's resolver says.
DoctorAnswer check_target(Call& call, DoctorPlanHandle plan);
DoctorAnswer check_permissions(Call& call, DoctorPlanHandle plan);

/// A request for the root of the service of the plan, which has one: where it is and how it is reached. Errors: as its look-up.
asio::awaitable<Result<HttpRequest>> find_service(Call& call, DoctorPlanHandle plan);

}  // namespace rollcall
