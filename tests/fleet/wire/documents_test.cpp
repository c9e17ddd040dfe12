// The service's documents: what is written is read back, and hostile input is refused or made harmless.
#include "fleet/wire/documents.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "base/text.hpp"
#include "support/live_bytes.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::fleet;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {

class StatusMaker {
 public:
  explicit StatusMaker(unsigned seed) : random_(seed) {}

  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  std::string text() {
    static const std::vector<std::string> words = {"",   "READY",   "a \"quoted\" word", "\xC3\xA9t\xC3\xA9", "</script>",
                                                   "\\", "a,b;c|d", "x = {1: 2}",        "CREATING",          "none"};
    return words[static_cast<std::size_t>(pick(static_cast<int>(words.size())))];
  }
  std::string address() {
    switch (pick(4)) {
      case 0: return "";
      case 1: return "10.0." + std::to_string(pick(256)) + "." + std::to_string(pick(256)) + ":8470";
      case 2: return "[2001:db8::" + std::to_string(pick(1000)) + "]:8470";
      default: return "worker-" + std::to_string(pick(1000)) + ".train.svc:2222";
    }
  }
  Condition condition() { return Condition(static_cast<MemberState>(pick(5)), text()); }
  void set_numbers(ClusterStatus& status) {
    status.job_sizes.clear(), status.causes.clear();
    for (int i = pick(3); i > 0; --i) status.job_sizes.emplace_back("job-" + std::to_string(i), pick(20));
    status.expected_source = pick(2) > 0 ? text() : std::string();
    for (int i = pick(3); i > 0; --i) status.causes.emplace_back(static_cast<CauseLayer>(pick(14)), text(), text(), text());
  }
  Member member(const std::string& job, int index) {
    Member made(job, index);
    made.name = text();
    made.uid = text();
    made.address = address();
    made.state = condition();
    made.health = condition();
    return made;
  }
  ClusterStatus status() {
    ClusterStatus made;
    made.phase = static_cast<ClusterPhase>(pick(3));
    made.state = condition();
    made.expected = pick(20);
    set_numbers(made);
    std::vector<std::string> jobs = {"worker", "ps", "chief", "evaluator"};
    std::shuffle(jobs.begin(), jobs.end(), random_);
    jobs.resize(static_cast<std::size_t>(pick(5)));
    if (pick(3) > 0) made.jobs = jobs;
    for (const std::string& job : jobs) {
      for (int index = 0; index < 6; ++index) {
        if (pick(3) > 0) made.members.push_back(member(job, index));
      }
    }
    for (int i = pick(3); i > 0; --i) made.notices.emplace_back(static_cast<NoticeKind>(pick(2)), text(), text());
    return made;
  }
  /// The status with a few changed members.
  ClusterStatus after(ClusterStatus status) {
    for (std::size_t i = status.members.size(); i-- > 0;) {
      const int fate = pick(6);
      if (fate == 0) status.members.erase(status.members.begin() + static_cast<std::ptrdiff_t>(i));
      if (fate == 1) status.members[i].state = condition();
    }
    status.phase = static_cast<ClusterPhase>(pick(3));
    if (pick(2) > 0) set_numbers(status);
    return status;
  }

 private:
  std::mt19937 random_;
};

StatusDocument read_back(const ClusterStatus& status) {
  return value_of(parse_status_body(render_status_body(Position(51, 7), 4, status, 840ms), {}));
}

std::string status_with(std::string_view members) {
  return "{\"position\":\"51.7\",\"generation\":4,\"status\":{\"phase\":\"running\",\"members\":[" + std::string(members) + "]}}";
}
std::string worker_json(int index, const std::string& more = {}) {
  return "{\"job\":\"worker\",\"index\":" + std::to_string(index) + more + "}";
}

}  // namespace

TEST_CASE("a status that is written and read is the same, with any content") {
  StatusMaker make(1);
  for (int i = 0; i < 3000; ++i) {
    const ClusterStatus status = make.status();
    const StatusDocument read = read_back(status);
    REQUIRE(read.status == status);
    REQUIRE((read.position == Position(51, 7) && read.generation == 4 && read.age == Age(840ms)));
  }
}

