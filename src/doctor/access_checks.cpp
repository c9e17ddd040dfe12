// Checks of the token, the metadata server, project and zone, and the service's answer.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "call/rules/place_form.hpp"
#include "call/runtime_impl.hpp"
#include "doctor/doctor_checks.hpp"
#include "google/gcloud_way.hpp"
#include "google/metadata_client.hpp"
#include "rollcall/listed.hpp"

namespace rollcall {
namespace {

DoctorChecks only(DoctorCheck check) {
  DoctorChecks checks;
  checks.push_back(std::move(check));
  return checks;
}

DoctorCheck describe_token(const AccessToken& token, const Runtime::Impl& impl) {
  const std::string whose = impl.credentials->describe();
  if (!token.expires_at) return DoctorCheck("token", CheckOutcome::pass, fmt::format("from {}", whose));
  const Duration left = *token.expires_at - impl.time->wall_now();
  if (left <= Duration::zero()) {
    return DoctorCheck("token", CheckOutcome::warning, fmt::format("from {}, and it is expired by this machine's clock", whose),
                       "check the clock");
  }
  return DoctorCheck("token", CheckOutcome::pass, fmt::format("from {}, good for {}", whose, coarse_duration_text(left)));
}

// A value that a target requires: without a target a missing value is only a warning.
DoctorCheck describe_place(const DoctorPlan& plan, std::string name, const Result<PlaceValue>& found) {
  if (found) return DoctorCheck(std::move(name), CheckOutcome::pass, fmt::format("{}, from {}", printable(found->value), found->from));
  DoctorCheck check = failed_check(name, found.error());
  check.outcome = plan.resolver ? CheckOutcome::fail : CheckOutcome::warning;
  if (is_misdirected(found.error())) return check;
  check.hint = name == "project" ? "give --project, or set GOOGLE_CLOUD_PROJECT; gcloud config set project PROJECT"
                                 : "give --zone, or set CLOUDSDK_COMPUTE_ZONE; gcloud config set compute/zone ZONE";
  return check;
}

DoctorCheck describe_status(const ClusterStatus& status) {
  const auto is_ready = [](const Member& m) { return m.state.level == MemberState::ready && m.health.level == MemberState::ready; };
  const auto ready = static_cast<std::size_t>(std::count_if(status.members.begin(), status.members.end(), is_ready));
  const std::size_t all = std::max(status.members.size(), static_cast<std::size_t>(std::max(status.expected, 0)));
  const auto listed = static_cast<std::size_t>(std::count_if(status.members.begin(), status.members.end(), is_only_listed));
  std::string found = listed > 0 && listed == ready ? fmt::format("{} of {} members are {}", ready, all, listed_text)
                                                    : fmt::format("{} of {} members are ready", ready, all);
  const auto first = std::find_if_not(status.members.begin(), status.members.end(), is_ready);
  if (first != status.members.end()) {
    const Condition& why = first->state.level == MemberState::ready ? first->health : first->state;
    found += fmt::format("; {}: {}", first->label(), printable(why.text.empty() ? to_string(why.level) : std::string_view(why.text)));
  }
  if (!status.state.text.empty()) found = fmt::format("{}: {}", printable(status.state.text), found);
  const bool is_whole = status.state.level == MemberState::ready && ready == all && all > 0;
  if (is_whole) return DoctorCheck("target", CheckOutcome::pass, std::move(found));
  return DoctorCheck("target", CheckOutcome::warning, std::move(found),
                     all > 0 ? "the service answers; rollcall wait or rollcall watch follow the target"
                             : "the service answers, and knows nothing that belongs to the target: look at its names and selectors");
}

}  // namespace

// Other checks report a metadata server that does not give the universe. Then the way to Google's own services is checked, to which no
// token is sent.
asio::awaitable<Result<HttpRequest>> find_service(Call& call, DoctorPlanHandle plan) {
  Result<HttpRequest> request = co_await plan->subject->find(call);
  if (request && plan->google() && request->url.is_https) request->access = gcloud_way(impl_of(call)).access;
  co_return request;
}

DoctorAnswer check_token(Call& call, DoctorPlanHandle plan) {
  if (!plan->subject) co_return only(skipped_check("token", no_google_credentials));
  if (!plan->google()) {
    Result<DoctorChecks> asked = co_await plan->subject->check_token(call);
    co_return asked;
  }
  const std::shared_ptr<Credentials> credentials = impl_of(call).credentials;
  std::optional<Result<AccessToken>> token = credentials->cached_token(call);
  if (!token) token.emplace(co_await credentials->token(call));
  if (*token) co_return only(describe_token(**token, impl_of(call)));
  const Failure failure = token->error();
  if (failure.code() == Errc::cancelled) co_return failure;
  co_return only(failed_check("token", failure));
}

DoctorAnswer check_metadata_server(Call& call, DoctorPlanHandle plan) {
  const std::string name = "metadata server";
  const MetadataPolicy policy = metadata_policy(*impl_of(call).environment);
  if (!policy.may_ask()) co_return only(skipped_check(name, "not asked: " + policy.forbidden_by()));
  const Result<bool> answers = co_await probe_metadata(call);
  if (!answers && answers.error().code() == Errc::cancelled) co_return answers.error();
  if (!answers) co_return only(failed_check(name, answers.error()));
  if (*answers) co_return only(DoctorCheck(name, CheckOutcome::pass, "it answers"));
  const bool is_needed = is_google_machine(impl_of(call)) && plan->google();
  const Result<ApiRequest> asked = metadata_request(impl_of(call), "");
  if (asked && !asked->absent_server_hint.empty()) {
    const std::string found = fmt::format("it does not answer at {}", printable(asked->http.url.origin()));
    co_return only(DoctorCheck(name, is_needed ? CheckOutcome::fail : CheckOutcome::warning, found, asked->absent_server_hint));
  }
  if (is_needed) {
    co_return only(DoctorCheck(name, CheckOutcome::fail, "this is a machine of Google's, but its metadata server does not answer",
                               "in a pod: check the network policy, and that the metadata server of GKE runs"));
  }
  co_return only(skipped_check(name, "there is none, which is fine off Google Cloud"));
}

DoctorAnswer check_project(Call& call, DoctorPlanHandle plan) {
  if (!plan->google()) co_return DoctorChecks();
  Result<PlaceValue> found = plan->project;
  if (found->value.empty()) found = co_await find_project(call);
  if (!found && found.error().code() == Errc::cancelled) co_return found.error();
  co_return only(describe_place(*plan, "project", found));
}

DoctorAnswer check_zone(Call& call, DoctorPlanHandle plan) {
  if (!plan->google() || plan->google()->is_regional) co_return DoctorChecks();
  Result<PlaceValue> found = plan->zone;
  if (found->value.empty()) found = co_await find_zone(call);
  if (!found && found.error().code() == Errc::cancelled) co_return found.error();
  DoctorCheck check = describe_place(*plan, "zone", found);
  std::string fault = found ? zone_fault(found->value) : std::string();
  if (!fault.empty()) {
    check.outcome = CheckOutcome::warning;
    check.hint = std::move(fault);
  }
  co_return only(std::move(check));
}

DoctorAnswer check_api(Call& call, DoctorPlanHandle plan) {
  if (plan->resolver) co_return DoctorChecks();  // the target's check sends its own request
  Result<PlaceValue> project = plan->project;
  if (project->value.empty()) project = co_await find_project(call);
  if (!project && project.error().code() == Errc::cancelled) co_return project.error();
  if (!project) co_return only(skipped_check("API", "not asked: the project is not known"));
  asio::awaitable<Result<DoctorChecks>> asking = plan->subject->check_api(call, project->value, plan->zone.value);
  co_return co_await std::move(asking);
}

DoctorAnswer check_target(Call& call, DoctorPlanHandle plan) {
  if (!plan->resolver) co_return DoctorChecks();
  const Result<ClusterStatus> status = co_await plan->resolver->do_cluster_status(call);
  if (status) co_return only(describe_status(*status));
  const Failure failure = status.error();
  if (failure.code() == Errc::cancelled) co_return failure;
  DoctorCheck check = failed_check("target", failure);
  if (failure.code() == Errc::not_ready) check.outcome = CheckOutcome::warning;
  co_return only(std::move(check));
}

}  // namespace rollcall
