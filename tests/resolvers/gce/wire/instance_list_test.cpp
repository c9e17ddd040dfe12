// Compute Engine instances, single and in pages.
#include "resolvers/gce/wire/instance_list.hpp"

#include <catch2/catch.hpp>

#include "support/parse_result.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

Instance instance_of(const std::string& json) { return value_of(parse_instance(json)); }

void check_instance_refused(const std::string& json, Errc code, const std::string& text) {
  INFO(json.substr(0, 200));
  check_failure(parse_instance(json), code, text);
  const Result<InstancePage> page = parse_instance_list("{\"items\":[{}," + json + "]}");
  REQUIRE(!page);
  CHECK(to_string(page.error().code()) == to_string(code));
}

}  // namespace

TEST_CASE("an instance and its interfaces") {
  const Instance instance = instance_of(read_sample("compute/instance.two-nics.json"));
  CHECK(instance.name == "worker-4");
  CHECK(instance.zone == "us-central1-a");
  CHECK(instance.status == "RUNNING");
  REQUIRE(instance.interfaces.size() == 2);
  CHECK(instance.interfaces[0].name == "nic0");
  CHECK(instance.interfaces[0].ip == "10.128.0.12");
  CHECK(instance.interfaces[1].ip == "192.168.7.12");
  CHECK(instance.interfaces[1].ipv6 == "fd20:0:0:7::c");
  const Instance young = instance_of(read_sample("compute/instance.provisioning-no-ip.json"));
  CHECK(young.status == "PROVISIONING");
  REQUIRE(young.interfaces.size() == 1);
  CHECK(young.interfaces[0].ip.empty());
}

TEST_CASE("an instance's location; of a repeated key the last one counts") {
  const Instance reported = instance_of(
      R"({"resourceStatus":{"physicalHost":"b/s/h","physicalHostTopology":{"cluster":"c","block":"b","subblock":"s","host":"h","more":1}}})");
  CHECK((reported.cluster + reported.block + reported.subblock + reported.physical_host) == "cbsh");
  const Instance twice = instance_of(R"({"resourceStatus":{"physicalHostTopology":{"cluster":"c","host":"h"}},"resourceStatus":{}})");
  CHECK((twice.cluster.empty() && twice.physical_host.empty()));
  check_instance_refused(R"({"resourceStatus":{"physicalHostTopology":{"block":7}}})", Errc::malformed_response, "block");
}

TEST_CASE("an instance's machine type and its accelerators, by the last parts of their URLs") {
  const Instance instance = instance_of(
      R"({"machineType":"https://c/compute/v1/projects/p/zones/z/machineTypes/n1-standard-8","guestAccelerators":[
          {"acceleratorType":"https://c/compute/v1/projects/p/zones/z/acceleratorTypes/nvidia-tesla-t4","acceleratorCount":2},
          {"acceleratorType":"nvidia-l4","more":[{}]},{"acceleratorCount":null}]})");
  CHECK(instance.machine_type == "n1-standard-8");
  REQUIRE(instance.guests.size() == 3);
  CHECK((instance.guests[0].type == "nvidia-tesla-t4" && instance.guests[0].count == 2));
  CHECK((instance.guests[1].type == "nvidia-l4" && instance.guests[1].count == 0));
  CHECK(instance.guests[2] == GuestAccelerators());
  CHECK(instance_of(R"({"machineType":null,"guestAccelerators":null})") == Instance());
  const auto bad = Errc::malformed_response;
  check_instance_refused(R"({"machineType":7})", bad, "machineType is a number, not a text");
  check_instance_refused(R"({"guestAccelerators":{}})", bad, "guestAccelerators is an object, not an array");
  check_instance_refused(R"({"guestAccelerators":[{"acceleratorType":7}]})", bad, "guestAccelerators[0].acceleratorType is a number");
  check_instance_refused(R"({"guestAccelerators":[{"acceleratorCount":true}]})", bad, "guestAccelerators[0].acceleratorCount is");
  check_instance_refused(R"({"guestAccelerators":[{"acceleratorCount":-1}]})", bad, "is -1, no number of accelerators");
  check_instance_refused(R"({"guestAccelerators":[{"acceleratorCount":2147483648}]})", bad, "no number of accelerators");
}

TEST_CASE("the external IPv6 address stands in for a missing internal one") {
  const Instance instance = instance_of(
      R"({"networkInterfaces":[{"ipv6AccessConfigs":[{"externalIpv6":"2600:1900::1"},{"externalIpv6":"2600:1900::2"}]},
          {"ipv6AccessConfigs":[{"externalIpv6":"2600:1900::3"}],"ipv6Address":"fd20::3"},{"networkIP":"10.0.0.9"}]})");
  REQUIRE(instance.interfaces.size() == 3);
  CHECK(instance.interfaces[0].ipv6 == "2600:1900::1");
  CHECK(instance.interfaces[1].ipv6 == "fd20::3");
  CHECK(instance.interfaces[2].ipv6.empty());
}