TEST_CASE("a status follows from the one before it and what differs") {
  StatusMaker make(2);
  int deltas = 0;
  for (int i = 0; i < 6000; ++i) {
    const ClusterStatus before = make.status();
    const ClusterStatus now = i % 2 ? make.status() : make.after(before);
    const std::optional<StatusDelta> delta = status_delta(before, now, 100);
    if (!delta) continue;
    ++deltas;
    const MembersDocument sent = value_of(parse_members_event(render_members_event(5, *delta, 20ms), {}));
    REQUIRE((sent.generation == 5 && sent.age == 20ms));
    ClusterStatus status = before;
    apply_delta(status, sent.delta);
    REQUIRE(status == now);
  }
  CHECK(deltas > 4000);  // the rest are jobs that change places without being listed
}

TEST_CASE("a delta has at most the given number of members") {
  ClusterStatus before;
  for (int i = 0; i < 40; ++i) before.members.emplace_back("worker", i);
  ClusterStatus now = before;
  for (std::size_t i = 0; i < 20; ++i) now.members[i].address = "10.0.0.1:1";
  now.members.erase(now.members.begin() + 28, now.members.end());
  const std::optional<StatusDelta> delta = status_delta(before, now, 32);
  REQUIRE(delta);
  CHECK((delta->changed.size() == 20 && delta->gone.size() == 12));
  CHECK(!status_delta(before, now, 31));
  now.members.push_back(now.members.back());
  CHECK(!status_delta(before, now, 100));  // the same member twice: a delta cannot express that
}

TEST_CASE("ten thousand members are read as they were, in bounded memory") {
  ClusterStatus status;
  status.jobs = {"worker"};
  status.expected = 10'000;
  for (int i = 0; i < 10'000; ++i) {
    Member& member = status.members.emplace_back("worker", i);
    member.name = "trainer-worker-" + std::to_string(i);
    member.uid = "6f1d0b9e-6d0a-4c2b-9f5e-0123456789ab";
    member.address = "10.0." + std::to_string(i / 250) + "." + std::to_string(i % 250) + ":8470";
  }
  const std::string body = render_status_body(Position(51, 7), 4, status);
  CHECK(value_of(parse_status_body(body, {})).status == status);
  ParseLimits small;
  small.max_memory = 1 << 20;
  check_failure(parse_status_body(body, small), Errc::limit_exceeded, "the service's status");
  small = ParseLimits();
  small.max_items = 9'999;
  check_failure(parse_status_body(body, small), Errc::limit_exceeded, "members");
}

TEST_CASE("members come into order, and none is there twice") {
  const StatusDocument read = value_of(parse_status_body(
      R"({"position":"10.1","generation":1,"status":{"phase":"queued","jobs":["b","a"],"members":[{"job":"a","index":1},{"job":"c","index":0},)"
      R"({"job":"b","index":2},{"job":"a","index":0}]}})",
      {}));
  std::string order;
  for (const Member& member : read.status.members) order += member.job + std::to_string(member.index) + " ";
  CHECK(order == "b2 a0 a1 c0 ");
  check_failure(parse_status_body(status_with(worker_json(3) + "," + worker_json(3)), {}), Errc::malformed_response, "worker 3", "twice");
  check_failure(parse_members_event(R"({"generation":1,"phase":"running","age_ms":0,"changed":[{"job":"a","index":1}],)"
                                    R"("gone":[{"job":"a","index":1}]})",
                                    {}),
                Errc::malformed_response, "a 1", "twice");
}

