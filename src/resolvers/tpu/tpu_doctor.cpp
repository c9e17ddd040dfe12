// The Cloud TPU API, as doctor() looks at it.
#include "resolvers/tpu/tpu_doctor.hpp"

#include "call/api_client.hpp"
#include "call/rules/doctor_checks.hpp"
#include "call/runtime_impl.hpp"
#include "google/cloud_place.hpp"
#include "resolvers/tpu/rules/tpu_rules.hpp"
#include "resolvers/tpu/rules/tpu_service.hpp"
#include "resolvers/tpu/tpu_api.hpp"

namespace rollcall {
namespace {

// As docs/permissions.md has them.
constexpr std::string_view tpu_permissions[] = {"tpu.nodes.get", "tpu.nodes.list"};

DoctorChecks one_check(DoctorCheck check) {
  DoctorChecks checks;
  checks.push_back(std::move(check));
  return checks;
}

class TpuSubject final : public DoctorSubject {
 public:
  explicit TpuSubject(TpuOptions options) : options_(std::move(options)) {
    google_.permissions = tpu_permissions;
    google_.viewer_role = tpu_service.viewer_role;
    google_.service = &tpu_service;
  }
  void place(std::string project, std::string zone) {
    google_.project = std::move(project);
    google_.zone = std::move(zone);
    google_.place_from = "TPU_CONFIG or TPU_NAME";
  }
  const GoogleSubject* google() const noexcept override { return &google_; }

  // A metadata server that does not know the universe is reported by other checks: then the way to Google's own service is looked at, to
  // which no token is sent.
  asio::awaitable<Result<HttpRequest>> find(Call& call) const override {
    Result<TpuApiRoot> root = co_await find_tpu_api(call, options_);
    const bool is_unreported = !root && root.error().code() != Errc::cancelled && !known_universe(impl_of(call));
    if (is_unreported) {
      TpuOptions googles = options_;
      googles.endpoint("https://tpu.googleapis.com/");
      root = co_await find_tpu_api(call, googles);
    }
    if (!root) co_return root.error();
    HttpRequest request;
    request.url = std::move(root->url);
    co_return request;
  }

  DoctorAnswer check_api(Call& call, std::string project, std::string zone) const override {
    Result<TpuApiRoot> root = co_await find_tpu_api(call, options_);
    if (!root && root.error().code() == Errc::cancelled) co_return root.error();
    if (!root) co_return one_check(failed_check("API", root.error()));
    TpuPlan place;
    place.project = std::move(project);
    place.zone = zone.empty() ? "-" : std::move(zone);
    const bool is_token_allowed = root->is_token_allowed;
    Url url = nodes_url(place, std::move(*root));
    url.target += "?pageSize=1";
    ApiRequest request = cloud_request(tpu_service, std::move(url), "the Cloud TPU API", is_token_allowed);
    const Result<HttpResponse> answer = co_await api_send(call, request);
    if (answer) co_return one_check(DoctorCheck("API", CheckOutcome::pass, "the Cloud TPU API lists the project's TPUs"));
    if (answer.error().code() == Errc::cancelled) co_return answer.error();
    co_return one_check(failed_check("API", answer.error()));
  }

 private:
  TpuOptions options_;
  GoogleSubject google_;
};

}  // namespace

std::shared_ptr<const DoctorSubject> doctor_tpu_api(TpuOptions options) { return std::make_shared<TpuSubject>(std::move(options)); }

Result<std::shared_ptr<const DoctorSubject>> doctor_tpu(const Runtime& runtime, const Target& target) {
  if (names_queued_resource(target)) {
    TpuOptions api;
    api.endpoint(target.get("endpoint").value_or("")).discovery_url(target.get("discovery_url").value_or(""));
    return doctor_tpu_api(std::move(api));
  }
  Result<TpuOptions> options = tpu_options(target);
  if (!options) return options.error();
  const Result<TpuPlan> named = plan_tpu(*options, *impl_of(runtime).environment);
  if (!named) return named.error();
  std::shared_ptr<const DoctorSubject> none;
  if (named->kind != TpuKind::api) return none;
  auto subject = std::make_shared<TpuSubject>(std::move(*options));
  subject->place(named->project, named->zone);
  return std::shared_ptr<const DoctorSubject>(std::move(subject));
}

}  // namespace rollcall
