// Device names, as TensorFlow's C++ runtime reads them.
#include "rollcall/device.hpp"

#include <catch2/catch.hpp>

#include "support/result.hpp"

using namespace rollcall;

TEST_CASE("device names and their canonical form") {
  struct Row {
    const char* name;
    const char* canonical;
  };
  for (const Row& row : {
           Row{"/job:worker/replica:0/task:3/device:TPU:7", "/job:worker/replica:0/task:3/device:TPU:7"},
           Row{"/job:tpu_worker/task:0/device:TPU:4", "/job:tpu_worker/task:0/device:TPU:4"},
           Row{"", ""},
           Row{"/", ""},
           Row{"/device:TPU:1/task:2/job:a", "/job:a/task:2/device:TPU:1"},
           Row{"/job:a/job:b", "/job:b"},
           Row{"/job:a/job:*", ""},
           Row{"/task:1/task:2", "/task:2"},
           Row{"/device:TPU", "/device:TPU:*"},
           Row{"/device:TPU:*", "/device:TPU:*"},
           Row{"/device:GPU:1/device:CPU", "/device:CPU:*"},
           Row{"/device:*:3", "/device:*:3"},
           Row{"/device:*", ""},
           Row{"/replica:*/task:*", ""},
           Row{"/cpu:1", "/device:CPU:1"},
           Row{"/GPU:*", "/device:GPU:*"},
           Row{"/gpu:007", "/device:GPU:7"},
           Row{"/job:w/task:2147483647", "/job:w/task:2147483647"},
           Row{"/device:XLA_CPU:0", "/device:XLA_CPU:0"},
       }) {
    CAPTURE(row.name);
    const Result<Device> device = Device::parse(row.name);
    REQUIRE(device);
    CHECK(device->to_text() == row.canonical);
    CHECK(Device::parse(device->to_text()).value() == *device);
  }
  const Device full = Device::parse("/job:worker/replica:0/task:3/device:TPU:7").value();
  CHECK(full.job == "worker");
  CHECK(full.replica == 0);
  CHECK(full.task == 3);
  CHECK(full.type == "TPU");
  CHECK(full.id == 7);
}

TEST_CASE("invalid device names") {
  // clang-format off
  for (const char* name : {"/job:w/foo:0", "job:w", "//", "/job:", "/job:a-b", "/job:a.b", "/job:1a", "/job:_a", "/task:", "/task:a", "/task:-1", "/task:+1",
                           "/task:2147483648", "/replica:99999999999999999999999", "/device:", "/device::0", "/device:TPU:", "/device:TPU:x", "/device:TPU:1:2",
                           "/device:TPU:2147483648", "/cpu:", "/Cpu:0", "/job:w/", " /job:w", "/job:w ", "TPU:0", "/job:w\n", "/job:\x1b[2J", "/job:é"}) {
  // clang-format on
    CAPTURE(name);
    const Result<Device> device = Device::parse(name);
    REQUIRE_FALSE(device);
    CHECK(device.error().code() == Errc::invalid_argument);
    CHECK(device.error().message().find('\x1b') == std::string::npos);
  }
  CHECK(Device::parse("/task:" + std::string(10'000'000, '9')).error().message().size() < 1000);
  CHECK(Device::parse("/job:" + std::string(10'000'000, 'a')).value().job->size() == 10'000'000);
  CHECK_FALSE(Device::parse(std::string_view("/job:a\0", 7)));
}