TEST_CASE("malformed documents are refused, naming field and word") {
  const auto refused = [](const std::string& member, const std::string& field, const std::string& word) {
    INFO(member);
    check_failure(parse_status_body(status_with(member), {}), Errc::malformed_response, field, word);
  };
  refused(worker_json(0, R"(,"state":"fine")"), "status.members[0].state", "'fine'");
  refused(worker_json(0, R"(,"health":"ill")"), "health", "'ill'");
  refused(worker_json(-1), "index", "-1");
  refused(worker_json(0, R"(,"address":"10.0.0.1,evil:1")"), "address", "evil");
  refused(worker_json(0, R"(,"address":"-oProxyCommand=x:22")"), "address", "-oProxyCommand");
  refused(worker_json(0, R"(,"address":"[fe80::1%eth0]:1")"), "address", "fe80");
  refused(R"({"index":0})", "members[0]", "no job");
  refused(R"({"job":"a\nb","index":0})", "job", "no name of a job");
  check_failure(parse_status_body(R"({"position":"10.01","generation":1,"status":{"phase":"running"}})", {}), Errc::malformed_response,
                "position", "10.01");
  check_failure(parse_status_body(R"({"position":"10.1","generation":1,"status":{"phase":"done"}})", {}), Errc::malformed_response, "phase",
                "'done'");
  check_failure(parse_status_body(R"({"position":"10.1","generation":1,"status":{}})", {}), Errc::malformed_response, "status.phase");
  check_failure(parse_status_body(R"({"position":"10.1","generation":1,"status":{"phase":"running","jobs":["a","a"]}})", {}),
                Errc::malformed_response, "jobs", "twice");
  check_failure(parse_status_body("<html>", {}), Errc::malformed_response, "the service's status");
  check_failure(parse_heartbeat_event(R"({"age_ms":1,"fallback":{"after_s":0,"spread_s":0,"poll_s":0}})", {}), Errc::malformed_response,
                "poll_s", "0");
  check_failure(parse_heartbeat_event(R"({"age_ms":-1,"fallback":{}})", {}), Errc::malformed_response, "age_ms");
  check_failure(parse_sync_event(R"({"etag":"x","generation":1,"age_ms":1})", {}), Errc::malformed_response, "etag");
  check_failure(parse_failure_body(R"({"code":"cancelled","message":"x"})", {}), Errc::malformed_response, "cancelled");
  check_failure(parse_failure_body(R"({"message":"x"})", {}), Errc::malformed_response, "code");
}

