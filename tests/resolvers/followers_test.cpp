// Failures that end followers of a cluster, and failures that do not: each resolver with each failure, in virtual time.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <functional>
#include <set>

#include "rollcall/credentials.hpp"
#include "rollcall/gce_resolver.hpp"
#include "rollcall/kubernetes_resolver.hpp"
#include "rollcall/queued_resource.hpp"
#include "rollcall/sim/cloud.hpp"
#include "rollcall/sim/memory.hpp"
#include "rollcall/testing/virtual_loop.hpp"
#include "rollcall/tpu_resolver.hpp"
#include "rollcall/union_resolver.hpp"
#include "rollcall/wait.hpp"
#include "rollcall/watch.hpp"
#include "support/result.hpp"
#include "support/scripted_transport.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {

// Another token after each refusal.
class RenewedTokens final : public Credentials {
 public:
  asio::awaitable<Result<AccessToken>> token(Call&) override {
    co_return AccessToken(Secret<std::string>(fmt::format("token-number-{}", number)));
  }
  void invalidate(const AccessToken&) override { ++number; }
  std::string describe() const override { return "renewed tokens"; }
  int number = 0;
};

// The failure of the service from one second after the start until 10 s.
class FollowTrouble {
 public:
  std::string name;
  std::function<ScriptedTransport::Answer()> answer;  // none: the token is refused permanently
  bool is_lived_through;
};

FollowTrouble of_status(int status, bool is_lived_through) {
  const auto answer = [status] { return ScriptedTransport::Answer(ScriptedTransport::reply(status, "trouble")); };
  return {fmt::format("HTTP {}", status), answer, is_lived_through};
}

FollowTrouble of_failure(std::string name, Errc code, Phase phase, Duration after = 0s) {
  const auto answer = [name, code, phase, after] {
    ScriptedTransport::Answer made(Failure(code, name).with_phase(phase));
    made.after = after;
    return made;
  };
  return {name, answer, true};
}

std::vector<FollowTrouble> follow_troubles() {
  std::vector<FollowTrouble> all;
  all.push_back({"401, another token then", nullptr, true});
  for (const int status : {401, 408, 410, 429, 500, 502, 503, 504}) all.push_back(of_status(status, true));
  for (const int status : {400, 403}) all.push_back(of_status(status, false));
  all.push_back(of_failure("refused", Errc::unreachable, Phase::connect));
  all.push_back(of_failure("cut", Errc::unreachable, Phase::response));
  all.push_back(of_failure("cut in TLS", Errc::unreachable, Phase::handshake));
  all.push_back(of_failure("another's certificate", Errc::tls_failed, Phase::handshake));
  all.back().is_lived_through = false;
  all.push_back(of_failure("silence", Errc::response_timeout, Phase::response, 20s));
  all.push_back(of_failure("no name", Errc::unknown_host, Phase::resolve));
  all.push_back({"a proxy's page", [] { return ScriptedTransport::Answer(ScriptedTransport::reply(200, "<html>log in</html>")); }, true});
  return all;
}

// The simulated cloud behind a failing service.
class TroubledTransport final : public HttpTransport {
 public:
  TroubledTransport(std::shared_ptr<HttpTransport> cloud, std::shared_ptr<TimerQueue> timers, const FollowTrouble& trouble)
      : cloud_(std::move(cloud)), timers_(std::move(timers)), trouble_(trouble), began_(timers_->now()) {}

  asio::awaitable<Result<HttpResponse>> send(const HttpRequest& request, const ExchangeOptions& options) override {
    std::optional<ScriptedTransport::Answer> wrong = trouble_of(request);
    if (!wrong) co_return co_await cloud_->send(request, options);
    if (wrong->after > 0s) {
      const bool is_awake = co_await sleep_until(*timers_, timers_->now() + wrong->after);
      if (!is_awake) co_return Failure(Errc::cancelled, "cancelled");
    }
    co_return wrong->result;
  }
  asio::awaitable<Result<std::unique_ptr<HttpStream>>> open(const HttpRequest& request, const ExchangeOptions& options) override {
    const bool is_wrong = trouble_of(request).has_value();
    if (!is_wrong) co_return co_await cloud_->open(request, options);
    Result<HttpResponse> answer = co_await send(request, options);
    if (!answer) co_return answer.error();
    std::unique_ptr<HttpStream> stream = std::make_unique<ScriptedTransport::Stream>(std::move(*answer));
    co_return stream;
  }
  void close() override { cloud_->close(); }
  bool was_met = false;

 private:
  std::optional<ScriptedTransport::Answer> trouble_of(const HttpRequest& request) {
    const Duration age = timers_->now() - began_;
    const bool is_due = trouble_.answer ? age >= 1s && age < 10s : age >= 1s && request.bearer.reveal() == "token-number-0";
    if (!is_due) return std::nullopt;
    was_met = true;
    if (trouble_.answer) return trouble_.answer();
    return ScriptedTransport::Answer(ScriptedTransport::reply(401));
  }

  std::shared_ptr<HttpTransport> cloud_;
  std::shared_ptr<TimerQueue> timers_;
  const FollowTrouble& trouble_;
  SteadyTime began_;
};

