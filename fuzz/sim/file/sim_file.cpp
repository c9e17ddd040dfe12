// Simulation files: any bytes give a model or an error with a position. An accepted file answers requests.
#include "rollcall/sim/cloud.hpp"

#include "check.hpp"

namespace {

void ask(rollcall::sim::Cloud& cloud, const char* host, const char* target) {
  rollcall::sim::Request request;
  request.host = host;
  request.target = target;
  request.headers.add("Metadata-Flavor", "Google");
  request.headers.add("Authorization", "Bearer t");
  request.headers.add("X-SLURM-USER-NAME", "alice");
  request.headers.add("X-SLURM-USER-TOKEN", cloud.slurm_token(rollcall::WallTime(std::chrono::seconds(4'000'000'000))));
  for (const int at : {0, 1, 100000}) cloud.handle(request, rollcall::SteadyTime(std::chrono::seconds(at)));
}

void run(std::string_view text) noexcept {
  const auto cloud = rollcall::sim::Cloud::parse(text, "fuzz.json");
  rollcall::require_sane(cloud);
  if (!cloud) return rollcall::require(cloud.error().what().starts_with("fuzz.json:"));
  ask(**cloud, "metadata.google.internal", "/computeMetadata/v1/?recursive=true");
  ask(**cloud, "metadata.google.internal", "/computeMetadata/v1/instance/?recursive=true&alt=text&wait_for_change=true&timeout_sec=5");
  ask(**cloud, "localhost", "/v2/projects/example-proj/locations/-/nodes?pageSize=3&fields=nodes(name,networkEndpoints),nextPageToken");
  ask(**cloud, "localhost",
      "/compute/v1/projects/example-proj/zones/us-central2-b/instances?maxResults=3&filter=name%3Da&fields=items(name)");
  ask(**cloud, "localhost", "/compute/v1/projects/example-proj/zones/us-central2-b/instanceGroups");
  ask(**cloud, "localhost", "/v1/projects/example-proj/locations/us-central2-b/nodes/n");
  ask(**cloud, "localhost", "/api/v1/pods?limit=3");
  ask(**cloud, "localhost", "/api/v1/namespaces/default/pods?watch=1&resourceVersion=1000&timeoutSeconds=60");
  ask(**cloud, "localhost", "/apis");
  ask(**cloud, "localhost", "/apis/batch/v1/jobs");
  ask(**cloud, "localhost", "/apis/kueue.x-k8s.io/v1beta2/workloads?watch=1&resourceVersion=1000&timeoutSeconds=60");
  ask(**cloud, "localhost", "/api/v1/events?fieldSelector=type!%3DNormal");
  ask(**cloud, "localhost", "/api/v1/nodes");
  for (const char* const version : {"v0.0.38", "v0.0.42"}) {
    for (const char* const path : {"jobs", "job/7", "nodes", "partitions", "reservations", "jobs/state/"})
      ask(**cloud, "localhost", ("/slurm/" + std::string(version) + "/" + path).c_str());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size > 65536) return 0;
  run(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