TEST_CASE("words come out printable, as they would be printed") {
  const StatusDocument read = value_of(parse_status_body(
      status_with(worker_json(0, R"(,"name":"\u001b[31m","uid":"\u0000","state":"waiting","state_text":"a\nb","health_text":"\u202e")")),
      {}));
  const Member& member = read.status.members.at(0);
  CHECK((member.name == "\\x1b[31m" && member.uid == "\\x00" && member.state.text == "a\\x0ab"));
  CHECK(printable_line(member.health.text) == member.health.text);
  CHECK(value_of(parse_trouble_event(R"({"message":"\u0007","age_ms":5})", {})).message == "\\x07");
}

TEST_CASE("a cluster comes back as it was, and only addresses are addresses") {
  ClusterSpec spec;
  spec.set_job("worker", {"10.0.0.1:8470", "[2001:db8::1]:8470"});
  CHECK(spec.set_job("ps", ClusterSpec::Tasks{{3, "ps-3.train:2222"}}));
  spec.set_job("chief", std::vector<std::string>());
  const SpecDocument read = value_of(parse_spec_body(render_spec_body(9, spec, 10ms), {}));
  CHECK((read.spec == spec && read.spec.jobs() == spec.jobs() && read.generation == 9 && read.age == Age(10ms)));
  check_failure(parse_spec_body(R"({"generation":1,"cluster":{"worker":["10.0.0.1 ; reboot:1"]}})", {}), Errc::malformed_response,
                "worker 0", "not an address");
  check_failure(parse_spec_body(R"({"generation":1,"cluster":[]})", {}), Errc::malformed_response, "the service's cluster");
  check_failure(parse_spec_body(R"({"generation":1})", {}), Errc::malformed_response, "cluster");
  ParseLimits few;
  few.max_endpoints = 2;
  check_failure(parse_spec_body(render_spec_body(9, spec), few), Errc::limit_exceeded, "2 tasks");
}

TEST_CASE("a failure comes back with its story") {
  Failure failure(Errc::not_found, "there is no TPU 'trainer'");
  failure.with_hint("did you mean trainer-2?").with_target("https://tpu.googleapis.com/v2/x").with_phase(Phase::response);
  failure.with_attempts(2).with_last_status(404).with_elapsed(1500ms);
  const Failure read = value_of(parse_failure_body(render_failure_body("tpu:trainer", failure), {})).failure;
  CHECK(read.message() == failure.message());
  CHECK(render_failure_body("tpu:trainer", read) == render_failure_body("tpu:trainer", failure));
  // Clients do not learn which server of its own networks the service asked.
  for (const char* const own :
       {"https://10.3.0.1:6443/api/v1/pods", "https://kube.internal/", "https://googleapis.com.evil.example/", "/etc/config"}) {
    failure.with_target(own);
    const std::string sent = render_failure_body("kubernetes:train,job.w=a=b", failure);
    CHECK(sent.find(own) == std::string::npos);
    CHECK(sent.find(R"("asked":"")") != std::string::npos);
    CHECK(value_of(parse_failure_body(sent, {})).failure.last_status() == 404);
  }
  for (int code = static_cast<int>(Errc::invalid_argument); code <= static_cast<int>(Errc::deadline_exceeded); ++code) {
    const Failure one(static_cast<Errc>(code), "x");
    const Result<FailureDocument> sent = parse_failure_body(render_failure_body("", one), {});
    CHECK((one.code() == Errc::cancelled ? sent.has_error() : sent.has_value() && sent->failure.code() == one.code()));
  }
}

TEST_CASE("short events come back, and the schedule as an event and as a header") {
  FallbackSchedule fallback_schedule;
  fallback_schedule.after = 5s;
  fallback_schedule.spread = 2000s;
  fallback_schedule.poll = 1s;
  const HeartbeatDocument heartbeat = value_of(parse_heartbeat_event(render_heartbeat_event(fallback_schedule, 9120ms), {}));
  CHECK((heartbeat.fallback_schedule == fallback_schedule && heartbeat.age == 9120ms));
  CHECK(FallbackSchedule::parse_header(fallback_schedule.to_header()) == fallback_schedule);
  CHECK(fallback_schedule.to_header() == "after=5, spread=2000, poll=1");
  CHECK(FallbackSchedule::parse_header("poll=1,later=x,spread=2000 , after=5") == fallback_schedule);
  for (const std::string_view wrong : {"", "after=1", "after=1, spread=1, poll=0", "after=1, spread=1, poll=-1", "after=1, after=1, poll=1",
                                       "after=1, spread=86401, poll=1", "after=1, spread=1, poll=1, x"})
    CHECK(!FallbackSchedule::parse_header(wrong));
  const SyncDocument sync = value_of(parse_sync_event(render_sync_event(Position(10, 2), 3, 4ms), {}));
  CHECK((sync.etag == Position(10, 2) && sync.generation == 3 && sync.age == 4ms));
  CHECK(value_of(parse_trouble_event(render_trouble_event("no answer", 4ms), {})).message == "no answer");
}

TEST_CASE("the client's own task, if one member alone has the address") {
  ClusterSpec spec;
  spec.set_job("worker", {"10.0.0.1:8470", "10.0.0.10:8470", "[2001:db8::1]:8470", "Host-3.train:1"});
  spec.set_job("ps", {"10.0.0.1:2222"});
  ProgressDocument progress;
  progress.is_ready = true;
  const auto task_of = [&](std::string_view self) {
    const std::string body = render_task_body(progress, spec, self);
    const std::size_t at = body.find(",\"task\":");
    return at == std::string::npos ? std::string() : body.substr(at + 8, body.size() - at - 9);
  };
  CHECK(task_of("10.0.0.10") == R"({"job":"worker","index":1,"address":"10.0.0.10:8470"})");
  CHECK(task_of("10.0.0.1:2222") == R"({"job":"ps","index":0,"address":"10.0.0.1:2222"})");
  CHECK(task_of("2001:db8:0::1") == R"({"job":"worker","index":2,"address":"[2001:db8::1]:8470"})");
  CHECK(task_of("host-3.train") == R"({"job":"worker","index":3,"address":"Host-3.train:1"})");
  CHECK(task_of("10.0.0.1") == "null");  // two have it
  CHECK(task_of("10.0.0.2") == "null");
  CHECK(task_of("").empty());
  CHECK_THAT(render_task_body(progress, spec, ""), Catch::Contains(R"("tasks":5,"first":"10.0.0.1:8470")"));
}

TEST_CASE("positions and what is none") {
  CHECK(Position::parse("51.182700") == Position(51, 182700));
  CHECK(Position::parse("10.0")->to_text() == "10.0");
  CHECK(Position::parse("10.18446744073709551615")->revision == 18446744073709551615ULL);
  for (const std::string_view wrong : {"", ".", "10", "10.", ".1", "10.01", "010.1", "10.-1", "+1.1", "10.18446744073709551616",
                                       "18446744073709551616.1", "a.1", "1 0.1", "10.1 ", "10.1.1"})
    CHECK(!Position::parse(wrong));
}
