// TPU types: every size that Google lists, and sizes that are not sold.
#include "rollcall/accelerator.hpp"

#include <catch2/catch.hpp>

#include "accelerator/tpu_shape.hpp"
#include "support/result.hpp"

using namespace rollcall;

namespace {

struct Row {
  const char* name;
  int chips, cores, devices, hosts;
  const char* topology;
  const char* host_bounds;
  const char* wrap;  // y or n per axis
};

constexpr Row listed[] = {
    {"v2-8", 4, 8, 8, 1, "2x2", "1,1,1", "nnn"},
    {"v3-8", 4, 8, 8, 1, "2x2", "1,1,1", "nnn"},
    {"v2-32", 16, 32, 32, 4, "4x4", "2,2,1", "nnn"},
    {"v3-32", 16, 32, 32, 4, "4x4", "2,2,1", "nnn"},
    {"v3-64", 32, 64, 64, 8, "4x8", "2,4,1", "nnn"},
    {"v2-128", 64, 128, 128, 16, "8x8", "4,4,1", "nnn"},
    {"v3-128", 64, 128, 128, 16, "8x8", "4,4,1", "nnn"},
    {"v2-256", 128, 256, 256, 32, "8x16", "4,8,1", "nyn"},
    {"v3-256", 128, 256, 256, 32, "8x16", "4,8,1", "nnn"},
    {"v2-512", 256, 512, 512, 64, "16x16", "8,8,1", "yyn"},
    {"v3-512", 256, 512, 512, 64, "16x16", "8,8,1", "nnn"},
    {"v3-1024", 512, 1024, 1024, 128, "16x32", "8,16,1", "nyn"},
    {"v3-2048", 1024, 2048, 2048, 256, "32x32", "16,16,1", "yyn"},
    {"v4-8", 4, 8, 4, 1, "2x2x1", "1,1,1", "nnn"},
    {"v5p-8", 4, 8, 4, 1, "2x2x1", "1,1,1", "nnn"},
    {"v4-16", 8, 16, 8, 2, "2x2x2", "1,1,2", "nnn"},
    {"v5p-16", 8, 16, 8, 2, "2x2x2", "1,1,2", "nnn"},
    {"v4-32", 16, 32, 16, 4, "2x2x4", "1,1,4", "nnn"},
    {"v5p-32", 16, 32, 16, 4, "2x2x4", "1,1,4", "nnn"},
    {"v4-64", 32, 64, 32, 8, "2x4x4", "1,2,4", "nnn"},
    {"v5p-64", 32, 64, 32, 8, "2x4x4", "1,2,4", "nnn"},
    {"v4-128", 64, 128, 64, 16, "4x4x4", "2,2,4", "yyy"},
    {"v5p-128", 64, 128, 64, 16, "4x4x4", "2,2,4", "yyy"},
    {"v4-256", 128, 256, 128, 32, "4x4x8", "2,2,8", "yyy"},
    {"v5p-256", 128, 256, 128, 32, "4x4x8", "2,2,8", "yyy"},
    {"v4-384", 192, 384, 192, 48, "4x4x12", "2,2,12", "yyy"},
    {"v5p-384", 192, 384, 192, 48, "4x4x12", "2,2,12", "yyy"},
    {"v4-512", 256, 512, 256, 64, "4x8x8", "2,4,8", "yyy"},
    {"v5p-512", 256, 512, 256, 64, "4x8x8", "2,4,8", "yyy"},
    {"v4-1024", 512, 1024, 512, 128, "8x8x8", "4,4,8", "yyy"},
    {"v5p-1024", 512, 1024, 512, 128, "8x8x8", "4,4,8", "yyy"},
    {"v4-1536", 768, 1536, 768, 192, "8x8x12", "4,4,12", "yyy"},
    {"v5p-1536", 768, 1536, 768, 192, "8x8x12", "4,4,12", "yyy"},
    {"v4-2048", 1024, 2048, 1024, 256, "8x8x16", "4,4,16", "yyy"},
    {"v5p-2048", 1024, 2048, 1024, 256, "8x8x16", "4,4,16", "yyy"},
    {"v4-4096", 2048, 4096, 2048, 512, "8x16x16", "4,8,16", "yyy"},
    {"v5p-4096", 2048, 4096, 2048, 512, "8x16x16", "4,8,16", "yyy"},
    {"v5p-8192", 4096, 8192, 4096, 1024, "16x16x16", "8,8,16", "yyy"},
    {"v5p-12288", 6144, 12288, 6144, 1536, "16x16x24", "8,8,24", "yyy"},
    {"v5litepod-1", 1, 1, 1, 1, "1x1", "1,1,1", "nnn"},
    {"v6e-1", 1, 1, 1, 1, "1x1", "1,1,1", "nnn"},
    {"v5litepod-4", 4, 4, 4, 1, "2x2", "1,1,1", "nnn"},
    {"v6e-4", 4, 4, 4, 1, "2x2", "1,1,1", "nnn"},
    {"v5litepod-8", 8, 8, 8, 1, "2x4", "1,1,1", "nnn"},
    {"v6e-8", 8, 8, 8, 1, "2x4", "1,1,1", "nnn"},
    {"v5litepod-16", 16, 16, 16, 4, "4x4", "2,2,1", "nnn"},
    {"v6e-16", 16, 16, 16, 4, "4x4", "2,2,1", "nnn"},
    {"v5litepod-32", 32, 32, 32, 8, "4x8", "2,4,1", "nnn"},
    {"v6e-32", 32, 32, 32, 8, "4x8", "2,4,1", "nnn"},
    {"v5litepod-64", 64, 64, 64, 16, "8x8", "4,4,1", "nnn"},
    {"v6e-64", 64, 64, 64, 16, "8x8", "4,4,1", "nnn"},
    {"v5litepod-128", 128, 128, 128, 32, "8x16", "4,8,1", "nyn"},
    {"v6e-128", 128, 128, 128, 32, "8x16", "4,8,1", "nyn"},
    {"v5litepod-256", 256, 256, 256, 64, "16x16", "8,8,1", "yyn"},
    {"v6e-256", 256, 256, 256, 64, "16x16", "8,8,1", "yyn"},
    {"tpu7x-2", 1, 2, 2, 1, "1x1x1", "1,1,1", "nnn"},
    {"tpu7x-8", 4, 8, 8, 1, "2x2x1", "1,1,1", "nnn"},
    {"tpu7x-16", 8, 16, 16, 2, "2x2x2", "1,1,2", "nnn"},
    {"tpu7x-32", 16, 32, 32, 4, "2x2x4", "1,1,4", "nnn"},
    {"tpu7x-64", 32, 64, 64, 8, "2x4x4", "1,2,4", "nnn"},
    {"tpu7x-128", 64, 128, 128, 16, "4x4x4", "2,2,4", "yyy"},
    {"tpu7x-256", 128, 256, 256, 32, "4x4x8", "2,2,8", "yyy"},
    {"tpu7x-512", 256, 512, 512, 64, "4x8x8", "2,4,8", "yyy"},
    {"tpu7x-1024", 512, 1024, 1024, 128, "8x8x8", "4,4,8", "yyy"},
    {"tpu7x-2048", 1024, 2048, 2048, 256, "8x8x16", "4,4,16", "yyy"},
    {"tpu7x-4096", 2048, 4096, 4096, 512, "8x16x16", "4,8,16", "yyy"},
    {"tpu7x-8192", 4096, 8192, 8192, 1024, "16x16x16", "8,8,16", "yyy"},
    {"tpu7x-18432", 9216, 18432, 18432, 2304, "16x24x24", "8,12,24", "yyy"},
};

std::string wrap_text(const AcceleratorType& type) {
  std::string text;
  for (const bool wraps : type.wrap()) text += wraps ? 'y' : 'n';
  return text;
}

Errc error_of(std::string_view text) {
  const Result<AcceleratorType> type = AcceleratorType::parse(text);
  REQUIRE_FALSE(type);
  CHECK(type.error().message().size() < 1000);
  CHECK(type.error().message().find('\x1b') == std::string::npos);
  return type.error().code();
}

}  // namespace