TEST_CASE("a page of instances") {
  const Result<InstancePage> page = parse_instance_list(read_sample("compute/instances-list.filtered-fields.json"));
  REQUIRE(page.has_value());
  REQUIRE(page->instances.size() == 4);
  CHECK(page->instances[3].name == "worker-10");
  CHECK(page->instances[3].interfaces.at(0).ip == "10.128.0.9");
  const Result<InstancePage> more =
      parse_instance_list(R"({"nextPageToken":"t","warning":{"code":"UNREACHABLE"},"items":[{"name":"a","networkInterfaces":null}]})");
  REQUIRE(more.has_value());
  CHECK(more->next_page_token == "t");
  CHECK(more->warning.is_serious());
  CHECK(parse_instance_list("{}")->instances.empty());
}

TEST_CASE("every field of an instance, null and of the wrong type") {
  CHECK(instance_of(R"({"name":null,"zone":null,"status":null,"networkInterfaces":null})") == Instance());
  CHECK(instance_of(R"({"networkInterfaces":[{"name":null,"networkIP":null,"ipv6Address":null,"ipv6AccessConfigs":null}]})")
            .interfaces.size() == 1);
  const auto bad = Errc::malformed_response;
  check_instance_refused("[]", bad, "");
  check_instance_refused(R"({"name":7})", bad, "name is a number, not a text");
  check_instance_refused(R"({"zone":[]})", bad, "zone is an array, not a text");
  check_instance_refused(R"({"status":{}})", bad, "status is an object, not a text");
  check_instance_refused(R"({"networkInterfaces":{}})", bad, "networkInterfaces is an object, not an array");
  check_instance_refused(R"({"networkInterfaces":[7]})", bad, "networkInterfaces[0] is a number, not an object");
  check_instance_refused(R"({"networkInterfaces":[{},{"networkIP":7}]})", bad, "networkInterfaces[1].networkIP is a number, not a text");
  check_instance_refused(R"({"networkInterfaces":[{"name":true}]})", bad, "networkInterfaces[0].name is a boolean");
  check_instance_refused(R"({"networkInterfaces":[{"ipv6AccessConfigs":[{"externalIpv6":7}]}]})", bad,
                         "ipv6AccessConfigs[0].externalIpv6 is");
  check_instance_refused("{\"name\":\"" + std::string(1'000'000, 'n') + "\"}", Errc::limit_exceeded, "name is longer");
  check_instance_refused("{\"x\":" + nested(1000) + "}", Errc::limit_exceeded, "nests too deeply");
  CHECK(parse_instance("<html>").error().code() == bad);
  ParseLimits limits;
  limits.max_items = 1;
  CHECK(parse_instance(R"({"networkInterfaces":[{},{}]})", limits).error().code() == Errc::limit_exceeded);
}

TEST_CASE("a text that is not an address is refused before it becomes a part of one") {
  for (const char* const address : {"10.0.0.1:80", "a b", "10.0.0.1\\n", "x/y", "[fd20::1]", "a,b", "\\u0000", "evil.example.com",
                                    "256.1.1.1", "10.0.0", "010.0.0.1", "fe80::1%eth0", "localhost"}) {
    for (const char* const field : {"networkIP", "ipv6Address"}) {
      check_instance_refused(std::string(R"({"networkInterfaces":[{")") + field + R"(":")" + address + R"("}]})", Errc::malformed_response,
                             "not an address");
    }
  }
}

TEST_CASE("where a page of instances is cut does not matter, and a body cut short is an error at every byte") {
  std::string text = read_sample("compute/instances-list.filtered-fields.json");
  text.erase(text.find_last_of('}') + 1);
  const InstancePage whole = *parse_instance_list(text);
  for (const std::size_t step : {1, 3, 64}) {
    InstanceListParser parser;
    for (std::size_t at = 0; at < text.size(); at += step) REQUIRE(parser.feed(std::string(text.substr(at, step))).has_value());
    REQUIRE(parser.finish().has_value());
    CHECK(parser.page() == whole);
  }
  for (const std::string& name : samples("compute", "instance.")) {
    std::string one = read_sample(name);
    one.erase(one.find_last_of('}') + 1);
    for_each_prefix(one, [&](std::string_view part) {
      if (parse_instance(part).has_value() != (part.size() == one.size())) FAIL_CHECK(name << " of " << part.size() << " bytes");
    });
  }
}
