// Servers that answer at once each time are not polled in a tight loop; in virtual time.
#include <catch2/catch.hpp>

#include "readiness/follow.hpp"
#include "readiness/latest_status.hpp"
#include "resolvers/kubernetes/kubernetes_support.hpp"
#include "rollcall/simple_resolver.hpp"
#include "rollcall/wait.hpp"
#include "rollcall/watch.hpp"
#include "support/cloud_loop.hpp"
#include "support/nap.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

namespace {

const std::string one_pod = pod_json("w", "10.0.0.1", R"(,"uid":"u","resourceVersion":"5")");

// The number of requests of each kind while a follower runs for a minute.
class Questions {
 public:
  int lists = 0;
  int watches = 0;
  int event_watches = 0;
};

Questions watched_for_a_minute(const std::string& stream) {
  TestRuntime t;
  Questions asked;
  t.transport->respond = [&](const HttpRequest& request) {
    const bool is_watch = request.url.target.find("watch=1") != std::string::npos;
    // What makes the pods, and what stands around them, is asked for as well.
    const bool is_list = !is_watch && request.url.target.find("pods?labelSelector") != std::string::npos;
    const bool is_of_events = request.url.target.find("/events?") != std::string::npos;
    asked.watches += is_watch && !is_of_events ? 1 : 0;
    asked.event_watches += is_watch && is_of_events ? 1 : 0;
    asked.lists += is_list ? 1 : 0;
    ScriptedTransport::Answer answer(ScriptedTransport::reply(200, is_watch ? stream : list_json(one_pod)));
    answer.after = 1ms;
    return answer;
  };
  KubernetesOptions options = at_test_server();
  options.namespace_name("train");
  const auto following = watch(make_kubernetes_resolver(t.runtime, std::move(options)), WatchOptions().machine_notices(false));
  REQUIRE(t.run(following->try_next()));
  t.run(nap(t.runtime, 60s));
  return asked;
}

std::string event_line(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}

// A metadata server with the answers of `next`, each delayed by `held`; the number of requests within a minute, and the reports.
class NoticedMinute {
 public:
  explicit NoticedMinute(std::function<HttpResponse(int)> next, Duration held = 1ms)
      : t(std::map<std::string, std::string, std::less<>>{{"GCE_METADATA_HOST", "metadata.google.internal"}}) {
    t.transport->respond = [this, next = std::move(next), held](const HttpRequest& request) {
      if (request.url.target.find("wait_for_change") == std::string::npos) {
        HttpResponse root = ScriptedTransport::reply(200);
        root.headers.add("Metadata-Flavor", "Google");
        return ScriptedTransport::Answer(std::move(root));
      }
      HttpResponse response = next(asked++);
      response.headers.add("Metadata-Flavor", "Google");
      ScriptedTransport::Answer answer(std::move(response));
      answer.after = held;
      return answer;
    };
    const auto simple = make_simple_resolver(t.runtime, SimpleOptions(ClusterSpec::from_json(R"({"worker":["a:1"]})").value()));
    const auto following = watch(simple);
    auto reading = t.start(read(following));
    t.run(nap(t.runtime, 60s));
    following->close();
    t.poll();
    REQUIRE(t.finish(reading));
  }
  TestRuntime t;
  int asked = 0;
  int notices = 0;

 private:
  asio::awaitable<Result<void>> read(std::shared_ptr<ClusterWatch> following) {
    for (;;) {
      const Result<ClusterChange> change = co_await following->try_next();
      if (!change) co_return Result<void>();
      if (change->kind == ChangeKind::notice) ++notices;
    }
  }
};

HttpResponse held_answer(const std::string& value, int version) {
  HttpResponse response = ScriptedTransport::reply(200, value);
  response.headers.add("ETag", fmt::format("e{}", version));
  return response;
}

}  // namespace

TEST_CASE("a watch that ends at once after each event is opened once a second, not in a tight loop") {
  const Questions asked = watched_for_a_minute(event_line("BOOKMARK", R"({"metadata":{"resourceVersion":"7"}})"));
  CHECK(asked.lists == 1);
  CHECK(asked.watches >= 30);
  CHECK(asked.watches <= 62);
  CHECK(asked.event_watches <= 7);
}

TEST_CASE("a watch whose version is too old after each event is opened once a second, and so is the list") {
  const Questions asked = watched_for_a_minute(event_line("BOOKMARK", R"({"metadata":{"resourceVersion":"7"}})") +
                                               event_line("ERROR", status_json(410, "Expired", "too old resource version: 1 (9)")));
  CHECK(asked.watches <= 62);
  CHECK(asked.lists <= 62);
}