TEST_CASE("every listed TPU type") {
  for (const Row& row : listed) {
    CAPTURE(row.name);
    const Result<AcceleratorType> parsed = AcceleratorType::parse(row.name);
    REQUIRE(parsed);
    const AcceleratorType& type = *parsed;
    CHECK(type.name() == row.name);
    CHECK(type.chips() == row.chips);
    CHECK(type.cores() == row.cores);
    CHECK(type.devices() == row.devices);
    CHECK(type.hosts() == row.hosts);
    CHECK(type.devices_per_host() * type.hosts() == row.devices);
    CHECK(type.topology().to_text() == row.topology);
    CHECK(type.host_bounds().to_bounds() == row.host_bounds);
    CHECK(type.host_bounds().size() == row.hosts);
    CHECK(type.chips_per_host_bounds().size() == type.chips_per_host());
    CHECK(wrap_text(type) == row.wrap);
    CHECK(type.is_topology_certain() == (type.topology().dimensions() == 2 || row.chips <= 8));

    // The same by topology, and by the API's configuration.
    const std::string generation(to_string(type.generation()));
    const AcceleratorType again = AcceleratorType::parse(generation + "-" + row.topology).value();
    CHECK(again.name() == row.name);
    CHECK(again.is_topology_certain());
    CHECK(again.hosts() == row.hosts);
    CHECK(AcceleratorType::from_config(row_of(type.generation()).config_name, row.topology).value().name() == row.name);
  }
}

