#include "devices/wire/device_wire.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "support/paths.hpp"

using namespace rollcall;

namespace {

std::string device_sample(const std::string& name) {
  std::ifstream file(testing::tests_dir() / ("samples/devices/tf-2.21." + name + ".bin"), std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  REQUIRE(!text.str().empty());
  return text.str();
}

}  // namespace

TEST_CASE("device lists of real TensorFlow servers") {
  const DeviceLists lists = parse_list_devices_response(device_sample("master-list-devices.no-session")).value();
  REQUIRE(lists.local.size() == 1);
  REQUIRE(lists.remote.size() == 1);
  CHECK(lists.local[0].device_type == "CPU");
  CHECK(lists.local[0].memory_limit == 268435456);
  CHECK(lists.local[0].incarnation != 0);
  CHECK(lists.local[0].name != lists.remote[0].name);
  const DeviceLists in_session = parse_list_devices_response(device_sample("master-list-devices.with-session")).value();
  CHECK(in_session.local.size() == 2);
  CHECK(in_session.remote.empty());
  CHECK(parse_get_status_response(device_sample("worker-get-status")).value().size() == 1);
}

TEST_CASE("answers cut short or mixed up are refused") {
  const std::string whole = device_sample("master-list-devices.no-session");
  int refused = 0;
  for (std::size_t size = 1; size < whole.size(); ++size) {
    const Result<DeviceLists> lists = parse_list_devices_response(whole.substr(0, size));
    if (lists) {
      CHECK(lists->local.size() + lists->remote.size() < 2);
    } else {
      CHECK(lists.error().code() == Errc::malformed_response);
      ++refused;
    }
  }
  CHECK(refused > 100);
  CHECK(parse_list_devices_response("").value().local.empty());
  using namespace std::string_literals;
  for (const std::string& bytes : {"HTTP/1.1 200 OK\r\n"s, "\x0a\x7f"s, "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s, "\x0b"s,
                                   "\x0a\x02\x0a\xff"s, "\x00"s, "\x0a\x04\x0a\x02\xc3\x28"s}) {
    CAPTURE(bytes);
    const Result<DeviceLists> lists = parse_list_devices_response(bytes);
    REQUIRE(lists.has_error());
    CHECK(lists.error().code() == Errc::malformed_response);
  }
  CHECK(parse_create_session_response("").error().code() == Errc::malformed_response);
}

TEST_CASE("a hundred thousand devices are parsed, and more than the limit are refused before they are unpacked") {
  std::string many;
  for (int i = 0; i < 100'000; ++i) many += std::string("\x0a\x00", 2);
  CHECK(parse_list_devices_response(many).value().local.size() == 100'000);
  std::string flood;
  for (int i = 0; i < 300'000; ++i) flood += std::string("\x12\x00", 2);
  CHECK(parse_list_devices_response(flood).error().code() == Errc::limit_exceeded);
}

TEST_CASE("requests are equal to those of the original client") {
  CHECK(list_devices_request("").empty());
  CHECK(list_devices_request("abc") ==
        "\x0a\x03"
        "abc");
  CHECK(close_session_request("h") ==
        "\x0a\x01"
        "h");
  CHECK(create_session_request("grpc://a:1", {}) == std::string("\x0a\x00\x1a\x0a"
                                                                "grpc://a:1",
                                                                14));
  ClusterSpec spec;
  spec.set_job("worker", std::vector<std::string>{"a:1"});
  const std::string cluster = spec.to_cluster_def();
  const std::string request = create_session_request("t", spec);
  // config = 2 { cluster_def = 14 { … } }
  const std::string config = std::string("\x72") + static_cast<char>(cluster.size()) + cluster;
  CHECK(request == std::string("\x0a\x00\x12", 3) + static_cast<char>(config.size()) + config + "\x1a\x01t");
  CHECK(rpc_path("Worker", "GetStatus") == "/tensorflow.WorkerService/GetStatus");
}
