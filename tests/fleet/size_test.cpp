// Clusters of any size: the loop is not held, and memory is bounded.
#include "fleet/fleet_core.hpp"
#include "fleet/fleet_support.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

// Answers at once with so many members.
class LargeResolver final : public ClusterResolver {
 public:
  LargeResolver(Runtime runtime, int members) : ClusterResolver(std::move(runtime)) {
    for (int i = 0; i < members; ++i) {
      Member& member = status.members.emplace_back("worker", i);
      member.address = fmt::format("10.0.{}.{}:8470", i / 256, i % 256);
      member.name = fmt::format("a-name-that-does-not-fit-into-its-string-{}", i);
    }
  }
  std::string describe() const override { return "large"; }
  asio::awaitable<Result<ClusterSpec>> do_cluster_spec(Call&) override { co_return status.spec(); }
  asio::awaitable<Result<ClusterStatus>> do_cluster_status(Call&) override { co_return status; }
  ClusterStatus status;
};

class LargeLoop : public VirtualLoop {
 public:
  explicit LargeLoop(int members, Limits limits = {}) : runtime(make(limits)), resolver(std::make_shared<LargeResolver>(runtime, members)) {
    const auto maker = [this](Runtime, const std::string&) { return Result<std::shared_ptr<ClusterResolver>>(resolver); };
    fleet = fleet::make_fleet(runtime, fleet::FleetOptions(), maker);
    topic = value_of(fleet->topic(value_of(Target::parse("tpu:large,project=p,zone=z"))));
    topic->listen(ear);
  }
  ~LargeLoop() {
    fleet.reset();
    poll();
  }
  /// The number of handlers that run until the next notification.
  int handlers() {
    const int before = ear.sent;
    int count = 0;
    while (ear.sent == before && count < 10'000) {
      io.restart();
      if (io.poll_one() > 0) {
        ++count;
      } else {
        time->advance_to(time->next_alarm().value());
      }
    }
    return count;
  }

  Runtime runtime;
  std::shared_ptr<LargeResolver> resolver;
  std::shared_ptr<fleet::Fleet> fleet;
  std::shared_ptr<fleet::Topic> topic;
  Ear ear;

 private:
  Runtime make(Limits limits) {
    RuntimeOptions options;
    options.time = time;
    options.random_seed = 1;
    options.environment = fixed_environment({});
    options.files = fixed_files({});
    options.credentials = static_token(Secret<std::string>("test-token"));
    options.limits = limits;
    return Runtime(io.get_executor(), std::move(options));
  }
};

// A fleet of clusters of eight hundred members each, of which three and a half fit into memory.
class CrowdedLoop : public LargeLoop {
 public:
  CrowdedLoop() : LargeLoop(800, limits()) { pass(30); }
  ~CrowdedLoop() { topics.clear(); }
  std::shared_ptr<fleet::Topic> follow(const std::string& target, const std::string& client = {}) {
    topics.push_back(value_of(fleet->topic(value_of(Target::parse(target)))));
    topics.back()->name(client);
    topics.back()->listen(ears.emplace_back());
    pass(30);
    return topics.back();
  }
  void pass(int seconds) {
    for (int i = 0; i < seconds * 10; ++i) {
      poll();
      time->advance_to(time->now() + std::chrono::milliseconds(100));
    }
    poll();
  }

  std::deque<Ear> ears;
  std::vector<std::shared_ptr<fleet::Topic>> topics;

 private:
  static Limits limits() {
    Limits limits;
    limits.max_memory_bytes = 1'000'000;
    return limits;
  }
};

}  // namespace

