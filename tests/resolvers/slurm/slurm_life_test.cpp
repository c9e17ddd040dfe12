// A job that runs, followed: nodes whose slurmd goes away, and planned maintenance.
#include "call/runtime_impl.hpp"
#include "resolvers/slurm/small_restd.hpp"
#include "rollcall/tcp_probe.hpp"
#include "rollcall/watch.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

namespace {

// Ports that answer, refuse or are silent, by the address.
class SlurmdPorts final : public TcpProbe {
 public:
  explicit SlurmdPorts(SlurmLoop& loop) : loop_(loop) {}
  std::map<std::string, SteadyTime> dead;  // from when on
  bool is_silent = false;
  int tries = 0;

  asio::awaitable<Result<void>> connect(const Endpoint& endpoint, SteadyTime deadline) override {
    ++tries;
    const auto found = dead.find(endpoint.to_text());
    if (found == dead.end() || loop_.time->now() < found->second) co_return Result<void>();
    if (!is_silent) co_return Failure(Errc::unreachable, "could not connect to " + endpoint.to_text() + ": Connection refused");
    const bool is_awake = co_await sleep_until(*loop_.timers, deadline);
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled");
    co_return Failure(Errc::connect_timeout, "no answer");
  }

 private:
  SlurmLoop& loop_;
};

std::string node_with_port(const std::string& name, const std::string& states) {
  std::string text = node_text(name, states);
  text.insert(1, R"("port":6818,)");
  return text;
}

SmallRestd two_nodes() {
  SmallRestd restd;
  restd.nodes = {node_with_port("n1", R"("ALLOCATED")"), node_with_port("n2", R"("ALLOCATED")")};
  return restd;
}

std::string next_with(SlurmLoop& t, ClusterWatch& following, const std::string& word) {
  for (;;) {
    std::string text = value_of(t.run(following.try_next())).text;
    if (text.find(word) != std::string::npos) return text;
  }
}

constexpr const char* probed = "slurm:job/7,restd=unix:/run/restd,probe_nodes=true";

std::string reservation_text(WallTime start, const std::string& nodes, const std::string& flags = R"("MAINT","IGNORE_JOBS")") {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(start.time_since_epoch()).count();
  return R"({"name":"service","node_list":")" + nodes + R"(","flags":[)" + flags + R"(],"start_time":)" + std::to_string(seconds) +
         R"(,"end_time":)" + std::to_string(seconds + 1200) + "}";
}

}  // namespace

TEST_CASE("a node whose slurmd goes away is named within a second, and no longer once it is back") {
  for (const bool is_silent : {false, true}) {
    CAPTURE(is_silent);
    SmallRestd restd = two_nodes();
    SlurmLoop t;
    t.serve(restd);
    const auto ports = std::make_shared<SlurmdPorts>(t);
    impl_of(t.runtime).tcp = ports;
    ports->is_silent = is_silent;
    const auto dies = t.time->now() + 100s;
    ports->dead["10.0.0.2:6818"] = dies;
    const auto following = watch(t.job(probed), WatchOptions().machine_notices(false));
    const std::string text = next_with(t, *following, "slurmd");
    CHECK_THAT(text, Contains("n2:8888") && Contains("its slurmd does not answer any more") && Contains("Slurm says RUNNING") &&
                         Contains(is_silent ? "no answer" : "Connection refused"));
    CHECK(t.time->now() - dies < (is_silent ? 2s : 1s));
    const Member& member = following->status().members.at(1);
    CHECK(member.state.level == MemberState::waiting);
    CHECK(member.causes.at(0).object == "node n2");
    ports->dead.clear();
    CHECK_THAT(next_with(t, *following, "RUNNING"), Contains("is ready") || Contains("-> RUNNING") || Contains("not ready any more"));
    while (following->status().members.at(1).state.level != MemberState::ready) (void)t.run(following->try_next());
    following->close();
  }
}

