#include "rollcall/doctor.hpp"

#include <algorithm>
#include <array>

#include "async/group.hpp"
#include "base/saturating.hpp"
#include "call/call_scope.hpp"
#include "doctor/doctor_checks.hpp"

namespace rollcall {
namespace {

class CheckRow {
 public:
  std::size_t position;  // in the report
  std::string_view name;
  DoctorAnswer (*run)(Call& call, DoctorPlanHandle plan);
};

// In the order of the requests. The route is first, so that it opens its own connection.
constexpr CheckRow check_rows[] = {
    {6, "name look-up", check_route},
    {0, "cluster here", check_surroundings},
    {1, "settings", check_settings},
    {2, "token", check_token},
    {3, "metadata server", check_metadata_server},
    {4, "project", check_project},
    {5, "zone", check_zone},
    {7, "API", check_api},
    {8, "permissions", check_permissions},
    {9, "target", check_target},
};

// Runs the check as a call of its own: if its time is over, the report still has the others.
asio::awaitable<Result<DoctorChecks>> bounded(Call& call, const CheckRow& row, DoctorPlanHandle plan) {
  Runtime::Impl& impl = impl_of(call);
  const SteadyTime begun = impl.time->now();
  const Duration left = saturating_difference(call.deadline(), begun);
  CallOptions options = call.options();
  options.timeout(std::max<Duration>(left - left / 10, Duration(1))).retry(RetryPolicy().max_retries(1));
  auto script = [plan, run = row.run](Call& inner) { return run(inner, plan); };
  CallSubject subject("doctor: " + std::string(row.name));
  asio::awaitable<Result<DoctorChecks>> running =
      run_call<DoctorChecks>(impl.shared_from_this(), std::move(options), std::move(subject), std::move(script));
  Result<DoctorChecks> checks = co_await std::move(running);
  if (!checks && checks.error().code() == Errc::cancelled) co_return checks.error();
  if (!checks) {
    DoctorChecks one;
    one.push_back(failed_check(std::string(row.name), checks.error()));
    checks = std::move(one);
  }
  for (DoctorCheck& check : *checks) {
    if (check.took == Duration::zero() && check.outcome != CheckOutcome::skipped) check.took = impl.time->now() - begun;
  }
  co_return checks;
}

asio::awaitable<Result<DoctorReport>> examine(Call& call, DoctorPlanHandle plan) {
  std::vector<asio::awaitable<Result<DoctorChecks>>> questions;
  for (const CheckRow& row : check_rows) questions.push_back(bounded(call, row, plan));
  Result<std::vector<DoctorChecks>> answers = co_await join(std::move(questions));
  if (!answers) co_return answers.error();
  DoctorReport report;
  std::array<DoctorChecks, std::size(check_rows)> in_order;
  for (std::size_t i = 0; i < in_order.size(); ++i) in_order[check_rows[i].position] = std::move((*answers)[i]);
  for (DoctorChecks& checks : in_order) std::move(checks.begin(), checks.end(), std::back_inserter(report.checks));
  co_return report;
}

}  // namespace

DoctorAnswer DoctorSubject::check_api(Call&, std::string, std::string) const { co_return DoctorChecks(); }

DoctorAnswer DoctorSubject::check_settings(Call&) const {
  DoctorChecks checks;
  checks.push_back(skipped_check("credentials", no_google_credentials));
  co_return checks;
}

DoctorAnswer DoctorSubject::check_token(Call&) const {
  DoctorChecks checks;
  checks.push_back(skipped_check("token", no_google_credentials));
  co_return checks;
}

DoctorAnswer DoctorSubject::check_permissions(Call&) const { co_return DoctorChecks(); }

std::vector<std::string> DoctorSubject::files(const Environment&) const { return {}; }

asio::awaitable<Result<DoctorReport>> try_doctor(Runtime runtime, DoctorOptions options, CallOptions call) {
  Result<DoctorPlan> made = plan_doctor(runtime, std::move(options));
  if (!made) co_return made.error();
  const DoctorPlanHandle plan = std::make_shared<const DoctorPlan>(std::move(*made));
  auto script = [plan](Call& within) { return examine(within, plan); };
  asio::awaitable<Result<DoctorReport>> running =
      run_call<DoctorReport>(shared_impl_of(runtime), std::move(call), CallSubject("doctor"), std::move(script));
  co_return co_await std::move(running);
}

asio::awaitable<DoctorReport> doctor(Runtime runtime, DoctorOptions options, CallOptions call) {
  return value_or_throw(try_doctor(std::move(runtime), std::move(options), std::move(call)));
}

}  // namespace rollcall
