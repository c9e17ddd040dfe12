// Tasks of one host, and a member that says it is on the host of another.
#include "preflight/rules/host_numbers.hpp"

#include <catch2/catch.hpp>

#include "preflight/planted.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using rollcall::preflight::HostNumbers;

namespace {

EvidenceMember at(std::string boot_id, std::string host, std::string from) {
  EvidenceMember member;
  member.boot_id = std::move(boot_id);
  member.host = std::move(host);
  member.from = std::move(from);
  return member;
}

TEST_CASE("members with one name, one start and one address are of one host") {
  HostNumbers numbers;
  CHECK(numbers.of(at("b1", "n1", "10.0.0.1")) == 0);
  CHECK(numbers.of(at("b1", "n1", "10.0.0.1")) == 0);
  CHECK(numbers.of(at("b1", "n2", "10.0.0.1")) == 1);
  CHECK(numbers.of(at("b1", "n1", "10.0.0.9")) == 2);
  CHECK(numbers.of(at("b1", "n1", "")) == 0);  // the one that judges
  CHECK(numbers.of(at("b1", "n1", "10.0.0.9")) == 2);  // it has its number
  CHECK(numbers.of(at("", "n1", "10.0.0.1")) == 3);
  CHECK(numbers.of(at("", "n1", "10.0.0.1")) == 4);
  CHECK(numbers.count() == 5);
}

TEST_CASE("what is found on a host is not lost since another one says that it is on its host") {
  Planted planted(6);
  for (std::size_t i = 0; i < 6; ++i) {
    planted.evidence.members[i].boot_id = i == 2 ? "b4" : "b" + std::to_string(i);
    if (i == 2) planted.evidence.members[i].host = "n4";
    planted.fact(i, "driver", i == 4 ? "570" : "580");
  }
  Finding& own = planted.evidence.members[4].findings.emplace_back();
  own.check = "gpu";
  own.text = "gpu 0 is lost";
  planted.evidence.members[2].findings = planted.evidence.members[4].findings;
  CHECK(lines_of(planted.judged()).find("failure host gpu [4]: worker 4 (n4): gpu 0 is lost") != std::string::npos);
  CHECK(lines_of(planted.judged()).find("warning host driver [4]: worker 4 (n4): driver is 570") != std::string::npos);
}

}  // namespace
