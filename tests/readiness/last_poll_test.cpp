// The last poll of a wait before it gives up, and waits that cannot succeed; in virtual time.
#include <catch2/catch.hpp>

#include "resolvers/kubernetes/kubernetes_support.hpp"
#include "rollcall/simple_resolver.hpp"
#include "rollcall/tfconfig_resolver.hpp"
#include "rollcall/union_resolver.hpp"
#include "rollcall/wait.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {

std::string pod_that_is(bool is_ready) {
  return pod_json("w", "10.0.0.1", R"(,"uid":"u","resourceVersion":"5")",
                  std::string(R"(,"conditions":[{"type":"Ready","status":")") + (is_ready ? "True" : "False") + R"("}])", "Running");
}

// A server whose lists are right, and whose watches are silent.
class DeafStreams : public TestRuntime {
 public:
  explicit DeafStreams(Duration ready_after) {
    transport->respond = [this, ready_after](const HttpRequest& request) {
      if (request.url.target.find("watch=1") != std::string::npos) {
        ScriptedTransport::Answer silent(ScriptedTransport::reply(200, ""));
        silent.after = std::chrono::hours(1);
        return silent;
      }
      // What stands around the pods is asked for as well.
      const bool is_list = request.url.target.find("pods?labelSelector") != std::string::npos;
      if (is_list) ++lists;
      if (is_list && lists > 1 && failing-- > 0) return ScriptedTransport::Answer(ScriptedTransport::reply(503));
      return ScriptedTransport::Answer(
          ScriptedTransport::reply(200, list_json(pod_that_is(time->now().time_since_epoch() >= ready_after))));
    };
  }
  Result<ClusterStatus> wait(Duration timeout) { return wait(WaitOptions().timeout(timeout)); }
  Result<ClusterStatus> wait(WaitOptions with) {
    KubernetesOptions options = at_test_server();
    options.namespace_name("train");
    return run(try_wait_until_ready(make_kubernetes_resolver(runtime, std::move(options)), usually_ready, std::move(with)));
  }
  int lists = 0;
  int failing = 0;  // so many lists after the first one
};

Result<ClusterStatus> wait_for(VirtualLoop& t, const std::shared_ptr<ClusterResolver>& resolver, int members, int min_members = 0) {
  return t.run(try_wait_until_ready(resolver, usually_ready, WaitOptions().members(members).min_members(min_members).timeout(10min)));
}

}  // namespace

TEST_CASE("a wait that only had a stream polls once before it gives up") {
  DeafStreams t(2s);
  const Result<ClusterStatus> ready = t.wait(6s);
  CHECK(ready.has_value());
  CHECK(t.lists == 2);
  CHECK(t.seconds() > 5);
  CHECK(t.seconds() < 6);
}

TEST_CASE("a last poll without a change ends a wait at its deadline, as before") {
  DeafStreams t(std::chrono::hours(1));
  check_failure(t.wait(6s), Errc::deadline_exceeded, "not ready within 6", "0 of 1 ready");
  CHECK(t.lists == 2);
  CHECK(t.seconds() == Approx(6));
}

TEST_CASE("a last poll that fails in passing is repeated until the deadline") {
  DeafStreams t(2s);
  t.failing = 3;
  CHECK(t.wait(60s).has_value());
  CHECK(t.lists == 5);
  CHECK(t.seconds() > 57);
  CHECK(t.seconds() < 60);
  DeafStreams away(2s);
  away.failing = 100;
  check_failure(away.wait(60s), Errc::deadline_exceeded, "not ready within 1 m");
  CHECK(away.seconds() == Approx(60));
}

TEST_CASE("a wait that only had a stream polls before the limit of a phase ends it, too") {
  DeafStreams t(2s);
  CHECK(t.wait(WaitOptions().provision_timeout(20s).timeout(10min)).has_value());
  CHECK(t.lists == 2);
  CHECK(t.seconds() == Approx(20).margin(0.01));
  DeafStreams never(std::chrono::hours(1));
  check_failure(never.wait(WaitOptions().provision_timeout(20s).timeout(10min)), Errc::deadline_exceeded,
                "granted, but not ready within 20");
  CHECK(never.lists == 2);
  CHECK(never.seconds() == Approx(20).margin(0.01));
}

TEST_CASE("a list that cannot grow is not waited for") {
  std::map<std::string, std::string, std::less<>> variables;
  variables["TF_CONFIG"] = R"({"cluster":{"worker":["10.0.0.1:1","10.0.0.2:1"]}})";
  TestRuntime t(std::move(variables));
  const auto simple = make_simple_resolver(t.runtime, SimpleOptions(ClusterSpec::from_json(R"({"worker":["a:1","b:1"]})").value()));
  const auto config = make_tfconfig_resolver(t.runtime, {});
  for (const std::shared_ptr<ClusterResolver>& list :
       {std::shared_ptr<ClusterResolver>(simple), std::shared_ptr<ClusterResolver>(config)}) {
    check_failure(wait_for(t, list, 8), Errc::not_ready, "it has 2 members and gets no more: 8 are awaited");
    CHECK(wait_for(t, list, 2).has_value());
    CHECK(wait_for(t, list, 8, 2).has_value());  // two are enough
    const Result<ClusterStatus> too_few = wait_for(t, list, 8, 3);
    check_failure(too_few, Errc::not_ready, "3 are awaited");
    CHECK(too_few.error().hint() == "ask for fewer (min_members, --min-members), or add what the list lacks");
    check_failure(wait_for(t, list, 0, 3), Errc::not_ready, "3 are awaited");
  }
  const auto both = make_union_resolver(
      t.runtime, {simple, make_simple_resolver(t.runtime, SimpleOptions(ClusterSpec::from_json(R"({"ps":["c:1"]})").value()))});
  check_failure(wait_for(t, both, 8), Errc::not_ready, "it has 3 members and gets no more");
  CHECK(t.seconds() <= 60);  // the last call of 30 s twice, for further members
}
