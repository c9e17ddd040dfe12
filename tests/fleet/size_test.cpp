// Clusters of any size: the loop is not held, and memory is bounded.
#include "fleet/fleet_core.hpp"
#include "fleet/fleet_support.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

// Answers at once, with so many members.
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
  /// Handlers that run until the topic is told once more.
  int handlers() {
    const int before = ear.told;
    int count = 0;
    while (ear.told == before && count < 10'000) {
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

}  // namespace

TEST_CASE("a status of many members is compared in turns of the loop") {
  LargeLoop t(40'000);
  CHECK(t.handlers() > 70);  // differences, and the count of who is ready
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
  CHECK(t.runtime.memory()->used() == 0);  // which answers are read with
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