// Something changes at 60 s; the streams of the Kubernetes API break at 1 s.
constexpr std::string_view followed_cloud = R"({"project": "p", "zone": "us-central2-b",
  "nodes": [{"name": "trainer", "accelerator_type": "v4-8", "timeline": [{"at": 0, "state": "READY"}, {"at": 60, "state": "PREEMPTED"}]}],
  "queued_resources": [{"name": "queue", "node": {"accelerator_type": "v4-8"}, "timeline": [{"at": 0, "state": "ACTIVE"},
    {"at": 60, "state": "SUSPENDING"}]}],
  "compute": {"instances": [{"name": "w-0", "timeline": [{"at": 0, "status": "RUNNING"}, {"at": 60, "status": "REPAIRING"}]}],
    "groups": [{"name": "workers"}]},
  "kubernetes": {"namespace": "train", "restarts": [1], "pods": [{"kind": "stateful_set", "name": "trainer", "count": 2, "labels": {"app": "w"},
    "except": [{"pod": 1, "timeline": [{"at": 0, "phase": "Running", "ready": true}, {"at": 60, "deleted": true}]}]}]}})";

class FollowedCloud : public VirtualLoop {
 public:
  explicit FollowedCloud(const FollowTrouble& trouble)
      : cloud(value_of(sim::Cloud::parse(followed_cloud, "cloud.json"))),
        transport(std::make_shared<TroubledTransport>(sim::make_memory_transport(cloud, time, io.get_executor()),
                                                      std::make_shared<TimerQueue>(time, io.get_executor()), trouble)),
        runtime(make()), started(time->now()) {
    cloud->start(started);
  }
  double elapsed() const { return std::chrono::duration<double>(time->now() - started).count(); }

  std::shared_ptr<sim::Cloud> cloud;
  std::shared_ptr<TroubledTransport> transport;
  Runtime runtime;
  SteadyTime started;

 private:
  Runtime make() {
    RuntimeOptions options;
    options.http = transport;
    options.time = time;
    options.random_seed = 1;
    options.environment = fixed_environment({});
    options.files = fixed_files({});
    options.credentials = std::make_shared<RenewedTokens>();
    return Runtime(io.get_executor(), std::move(options));
  }
};

std::shared_ptr<ClusterResolver> followed_tpu(const Runtime& runtime) {
  return make_tpu_resolver(runtime, TpuOptions("trainer").project("p").zone("us-central2-b"));
}
std::shared_ptr<ClusterResolver> followed_queue(const Runtime& runtime) {
  return make_queued_resource_resolver(runtime, QueuedResourceOptions("queue").project("p").zone("us-central2-b"));
}
std::shared_ptr<ClusterResolver> followed_group(const Runtime& runtime) {
  return make_gce_resolver(runtime, GceOptions("workers").project("p").zone("us-central2-b").port(8470));
}
std::shared_ptr<ClusterResolver> followed_pods(const Runtime& runtime) {
  KubernetesOptions options;
  options.job("worker", {"app=w"}).api_server("https://127.0.0.1:6443").namespace_name("train");
  return make_kubernetes_resolver(runtime, std::move(options));
}
std::shared_ptr<ClusterResolver> followed_both(const Runtime& runtime) {
  return make_union_resolver(runtime, {followed_tpu(runtime), followed_pods(runtime)});
}

class FollowedKind {
 public:
  std::string_view name;
  std::shared_ptr<ClusterResolver> (*make)(const Runtime& runtime);
};
constexpr FollowedKind followed_kinds[] = {
    {"tpu", followed_tpu}, {"queued", followed_queue}, {"gce", followed_group}, {"kubernetes", followed_pods}, {"union", followed_both}};

// The report of a watch at 60 s or later; "END …" if it ends before that.
std::string notified_of_change(FollowedCloud& t, const std::shared_ptr<ClusterResolver>& resolver) {
  const std::shared_ptr<ClusterWatch> following = watch(resolver, WatchOptions().machine_notices(false));
  for (int i = 0; i < 100; ++i) {
    const Result<ClusterChange> change = t.run(following->try_next());
    if (!change) return "END " + std::string(to_string(change.error().code()));
    if (t.elapsed() >= 60) return std::string(to_string(change->kind));
  }
  return "more changes than there are";
}

}  // namespace

TEST_CASE("a follower survives failures that a new request cures, and ends by those that none does") {
  for (const FollowTrouble& trouble : follow_troubles()) {
    for (const FollowedKind& kind : followed_kinds) {
      CAPTURE(trouble.name, kind.name);
      FollowedCloud t(trouble);
      const std::string reported = notified_of_change(t, kind.make(t.runtime));
      CAPTURE(reported);
      CHECK(t.transport->was_met);
      CHECK(reported.starts_with("END ") != trouble.is_lived_through);
      if (trouble.is_lived_through) CHECK(t.elapsed() < 120);
    }
  }
}

TEST_CASE("a wait is ready by another token where the first one is refused from the beginning, without retries too") {
  for (const bool has_retries : {true, false}) {
    for (const FollowedKind& kind : followed_kinds) {
      CAPTURE(kind.name, has_retries);
      const FollowTrouble first_token{"401, another token then", nullptr, true};
      FollowedCloud t(first_token);
      t.time->advance(2s);
      CallOptions question;
      if (!has_retries) question.retry(RetryPolicy().max_retries(0));
      const WaitOptions options = WaitOptions().timeout(20s).request_options(question);
      const Result<ClusterStatus> ready = t.run(try_wait_until_ready(kind.make(t.runtime), usually_ready, options));
      CHECK(t.transport->was_met);
      CHECK(ready.has_value());
      CHECK(t.elapsed() < 4);
    }
  }
}

TEST_CASE("a token that is refused from the beginning, and so is the next, ends a wait at once") {
  const FollowTrouble refused = of_status(401, false);
  for (const FollowedKind& kind : followed_kinds) {
    CAPTURE(kind.name);
    FollowedCloud t(refused);
    t.time->advance(2s);
    check_failure(t.run(try_wait_until_ready(kind.make(t.runtime), usually_ready, WaitOptions().timeout(15s))), Errc::unauthenticated,
                  "401");
    CHECK(t.elapsed() < 4);
  }
}
