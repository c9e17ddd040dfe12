// The devices of resource claims: allocated ones, and those that are asked for.
#include "resolvers/kubernetes/wire/resource_claim.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

using namespace rollcall;
using Catch::Contains;

namespace {

// `gpus: 4 GPU, all: ? GPU`, or the failure.
std::string devices_of(const std::string& claim_body) {
  const Result<ResourceClaimPage> page =
      parse_resource_claims(fmt::format(R"({{"items":[{{"metadata":{{"name":"c","namespace":"train"}},{}}}]}})", claim_body));
  if (!page) return page.error().message();
  std::string text;
  for (const ClaimedDevices& devices : page->claims.at(0).devices) {
    const std::string_view kind = to_string(devices.kind);
    text += fmt::format("{}{}: {} {}", text.empty() ? "" : ", ", devices.request, devices.count ? std::to_string(*devices.count) : "?",
                        kind.empty() ? "other" : kind);
  }
  return text.empty() ? "none" : text;
}

std::string requests(const std::string& list) { return fmt::format(R"("spec":{{"devices":{{"requests":[{}]}}}})", list); }
std::string devices_asked(const std::string& body) { return devices_of(requests(fmt::format(R"({{"name":"r","exactly":{{{}}}}})", body))); }
std::string results(const std::string& list) {
  return requests(R"({"name":"r","exactly":{"deviceClassName":"gpu.nvidia.com","count":7}})") +
         fmt::format(R"(,"status":{{"allocation":{{"devices":{{"results":[{}]}}}}}})", list);
}
std::string device(const std::string& driver, const std::string& name, const std::string& more = {}) {
  return fmt::format(R"({{"request":"r","driver":"{}","pool":"n1","device":"{}"{}}})", driver, name, more);
}

}  // namespace

TEST_CASE("allocated devices are counted by their drivers") {
  const std::string gpu = "gpu.nvidia.com";
  CHECK(devices_of(results(device(gpu, "gpu-0") + "," + device(gpu, "gpu-1"))) == "r: 2 GPU");
  CHECK(devices_of(results(device(gpu, "gpu-0-mig-1g10gb-0") + "," + device(gpu, "gpu-0-mig-1g10gb-1"))) == "r: 2 GPU");
  CHECK(devices_of(results("")) == "none");
  CHECK(devices_of(R"("status":{"allocation":{}})") == "none");
  // Shares of one device, and access for administration.
  CHECK(devices_of(results(device(gpu, "gpu-0", R"(,"shareID":"a")") + "," + device(gpu, "gpu-0", R"(,"shareID":"b")"))) == "r: 1 GPU");
  CHECK(devices_of(results(device(gpu, "gpu-0") + "," + device(gpu, "gpu-1", R"(,"adminAccess":true)"))) == "r: 1 GPU");
  CHECK(devices_of(results(device(gpu, "gpu-0", R"(,"adminAccess":false)"))) == "r: 1 GPU");
  // A channel of a compute domain, or a network, is no accelerator. An unknown driver may have some.
  CHECK(devices_of(results(device("compute-domain.nvidia.com", "channel-0") + "," + device("dra.net", "eth1"))) == "none");
  CHECK(devices_of(results(device("example.com", "x") + "," + device("tpu.google.com", "tpu-0"))) == "r: 1 other, r: 1 TPU");
  CHECK(devices_of(results(R"({"request":"r/large","driver":"gpu.amd.com","pool":"n1","device":"gpu-0"})")) == "r: 1 GPU");
  CHECK(devices_of(results(device("gaudi.intel.com", "a"))) == "r: 1 HPU");
  CHECK(devices_of(results(device("neuron.aws.com", "a"))) == "r: 1 NEURON");
}

TEST_CASE("before the allocation the requests are counted") {
  CHECK(devices_asked(R"("deviceClassName":"gpu.nvidia.com","allocationMode":"ExactCount","count":4)") == "r: 4 GPU");
  CHECK(devices_asked(R"("deviceClassName":"mig.nvidia.com")") == "r: 1 GPU");
  CHECK(devices_asked(R"("deviceClassName":"gpu.nvidia.com","allocationMode":"All")") == "r: ? GPU");
  CHECK(devices_asked(R"("deviceClassName":"gpu.nvidia.com","adminAccess":true)") == "none");
  CHECK(devices_asked(R"("deviceClassName":"compute-domain-default-channel.nvidia.com")") == "none");
  CHECK(devices_asked(R"("deviceClassName":"our-gpus","count":8)") == "r: 8 other");
  for (const char* const count : {"0", "-1", "\"4\"", "1.5", "99999999999", "true"})
    CHECK(devices_asked(fmt::format(R"("deviceClassName":"gpu.nvidia.com","count":{})", count)) == "r: ? GPU");
  // v1beta1 has no "exactly".
  CHECK(devices_of(
            requests(R"({"name":"a","deviceClassName":"gpu.nvidia.com","count":2},{"name":"b","deviceClassName":"tpu.google.com"})")) ==
        "a: 2 GPU, b: 1 TPU");
  const auto choice = [](const std::string& list) { return devices_of(requests(R"({"name":"r","firstAvailable":[)" + list + "]}")); };
  const std::string two = R"({"name":"x","deviceClassName":"gpu.nvidia.com","count":2})";
  CHECK(choice(two + "," + two) == "r: 2 GPU");
  CHECK(choice(two + R"(,{"name":"y","deviceClassName":"gpu.nvidia.com","count":1})") == "r: ? other");
}

TEST_CASE("lists of claims that are none") {
  CHECK(parse_resource_claims(R"({"items":null})")->claims.empty());
  CHECK(parse_resource_claims(R"({"metadata":{"continue":"t"},"items":[]})")->next_page == "t");
  for (const char* const text :
       {"[]", "{}", R"({"items":{}})", R"({"items":[{}]})", R"({"items":[1]})", R"({"items":[{"metadata":{"name":7}}]})", "{"})
    CHECK(parse_resource_claims(text).error().code() == Errc::malformed_response);
  CHECK(devices_of(R"("spec":1,"status":[])") == "none");
  ParseLimits limits;
  limits.max_nodes = 1;
  CHECK(parse_resource_claims(R"({"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]})", limits).error().code() ==
        Errc::limit_exceeded);
}

TEST_CASE("the version of the API") {
  const auto chosen = [](const std::string& versions) {
    const Result<std::string> version = choose_claim_version(R"({"kind":"APIGroup","versions":[)" + versions + "]}");
    return version ? *version : version.error().message();
  };
  const auto one = [](const std::string& name) { return fmt::format(R"({{"groupVersion":"resource.k8s.io/{0}","version":"{0}"}})", name); };
  CHECK(chosen(one("v1beta1") + "," + one("v1") + "," + one("v1beta2")) == "v1");
  CHECK(chosen(one("v1beta1") + "," + one("v1beta2")) == "v1beta2");
  CHECK(chosen(one("v1beta1")) == "v1beta1");
  CHECK_THAT(chosen(one("v1alpha3")), Contains("has none of the versions v1, v1beta2, v1beta1"));
  CHECK_THAT(chosen(""), Contains("has none of the versions"));
}