TEST_CASE("a slurmd that is away for a moment, or never answers, says nothing") {
  SmallRestd restd = two_nodes();
  SlurmLoop t;
  const auto start = t.time->now();
  t.transport->respond = [&](const HttpRequest& request) {
    if (t.time->now() - start > 100s) restd.nodes[0] = node_with_port("n1", R"("ALLOCATED","DRAIN")");
    return restd(request);
  };
  const auto ports = std::make_shared<SlurmdPorts>(t);
  impl_of(t.runtime).tcp = ports;
  ports->dead["10.0.0.2:6818"] = start;
  const auto following = watch(t.job(probed), WatchOptions().machine_notices(false));
  CHECK_THAT(next_with(t, *following, "n1:8888): "), Contains("drain"));
  CHECK(ports->tries > 100);
  CHECK(following->status().members.at(1).state.level == MemberState::ready);
  const int tries = ports->tries;
  CHECK(t.run(t.job("slurm:job/7,restd=unix:/run/restd")->try_cluster_status()));
  following->close();
  const auto other = watch(t.job("slurm:job/7,restd=unix:/run/restd"), WatchOptions().machine_notices(false));
  (void)next_with(t, *other, "is ready");
  CHECK(ports->tries - tries < 10);
}

TEST_CASE("Slurm's own word about a dead node counts more than its port") {
  SmallRestd restd = two_nodes();
  restd.nodes[1] = node_with_port("n2", R"("ALLOCATED","DRAIN")");
  SlurmLoop t;
  const auto start = t.time->now();
  t.transport->respond = [&](const HttpRequest& request) {
    if (t.time->now() - start > 60s) restd.nodes[1] = node_with_port("n2", R"("DOWN","NOT_RESPONDING")");
    return restd(request);
  };
  const auto ports = std::make_shared<SlurmdPorts>(t);
  impl_of(t.runtime).tcp = ports;
  ports->dead["10.0.0.2:6818"] = start + 30s;
  const auto following = watch(t.job(probed), WatchOptions().machine_notices(false));
  CHECK_THAT(next_with(t, *following, "slurmd"), Contains("Connection refused") && Contains("draining"));
  CHECK_THAT(next_with(t, *following, "down"), Contains("n2"));
  CHECK(following->status().members.at(1).state.level == MemberState::lost);
}

TEST_CASE("maintenance that is planned before the job ends is announced, and asked for seldom") {
  SmallRestd restd = two_nodes();
  SlurmLoop t;
  std::string reservations = reservation_text(t.time->wall_now() + 2h, "n[2-9]");
  int asked = 0;
  t.transport->respond = [&](const HttpRequest& request) {
    if (request.url.target.find("/reservations") == std::string::npos) return restd(request);
    ++asked;
    return SlurmAnswer(slurm_reply(200, R"({"reservations":[)" + reservations + "]}"));
  };
  const auto job = t.job();
  CHECK(value_of(t.run(job->try_cluster_status())).notices.empty());
  CHECK(asked == 0);  // a single question costs no more
  for (int i = 0; i < 3; ++i) {
    const ClusterStatus status = value_of(t.run(job->try_cluster_status()));
    REQUIRE(status.notices.size() == 1);
    CHECK(status.notices[0].kind == NoticeKind::maintenance);
    CHECK_THAT(status.notices[0].subject + ": " + status.notices[0].text, Contains("Slurm job 7: reservation service (MAINT) begins"));
    CHECK(status.members[0].causes.empty());
    CHECK(status.members[1].causes.at(0).code == "MAINT");
    CHECK(status.members[1].state.level == MemberState::ready);
  }
  CHECK(asked == 1);
  const auto notices_by = [&](const std::string& text) {
    reservations = text;
    const auto other = t.job();
    (void)t.run(other->try_cluster_status());
    return value_of(t.run(other->try_cluster_status())).notices.size();
  };
  CHECK(notices_by(reservation_text(t.time->wall_now() + 2h, "n[3-9]")) == 0);
  CHECK(notices_by(reservation_text(t.time->wall_now() + 48h, "n1")) == 0);
  CHECK(notices_by(reservation_text(t.time->wall_now() + 2h, "n1", R"("FLEX")")) == 0);
  CHECK(notices_by(reservation_text(t.time->wall_now() - 1h, "n1")) == 0);  // it is over
  CHECK(notices_by(reservation_text(t.time->wall_now() - 1min, "n1")) == 1);
  const auto in_an_hour = std::chrono::duration_cast<std::chrono::seconds>((t.time->wall_now() + 1h).time_since_epoch()).count();
  restd.job = one_job(running_fields + R"(,"end_time":)" + std::to_string(in_an_hour));
  CHECK(notices_by(reservation_text(t.time->wall_now() + 2h, "n1")) == 0);
  CHECK(notices_by(reservation_text(t.time->wall_now() + 30min, "n1")) == 1);
}
