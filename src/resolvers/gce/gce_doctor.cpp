// The Compute Engine API, as doctor() looks at it.
#include "resolvers/gce/gce_doctor.hpp"

#include "call/runtime_impl.hpp"
#include "google/cloud_place.hpp"
#include "resolvers/gce/gce_api.hpp"
#include "resolvers/gce/rules/compute_service.hpp"

namespace rollcall {
namespace {

// As docs/permissions.md has them.
constexpr std::string_view compute_permissions[] = {"compute.instanceGroups.get", "compute.instanceGroups.list", "compute.instances.get",
                                                    "compute.instances.list"};

class ComputeSubject final : public DoctorSubject {
 public:
  ComputeSubject(ComputeRoot root, bool is_regional) : root_(std::move(root)) {
    google_.is_regional = is_regional;
    google_.permissions = compute_permissions;
    google_.viewer_role = compute_service.viewer_role;
    google_.service = &compute_service;
  }
  const GoogleSubject* google() const noexcept override { return &google_; }

  // Without a known universe the way to Google's own service is looked at, as of the Cloud TPU API.
  asio::awaitable<Result<HttpRequest>> find(Call& call) const override {
    Result<Url> root = co_await find_compute(call, root_);
    const bool is_unreported = !root && root.error().code() != Errc::cancelled && !known_universe(impl_of(call));
    if (is_unreported) root = root_.url;
    if (!root) co_return root.error();
    HttpRequest request;
    request.url = std::move(*root);
    co_return request;
  }

 private:
  ComputeRoot root_;
  GoogleSubject google_;
};

}  // namespace

Result<std::shared_ptr<const DoctorSubject>> doctor_gce(const Runtime& runtime, const Target& target) {
  const Result<GceOptions> gce = gce_options(target);
  if (!gce) return gce.error();
  Result<ComputeRoot> root = gce_root(gce->endpoint(), *impl_of(runtime).environment);
  if (!root) return root.error();
  return std::shared_ptr<const DoctorSubject>(std::make_shared<ComputeSubject>(std::move(*root), !gce->region().empty()));
}

}  // namespace rollcall
