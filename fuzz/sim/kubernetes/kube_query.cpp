// Queries of the simulated Kubernetes API: any label selector, field selector or continue token is parsed or refused with a bounded
// message, and a whole request with them is answered.
#include "base/url.hpp"
#include "check.hpp"
#include "rollcall/sim/cloud.hpp"
#include "sim/kubernetes/k8s_options.hpp"

namespace {

using namespace rollcall;

std::shared_ptr<sim::Cloud> queried_cloud() {
  static const auto made = sim::Cloud::parse(
      R"({"kubernetes": {"pods": [{"name": "a-{i}", "count": 3, "labels": {"app": "x", "n": "{i}"}, "running_after": 5}]}})");
  return *made;
}

void ask(std::string_view name, std::string_view value) {
  sim::Request request;
  request.host = "localhost";
  request.target = "/api/v1/namespaces/default/pods?limit=2&" + std::string(name) + "=" + percent_encode(value, "");
  request.headers.add("Authorization", "Bearer t");
  const sim::Reply reply = queried_cloud()->handle(request, SteadyTime(std::chrono::seconds(9)));
  require(reply.hold || reply.status == 200 || reply.status == 400);
}

void run_query(std::string_view text) noexcept {
  const auto labels = sim::parse_label_selector(text);
  if (labels) sim::matches(*labels, {{"app", "x"}, {"n", "1"}});
  require(labels || !labels.error().what().empty());
  const auto fields = sim::parse_field_selector(text);
  if (fields) sim::matches(*fields, boost::json::object());
  const auto token = sim::parse_continue(text);
  if (token) require(sim::parse_continue(sim::make_restart_token(*token)).has_value());
  for (const std::string_view name : {"labelSelector", "fieldSelector", "continue"}) ask(name, text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size > 4096) return 0;
  run_query(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