TEST_CASE("other spellings of a generation") {
  CHECK(AcceleratorType::parse("v5e-16").value().name() == "v5litepod-16");
  CHECK(AcceleratorType::parse("V4-8").value().name() == "v4-8");
  CHECK(AcceleratorType::parse("v7x-8").value().name() == "tpu7x-8");
  CHECK(AcceleratorType::parse("tpuv4-8").value().name() == "v4-8");
  CHECK(AcceleratorType::parse("v4-0008").value().name() == "v4-8");
  CHECK(AcceleratorType::from_config("v5lite_pod", "4x4").value().name() == "v5litepod-16");
  CHECK(AcceleratorType::from_config("TPU7X", "4x4x4").value().name() == "tpu7x-128");
}

TEST_CASE("bounds of hosts") {
  CHECK(AcceleratorType::parse("v5litepod-8").value().chips_per_host_bounds().to_bounds() == "2,4,1");
  CHECK(AcceleratorType::parse("v5litepod-8").value().host_bounds().to_bounds() == "1,1,1");
  CHECK(AcceleratorType::parse("v6e-4x2").value().host_bounds().to_bounds() == "1,1,1");
  CHECK(AcceleratorType::parse("v5litepod-1").value().chips_per_host_bounds().to_bounds() == "1,1,1");
  CHECK(AcceleratorType::parse("v4-32").value().chips_per_host_bounds().to_bounds() == "2,2,1");
}

TEST_CASE("the same slice on the hosts that are there") {
  for (const char* name : {"v5litepod-8", "v6e-8"}) {
    const AcceleratorType two = AcceleratorType::parse(name).value().on_hosts(2).value();
    CHECK((two.hosts() == 2 && two.chips_per_host() == 4 && two.devices_per_host() == 4 && two.chips() == 8));
    CHECK(two.chips_per_host_bounds().to_bounds() == "2,2,1");
    CHECK(two.host_bounds().to_bounds() == "1,2,1");
    CHECK(two.on_hosts(1).value().chips_per_host_bounds().to_bounds() == "2,4,1");
  }
  CHECK(AcceleratorType::parse("v6e-4x2").value().on_hosts(2).value().host_bounds().to_bounds() == "2,1,1");
  for (const char* name : {"v4-16", "v5litepod-16", "v3-8", "tpu7x-16", "v6e-4"}) {
    const AcceleratorType type = AcceleratorType::parse(name).value();
    CHECK(type.on_hosts(type.hosts()).value().name() == type.name());
    for (const int hosts : {0, -1, 3, type.hosts() * 2}) CHECK(type.on_hosts(hosts).error().code() == Errc::conflict);
  }
  const AcceleratorType wide = AcceleratorType::parse("v6e-16").value().with_host(Topology({2, 4, 1}, 3)).value();
  CHECK((wide.hosts() == 2 && wide.host_bounds().to_bounds() == "2,1,1"));
  CHECK(AcceleratorType::parse("v6e-16").value().with_host(Topology({3, 1, 1}, 3)).error().code() == Errc::conflict);
  CHECK(AcceleratorType().on_hosts(1).error().code() == Errc::conflict);
}

TEST_CASE("a service's own shapes need not be in the table") {
  const AcceleratorType large = AcceleratorType::from_config("V5P", "16x20x28").value();
  CHECK((large.name() == "v5p-17920" && large.hosts() == 2240 && large.host_bounds().to_bounds() == "8,10,28"));
  CHECK(AcceleratorType::from_config("v5p", "16x20x28").value().name() == "v5p-17920");
  CHECK(AcceleratorType::from_config("V4", "4x4x6").value().hosts() == 24);
  CHECK(AcceleratorType::from_config("V6E", "2x1").value().hosts() == 1);
  CHECK(AcceleratorType::from_config("V6E", "32x32").value().hosts() == 256);
  for (const char* shape : {"3x3x3", "1x1x8", "1x4x4", "4x4", "4096x4096x8", "3x2x1", "64x64x64"}) {
    CAPTURE(shape);
    CHECK_FALSE(AcceleratorType::from_config("V5P", shape));
  }
  CHECK_FALSE(AcceleratorType::parse("v5p-16x20x28"));  // of a user it is a mistake
}

