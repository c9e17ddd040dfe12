// The accelerators of a cluster by what its members have.
#include <catch2/catch.hpp>

#include "render/render_devices.hpp"

using namespace rollcall;

namespace {

Member gpu_member(int index, const std::string& host, int count, bool is_shared) {
  Member member("worker", index);
  member.host = host;
  member.accelerators.emplace("GPU", count, "resource claims").is_shared = is_shared;
  return member;
}

}  // namespace

TEST_CASE("accelerators that the tasks of a machine share are counted once, and others each time") {
  std::vector<Member> members = {gpu_member(0, "n1", 0, false), gpu_member(1, "n1", 8, true), gpu_member(2, "n1", 8, true),
                                 gpu_member(3, "n2", 2, false), gpu_member(4, "n2", 2, false)};
  const std::optional<DeviceReport> report = report_of_members("t", members);
  REQUIRE(report);
  int sum = 0;
  for (const HostDevices& host : report->hosts) sum += host.counts.at("GPU");
  CHECK(sum == 12);
  CHECK(report->machines == 2);
  members.emplace_back("worker", 5);
  CHECK_FALSE(report_of_members("t", members));
}
