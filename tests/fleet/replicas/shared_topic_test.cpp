// A target of a replica that follows, and then leads: what it takes from the leader's stream, and what it refuses.
#include "fleet/replicas/shared_topic.hpp"

#include <catch2/catch.hpp>

#include "fleet/http/scripted_fleet.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::fleet;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

constexpr const char* followed_name = "tpu:a,project=p,zone=z";

class FollowedTopic {
 public:
  explicit FollowedTopic(std::size_t memory)
      : account(std::make_shared<MemoryAccount>(memory)),
        topic(
            std::make_shared<SharedTopic>(std::weak_ptr<SharedFleet>(), value_of(Target::parse(followed_name)), 1, account, time->now())) {}

  /// What a leader of this epoch says of `members` ready members.
  TopicDocument said(std::uint64_t epoch, std::uint64_t revision, int members, bool is_whole) const {
    TopicDocument document;
    document.known.epoch = epoch;
    document.known.revision = revision;
    document.known.polled_at = time->now();
    document.has_status = true;
    document.is_whole = is_whole;
    document.parts = 1;
    document.difference.emplace();
    for (int i = 0; i < members; ++i) {
      Member& member = document.difference->changed.emplace_back("worker", i);
      member.state.level = member.health.level = MemberState::ready;
      member.uid = std::to_string(revision);
    }
    return document;
  }

  std::shared_ptr<FakeTime> time = std::make_shared<FakeTime>();
  std::shared_ptr<MemoryAccount> account;
  std::shared_ptr<SharedTopic> topic;
};

// The number of members in the difference; -1: there is none.
int changed_since(const FollowedTopic& of, std::uint64_t revision) {
  const std::optional<StatusDelta> difference = of.topic->since(revision);
  return difference ? static_cast<int>(difference->changed.size()) : -1;
}

}  // namespace

TEST_CASE("a difference begins at a revision that the replica knows, and at no other one", "[fleet]") {
  FollowedTopic t(1 << 20);
  CHECK(changed_since(t, 3) == -1);
  REQUIRE(t.topic->take(t.said(7, 3, 2, true)));
  REQUIRE(t.topic->take(t.said(7, 5, 1, false)));
  CHECK(changed_since(t, 3) == 1);
  CHECK(changed_since(t, 5) == 0);
  CHECK(changed_since(t, 4) == -1);  // a member may have changed and changed back
  TopicDocument troubled = t.said(7, 6, 0, false);
  troubled.difference.reset();
  troubled.known.trouble = "no answer";
  REQUIRE(t.topic->take(std::move(troubled)));
  CHECK(changed_since(t, 6) == 0);
  CHECK(changed_since(t, 3) == 1);
}

TEST_CASE("revisions of an earlier leader are no revisions of this one", "[fleet]") {
  FollowedTopic t(1 << 20);
  REQUIRE(t.topic->take(t.said(7, 3, 2, true)));
  REQUIRE(t.topic->take(t.said(7, 5, 1, false)));
  std::uint64_t revision = 2, epoch = 8;
  const auto own = std::make_shared<ScriptedTopic>(followed_name, t.time, revision, epoch);
  ClusterStatus status;
  status.members.emplace_back("worker", 0);
  own->show(status);
  t.topic->lead(own);
  CHECK((t.topic->known().epoch == 8 && t.topic->known().revision == 3 && t.topic->known().generation == 1));
  own->show(status);
  t.topic->stop_leading();
  CHECK(changed_since(t, 3) == -1);
  CHECK(changed_since(t, 5) == -1);
  CHECK_THAT(t.topic->take(t.said(7, 9, 2, true)).error().what(), Contains("earlier leader"));
  CHECK_THAT(t.topic->take(t.said(9, 1, 1, false)).error().what(), Contains("follows a status"));
  REQUIRE(t.topic->take(t.said(9, 1, 2, true)));
  CHECK(changed_since(t, 1) == 0);
  CHECK_THAT(t.topic->take(t.said(9, 0, 2, true)).error().what(), Contains("older"));
}

TEST_CASE("a status that does not fit into the memory is trouble of its target until one does", "[fleet]") {
  FollowedTopic t(20'000);
  REQUIRE(t.topic->take(t.said(7, 1, 2, true)));
  const std::size_t used = t.account->used();
  check_failure(t.topic->take(t.said(7, 2, 1000, true)), Errc::limit_exceeded, followed_name);
  CHECK((t.topic->known().revision == 1 && t.topic->known().status->members.size() == 2 && t.account->used() == used));
  t.topic->mark("");  // this replica has a leader
  CHECK_THAT(t.topic->known().trouble, Contains("memory"));
  REQUIRE(t.topic->take(t.said(7, 3, 3, true)));
  CHECK((t.topic->known().trouble.empty() && t.topic->known().status->members.size() == 3));
}
