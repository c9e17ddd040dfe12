// The section `members` of a simulation file.
#include "sim/support.hpp"

namespace rollcall::sim {
namespace {

std::string mistake(const std::string& members) {
  const auto cloud = Cloud::parse(R"({"members": )" + members + "}", "cloud.json");
  return cloud ? "accepted" : cloud.error().message();
}

}  // namespace

TEST_CASE("members: mistakes in the file are reported with their position") {
  CHECK(mistake("{}") == "accepted");
  CHECK(mistake(R"({"count": 256, "base": "127.0.255.1", "yours": [255], "except": [{"member": 0, "fault": "firewall"}]})") == "accepted");
  CHECK(mistake(R"({"except": [{"member": 1, "fault": "firewal"}]})") ==
        "cloud.json:1:48: members.except[0].fault: unknown fault 'firewal', did you mean 'firewall'?");
  CHECK(mistake(R"({"except": [{"member": 8}]})") == "cloud.json:1:25: members.except[0]: member: there are 8 members, numbered from 0");
  CHECK(mistake(R"({"except": [{"member": 0}]})") ==
        "cloud.json:1:25: members.except[0]: member: it is one of yours, which are not simulated");
  CHECK(mistake(R"({"except": [{"member": 1}, {"member": 1}]})") == "cloud.json:1:40: members.except[1]: member: it has two entries");
  CHECK(mistake(R"({"base": "10.0.0.1"})") == "cloud.json:1:13: members: base: the members need addresses within 127.0.0.0/8");
  CHECK(mistake(R"({"base": "here"})") == "cloud.json:1:13: members: base: the members need addresses within 127.0.0.0/8");
  CHECK(mistake(R"({"count": 4, "yours": [4]})") == "cloud.json:1:36: members.yours[0]: expected a whole number from 0 to 3");
}

}  // namespace rollcall::sim
