// How large a service's documents may be.
#include <catch2/catch.hpp>

#include "fleet/wire/body_bounds.hpp"
#include "fleet/wire/documents.hpp"

using namespace rollcall;
using namespace rollcall::fleet;

TEST_CASE("a body of as many members as a cluster may have, with names and texts of full length, is one that clients take") {
  ClusterStatus status;
  status.phase = ClusterPhase::running;
  status.jobs = {"worker"};
  constexpr int few = 4096;  // a sixteenth of the maximum
  constexpr int sixteenths = 16;
  for (int i = 0; i < few * sixteenths; ++i) {
    Member& member = status.members.emplace_back("worker", i);
    member.state = member.health = Condition(MemberState::waiting, std::string(2000, 't'));
  }
  bound_texts(status);
  CHECK(status.members.front().state.text.size() < 200);
  status.members.resize(few);
  for (Member& member : status.members) {
    member.name = std::string(253, 'n');
    member.uid = std::string(36, 'u');
    member.address = std::string(253, 'a') + ":65535";
  }
  CHECK(render_status_body(Position(51, 7), 1, status, Age()).size() * sixteenths < max_body_bytes);
}

TEST_CASE("texts are cut where they are long") {
  ClusterStatus status;
  status.state = Condition(MemberState::waiting, std::string(3000, 's'));
  status.notices.emplace_back(NoticeKind::maintenance, "this machine", std::string(3000, 'n'));
  Member& member = status.members.emplace_back("worker", 0);
  member.state.text = "CREATING";
  member.health.text = std::string(3000, 'h');
  bound_texts(status);
  CHECK(status.state.text.size() < 600);
  CHECK(status.notices.front().text.size() < 600);
  CHECK(status.members.front().state.text == "CREATING");
  CHECK(status.members.front().health.text.size() < 600);
}
