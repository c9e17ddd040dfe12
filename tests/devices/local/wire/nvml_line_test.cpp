// The line between the process that has loaded NVML and the one that waits for it.
#include "devices/local/wire/nvml_line.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;

TEST_CASE("an answer of NVML is the same behind the pipe") {
  NvmlReport report;
  report.driver = "580";
  report.count = 1;
  NvmlDevice& gpu = report.devices.emplace_back();
  gpu.name = "a \"name\"\n";
  gpu.uuid = "GPU-1";
  gpu.minor = 0;
  gpu.memory = UINT64_MAX;
  gpu.has_mig = true;
  gpu.instances.emplace_back().uuid = "MIG-1";
  const Result<NvmlReport> read = parse_nvml_line("the library prints\n" + write_nvml_line(report));
  REQUIRE(read.has_value());
  CHECK(write_nvml_line(*read) == write_nvml_line(report));
  CHECK(read->devices.at(0).instances.at(0).uuid == "MIG-1");
  CHECK(read->devices.at(0).memory == UINT64_MAX);
}

TEST_CASE("what is no answer of NVML") {
  for (const char* const text :
       {"", "\n", "{}", "[]", "nonsense", "{\"nvml\":2}", "{\"nvml\":1,\"devices\":{}}", "{\"nvml\":1,\"devices\":[1]}", "{\"nvml\":1",
        "{\"nvml\":1,\"count\":1,\"devices\":[{\"instances\":3}]}", "{\"nvml\":1,\"count\":2,\"devices\":[{}]}"})
    CHECK(parse_nvml_line(text).error().code() == Errc::malformed_response);
  std::string many = "{\"nvml\":1,\"count\":257,\"devices\":[{}";
  for (int i = 0; i < 256; ++i) many += ",{}";
  CHECK(parse_nvml_line(many + "]}").has_error());
  CHECK(parse_nvml_line("{\"nvml\":1,\"count\":2147483648,\"devices\":[]}").value().count == 2147483648U);
  CHECK(parse_nvml_line(std::string(2 << 20, ' ') + "{\"nvml\":1}").has_error());
  CHECK(parse_nvml_line("{\"nvml\":1,\"count\":1,\"result\":\"x\",\"devices\":[{\"minor\":-1,\"memory\":1.5}]}").has_value());
}

TEST_CASE("the health of a GPU is the same behind the pipe") {
  NvmlReport report;
  report.count = 1;
  NvmlDevice& gpu = report.devices.emplace_back();
  gpu.values = {{"rows_failed", 1}, {"memory_used", UINT64_MAX}};
  gpu.is_health_late = true;
  gpu.users.emplace_back().pid = 4711;
  gpu.users.back().memory = 5;
  gpu.users.emplace_back();
  const Result<NvmlReport> read = parse_nvml_line(write_nvml_line(report));
  REQUIRE(read.has_value());
  const NvmlDevice& again = read->devices.at(0);
  CHECK(again.values == gpu.values);
  CHECK(again.is_health_late);
  REQUIRE(again.users.size() == 2);
  CHECK(again.users[0].pid == 4711U);
  CHECK(again.users[0].memory == 5U);
  CHECK_FALSE(again.users[1].memory);
}

TEST_CASE("values of a GPU that are none") {
  const auto with = [](const std::string& text) { return parse_nvml_line("{\"nvml\":1,\"count\":1,\"devices\":[{" + text + "}]}"); };
  CHECK(with("\"values\":{\"a_1\":5}").has_value());
  for (const char* const text : {"\"values\":{\"A b\":5}", "\"values\":{\"a\":-5}", "\"values\":{\"a\":\"5\"}", "\"values\":{\"\":5}",
                                 "\"processes\":{}", "\"processes\":[5]"})
    CHECK(with(text).has_error());
  std::string many = "\"values\":{\"a\":0";
  for (int i = 0; i < 64; ++i) many += ",\"a" + std::to_string(i) + "\":0";
  CHECK(with(many + "}").has_error());
}
