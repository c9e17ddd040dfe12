// The locality of a device, and a rule of the wire format: no field has the number 0.
#include <catch2/catch.hpp>

#include "devices/wire/device_wire.hpp"

using namespace rollcall;

namespace {

// Lengths and numbers here are below 128: one byte.
std::string field_of(int number, const std::string& bytes) {
  REQUIRE(bytes.size() < 128);
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}
std::string number_of(int field, int value) { return {static_cast<char>(field << 3), static_cast<char>(value)}; }

Errc code_of(const std::string& bytes) { return parse_list_devices_response(bytes).error().code(); }

}  // namespace

TEST_CASE("a device's locality and links are kept") {
  const std::string links = field_of(1, number_of(1, 7) + field_of(2, "SAME_DEVICE") + number_of(3, 2)) + field_of(1, number_of(1, 8));
  const std::string device = field_of(1, "/device:GPU:0") + field_of(5, number_of(1, 3) + number_of(2, 1) + field_of(3, links));
  const Result<DeviceLists> lists = parse_list_devices_response(field_of(1, device));
  REQUIRE(lists.has_value());
  const DeviceLocality& locality = lists->local.at(0).locality;
  CHECK(locality.bus_id == 3);
  CHECK(locality.numa_node == 1);
  REQUIRE(locality.links.size() == 2);
  CHECK(locality.links[0].device_id == 7);
  CHECK(locality.links[0].type == "SAME_DEVICE");
  CHECK(locality.links[0].strength == 2);
  CHECK(locality.links[1].device_id == 8);
  CHECK(parse_list_devices_response(field_of(1, field_of(1, "a") + field_of(5, "")))->local.at(0).locality == DeviceLocality());
}

TEST_CASE("too many links are refused, of one device and of many") {
  const auto with_length = [](int field, const std::string& bytes) {
    std::string out(1, static_cast<char>(field << 3 | 2));
    std::size_t size = bytes.size();
    for (; size >= 128; size >>= 7) out += static_cast<char>((size & 127) | 128);
    return out + static_cast<char>(size) + bytes;
  };
  std::string links;
  for (std::size_t i = 0; i <= max_devices; ++i) links += field_of(1, "");
  CHECK(code_of(with_length(1, with_length(5, with_length(3, links)))) == Errc::limit_exceeded);
  std::string many;
  const std::string some = with_length(1, with_length(5, with_length(3, links.substr(0, 2000))));
  for (std::size_t i = 0; i <= max_devices / 1000; ++i) many += some;
  CHECK(code_of(many) == Errc::limit_exceeded);
}

TEST_CASE("a message with a field number 0 is refused at any depth") {
  const std::string device = field_of(1, "/device:CPU:0");
  for (const std::string& zero : {std::string("\x00\x01", 2), std::string("\x01\x01\x02\x03\x04\x05\x06\x07\x08", 9), field_of(0, "a"),
                                  std::string("\x05\x01\x02\x03\x04", 5), std::string("\x00", 1)}) {
    CHECK(code_of(field_of(1, device) + zero) == Errc::malformed_response);
    CHECK(code_of(zero + field_of(1, device)) == Errc::malformed_response);
    CHECK(code_of(field_of(1, device + zero)) == Errc::malformed_response);
    CHECK(code_of(field_of(1, device + field_of(5, zero))) == Errc::malformed_response);
    CHECK(code_of(field_of(1, device + field_of(5, field_of(3, zero)))) == Errc::malformed_response);
    CHECK(code_of(field_of(1, device + field_of(5, field_of(3, field_of(1, zero))))) == Errc::malformed_response);
    CHECK(parse_create_session_response(field_of(1, "handle") + zero).has_error());
    CHECK(ClusterSpec::from_cluster_def(zero).has_error());
    CHECK(ClusterSpec::from_cluster_def(field_of(1, field_of(1, "job") + zero)).has_error());
    CHECK(ClusterSpec::from_cluster_def(field_of(1, field_of(1, "job") + field_of(2, number_of(1, 0) + field_of(2, "a:1") + zero)))
              .has_error());
  }
}