TEST_CASE("sizes that are not listed but follow the rules") {
  const AcceleratorType v4 = AcceleratorType::parse("v4-640").value();
  CHECK(v4.topology().to_text() == "4x4x20");
  CHECK(v4.hosts() == 80);
  CHECK_FALSE(v4.is_topology_certain());
  CHECK(AcceleratorType::parse("v5p-2304").value().topology().to_text() == "8x12x12");
  const AcceleratorType v2 = AcceleratorType::parse("v2-16").value();
  CHECK(v2.topology().to_text() == "2x4");
  CHECK(v2.hosts() == 2);
  CHECK_FALSE(v2.is_topology_certain());
  CHECK(AcceleratorType::parse("v4-4x4x16").value().hosts() == 64);
  CHECK(AcceleratorType::parse("v4-4x2x2").value().hosts() == 4);
}

TEST_CASE("the table agrees with the rule for three dimensions") {
  for (const TpuSliceRow& slice : tpu_slices) {
    if (slice.dimensions == 3) CHECK(is_possible_shape(row_of(TpuGeneration::tpu7x), Topology(slice.extent, 3)));
    CHECK(Topology(slice.extent, slice.dimensions).size() == slice.chips);
  }
}

TEST_CASE("sizes that do not exist") {
  // clang-format off
  for (const char* text : {"v4-0", "v4-00000", "v4-1", "v4-2", "v4-4", "v4-7", "v4-24", "v4-48", "v4-8320", "v4-99999999999999999999", "v2-4", "v2-24", "v2-1024",
                           "v3-4096", "v5litepod-2", "v5litepod-3", "v5litepod-12", "v5litepod-512", "v6e-0", "v6e-257", "v5p-12416", "tpu7x-1", "tpu7x-4",
                           "tpu7x-18560", "v4-4x4", "v4-4x4x6", "v4-1x2x2", "v4-2x4x8", "v4-4x4x1", "v5litepod-4x4x4", "v5litepod-2x8", "v5litepod-32x32",
                           "v6e-1x4", "v4-0x4x4", "v4-4x4x", "v4-x", "v4-4x4x4x4", "v4-4096x4096x4096", "v4-99999999999x4x4"}) {
  // clang-format on
    CAPTURE(text);
    CHECK(error_of(text) == Errc::invalid_argument);
  }
}

TEST_CASE("texts that are no TPU types") {
  for (const char* text : {"", "-", "v4", "v4-", "-8", "v-8", "tpu-8", "4-8", "v4 -8", "v4- 8", "v4-8 ", "v4-+8", "v4-8-8", "x4-8",
                           "nvidia-l4", "v4-\x1b[2J", "v4\n-8", "v4_a-8"}) {
    CAPTURE(text);
    CHECK(error_of(text) == Errc::invalid_argument);
  }
  CHECK(error_of("v4-" + std::string(10'000'000, '8')) == Errc::invalid_argument);
  CHECK(error_of(std::string(10'000'000, 'v')) == Errc::invalid_argument);
  CHECK(error_of("v9-8") == Errc::not_found);
  CHECK(error_of("tpu8i-8") == Errc::not_found);
  CHECK(AcceleratorType::from_config("TYPE_UNSPECIFIED", "4x4").error().code() == Errc::not_found);
  CHECK(AcceleratorType::from_config("", "").error().code() == Errc::not_found);
  CHECK(AcceleratorType::from_config("V4", "").error().code() == Errc::invalid_argument);
}

TEST_CASE("topologies") {
  CHECK(Topology::parse("4x8").value().to_bounds() == "4,8,1");
  CHECK(Topology::parse("4x8").value().to_text() == "4x8");
  CHECK(Topology::parse("4x8x12").value().size() == 384);
  for (const char* text : {"", "4", "x", "4x", "x4", "4x4x4x4", "0x4", "4x4097", "-4x4", "4 x4", "4,4", "4X4", "4096x4096x4096"}) {
    CAPTURE(text);
    CHECK_FALSE(Topology::parse(text));
  }
  CHECK_FALSE(Topology::parse(std::string(10'000'000, 'x')));
}

TEST_CASE("a type that was never parsed divides nothing by zero") {
  const AcceleratorType type;
  CHECK(type.hosts() == 0);
  CHECK(type.devices_per_host() >= 0);
  CHECK(type.host_bounds().size() == 1);
}

TEST_CASE("counts") {
  const AcceleratorCounts counts({{"TPU", 8}, {"GPU", 4}}, CountSource::devices);
  CHECK(counts.at("TPU") == 8);
  CHECK(counts.at("NPU") == 0);
  CHECK(counts.to_text() == "{'GPU': 4, 'TPU': 8}");
  CHECK(counts.to_json() == "{\"GPU\":4,\"TPU\":8}");
  CHECK(AcceleratorCounts().to_text() == "{}");
  CHECK(to_string(counts.source()) == "devices");
}