TEST_CASE("texts of a cloud about a member are bounded") {
  LargeLoop t(10);
  t.resolver->status.members[3].health = Condition(MemberState::waiting, std::string(60'000, 'x'));
  t.resolver->status.members[4].health = Condition(MemberState::waiting, "short");
  t.handlers();
  REQUIRE(t.topic->known().status);
  const std::vector<Member>& members = t.topic->known().status->members;
  CHECK(members[3].health.text.size() < 600);
  CHECK_THAT(members[3].health.text, Catch::Contains("60000 bytes"));
  CHECK(members[4].health.text == "short");
  t.handlers();
  CHECK(t.topic->known().revision == 1);  // cut again it is the same
}

TEST_CASE("many names of one cluster leave room for other clusters") {
  CrowdedLoop t;
  std::vector<std::shared_ptr<fleet::Topic>> named;
  for (int i = 0; i < 5; ++i) named.push_back(t.follow(fmt::format("tpu:large,project=p,zone=z,job=w{}", i)));
  CHECK(named.front()->known().status);
  CHECK_THAT(named.back()->known().trouble, Catch::Contains("memory"));
  const auto other = t.follow("tpu:other,project=p,zone=z");
  CHECK(other->known().status);
  CHECK(other->known().trouble.empty());
  t.pass(100);
  CHECK(other->known().status);  // they do not take their memory back
  CHECK(t.topic->known().status);
  const auto third = t.follow("tpu:third,project=p,zone=z");
  CHECK(third->known().status);
  CHECK(other->known().status);
  std::size_t sent = 0;
  for (const auto& topic : named) sent += topic->known().status ? 1 : 0;
  CHECK(sent + (t.topic->known().status ? 1 : 0) == 1);
  for (const auto& topic : named) CHECK((topic->known().status || !topic->known().trouble.empty()));
  CHECK(t.fleet->memory_bytes() <= 1'000'000);
}

TEST_CASE("a client that names more clusters than others is out of room first") {
  CrowdedLoop t;
  std::vector<std::shared_ptr<fleet::Topic>> named;
  for (int i = 0; i < 4; ++i) named.push_back(t.follow(fmt::format("tpu:c{},project=p,zone=z", i), "google:p/greedy"));
  const auto modest = t.follow("tpu:c9,project=p,zone=z", "google:p/modest");
  CHECK(modest->known().status);
  // A topic that the greedy client has named first is charged to the other client, which takes less.
  named.front()->name("google:p/third");
  t.follow("tpu:c10,project=p,zone=z", "google:p/fourth");
  CHECK(named.front()->known().status);
  CHECK(modest->known().status);
}

TEST_CASE("what has no listeners gives way at once, and is looked at again for the next one") {
  CrowdedLoop t;
  const auto left = t.follow("tpu:left,project=p,zone=z");
  t.follow("tpu:other,project=p,zone=z");
  CHECK(left->known().status);
  t.ears.pop_front();
  const auto next = t.follow("tpu:next,project=p,zone=z");
  CHECK(next->known().status);
  CHECK_FALSE(left->known().status);
  CHECK_FALSE(left->is_followed());
  t.ears.pop_back();
  Ear ear;
  left->listen(ear);
  t.pass(3);
  CHECK(left->known().status);
  CHECK(left->known().trouble.empty());
}

TEST_CASE("a status of many members is compared in turns of the loop") {
  LargeLoop t(40'000);
  CHECK(t.handlers() > 70);  // differences, and the number of ready members
  REQUIRE(t.topic->known().status);
  CHECK(t.topic->known().generation == 1);
  CHECK(t.handlers() > 8);  // the same again
  CHECK(t.topic->known().revision == 1);
  const std::uint64_t before = t.topic->known().revision;
  t.resolver->status.members[39'999].uid = "another";
  CHECK(t.handlers() > 110);
  CHECK(t.topic->known().generation == 2);
  REQUIRE(t.topic->since(before));
  CHECK(t.topic->since(before)->changed.size() == 1);
}

TEST_CASE("statuses are charged to the memory of the fleet, and what is too much is trouble of its target") {
  Limits limits;
  limits.max_memory_bytes = 1'000'000;
  LargeLoop t(1000, limits);
  t.handlers();
  CHECK(t.topic->known().status);
  CHECK(t.runtime.memory()->used() == 0);  // the account for reading answers
  const ClusterStatus small = t.resolver->status;
  while (t.resolver->status.members.size() < 5000)
    t.resolver->status.members.emplace_back("worker", static_cast<int>(t.resolver->status.members.size()));
  t.handlers();
  CHECK_FALSE(t.topic->known().failure);
  CHECK_THAT(t.topic->known().trouble, Catch::Contains("tpu:large"));
  CHECK(t.topic->known().status->members.size() == 1000);
  t.resolver->status = small;
  t.handlers();
  CHECK(t.topic->known().trouble.empty());
}