TEST_CASE("a metadata server that does not hold its answers is asked once a second, even if each answer is a change") {
  const NoticedMinute minute([](int version) { return held_answer("FALSE", version); });
  CHECK(minute.asked >= 60);
  CHECK(minute.asked <= 2 * 62);  // for two keys
  CHECK(minute.notices <= 1);
}

TEST_CASE("a machine's notice that changes with each answer is reported once a second at most") {
  const NoticedMinute minute([](int version) { return held_answer(version % 4 < 2 ? "A" : "B", version); });
  CHECK(minute.asked <= 2 * 62);
  CHECK(minute.notices > 0);
  CHECK(minute.notices <= 2 * 62);
}

TEST_CASE("a metadata server that holds its answers is asked again at once") {
  const NoticedMinute minute([](int version) { return held_answer("FALSE", version); }, 2s);
  CHECK(minute.asked >= 2 * 29);
  CHECK(minute.asked <= 2 * 31);
}

namespace {

constexpr const char* lister =
    R"({"kubernetes": {"namespace": "train", "managed_fields": false, "users": [{"name": "lister", "token": "test-token",
      "rules": [{"namespaces": ["train"], "verbs": ["list"]}]}],
      "pods": [{"kind": "indexed_job", "name": "trainer", "count": 2, "running_after": 50}]}})";

std::shared_ptr<ClusterResolver> trainer(CloudLoop& t) {
  KubernetesOptions options;
  options.job("worker", {"job-name=trainer"});
  options.api_server("https://127.0.0.1:6443").namespace_name("train").address(PodAddress::pod);
  return make_kubernetes_resolver(t.runtime, std::move(options));
}

}  // namespace

TEST_CASE("without the right to watch pods a wait uses lists") {
  CloudLoop t(lister);
  const Result<ClusterStatus> status = t.run(try_wait_until_ready(trainer(t)));
  REQUIRE(status);
  CHECK(t.elapsed() >= 50);
  CHECK(t.elapsed() <= 50 + 36);
  CHECK(t.asked("pods.watch") == 1);
  CHECK(t.asked("pods.list") >= 4);
  CHECK(t.asked("pods.list") <= 20);
}

TEST_CASE("a refused watch, and the lists in its place, are reported once") {
  TestRuntime t;
  int lists = 0;
  t.transport->respond = [&lists](const HttpRequest& request) {
    const bool is_watch = request.url.target.find("watch=1") != std::string::npos;
    lists += !is_watch && request.url.target.find("pods?labelSelector") != std::string::npos ? 1 : 0;
    const std::string pods = lists < 5 ? pod_json("w", "", {}, {}, "Pending") : one_pod;
    return ScriptedTransport::Answer(is_watch ? ScriptedTransport::reply(403, status_json(403, "Forbidden", "pods is forbidden"))
                                              : ScriptedTransport::reply(200, list_json(pods)));
  };
  KubernetesOptions options = at_test_server();
  options.namespace_name("train");
  const auto result = t.run(try_wait_until_ready(make_kubernetes_resolver(t.runtime, std::move(options)), Readiness::state));
  REQUIRE(result);
  CHECK(lists == 5);
  CHECK(std::count(t.log->lines.begin(), t.log->lines.end(), "left_out permission_denied") == 1);
}

TEST_CASE("without the right to watch pods they are followed by lists") {
  CloudLoop t(lister);
  const auto following = watch(trainer(t), WatchOptions().machine_notices(false));
  std::vector<std::string> reported;
  while (reported.size() < 5) {
    const Result<ClusterChange> change = t.run(following->try_next());
    REQUIRE(change);
    reported.emplace_back(to_string(change->kind));
  }
  CHECK(reported == std::vector<std::string>{"member_joined", "member_joined", "member_changed", "member_changed", "cluster_ready"});
  t.run(nap(t.runtime, 600s));
  CHECK(t.asked("pods.watch") == 1);
  CHECK(t.asked("pods.list") <= 50);
}

TEST_CASE("without the right to list pods either, following is refused") {
  CloudLoop t(R"({"kubernetes": {"namespace": "train", "users": [{"name": "nobody", "token": "test-token",
    "rules": [{"namespaces": ["train"], "verbs": ["get"]}]}], "pods": [{"kind": "indexed_job", "name": "trainer"}]}})");
  const Result<ClusterStatus> status = t.run(try_wait_until_ready(trainer(t)));
  REQUIRE(status.has_error());
  CHECK(status.error().code() == Errc::permission_denied);
  CHECK_THAT(status.error().message(), Contains("verbs: [list, watch]"));
}
