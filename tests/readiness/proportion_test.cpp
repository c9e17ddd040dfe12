// The work of waits, watches and unions is linear in the cluster's size. Work is counted: allocations, reports.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <new>

#include "readiness/slow_start.hpp"
#include "resolvers/kubernetes/kubernetes_support.hpp"
#include "rollcall/simple_resolver.hpp"
#include "rollcall/union_resolver.hpp"
#include "rollcall/wait.hpp"
#include "rollcall/watch.hpp"
#include "support/cloud_loop.hpp"
#include "support/result.hpp"
#include "support/sanitizers.hpp"

namespace {
std::size_t made = 0;  // allocations
}

#ifndef ROLLCALL_HAS_OWN_ALLOCATOR
void* operator new(std::size_t size) {
  ++made;
  if (void* memory = std::malloc(size ? size : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

using namespace rollcall;
using namespace rollcall::testing;

namespace {

std::size_t allocations_of(const std::function<void()>& work) {
  const std::size_t before = made;
  work();
  return made - before;
}

// Four times the size: at most five times the work.
void check_straight(const std::function<std::size_t(int)>& work, int size) {
  const std::size_t small = work(size);
  const std::size_t large = work(4 * size);
  INFO(small << " of " << size << ", " << large << " of " << 4 * size);
  CHECK(large <= 5 * small);
}

KubernetesOptions in_train() {
  KubernetesOptions options = at_test_server();
  options.namespace_name("train");
  return options;
}

std::string pod_at(int index, int version, const std::string& phase = "Pending") {
  return pod_json(fmt::format("trainer-{}", index), "10.0.0.1",
                  fmt::format(R"(,"uid":"uid-of-pod-{0}","resourceVersion":"{1}","labels":{{"batch.kubernetes.io/job-name":"trainer",)"
                              R"("batch.kubernetes.io/job-completion-index":"{0}"}})",
                              index, version),
                  {}, phase);
}

std::string pods_up_to(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i > 0 ? "," : "") + pod_at(i, 100);
  return list_json(text);
}

}  // namespace

TEST_CASE("a wait for four times the members, with some changes, costs four times as much") {
  const auto work = [](int members) {
    CloudLoop t("{}");
    return allocations_of([&] {
      const auto late = t.run(try_wait_until_ready(std::make_shared<SlowStart>(t.runtime, members, 5), usually_ready,
                                                   WaitOptions().timeout(10s).on_progress([](const WaitProgress&) {})));
      REQUIRE(late.has_error());
      CHECK(late.error().code() == Errc::deadline_exceeded);
    });
  };
  check_straight(work, 1000);
}

TEST_CASE("one changed member costs a wait a few allocations, not some for each of the others") {
  const auto work = [](int changes) {
    CloudLoop t("{}");
    return allocations_of([&] {
      REQUIRE(
          t.run(try_wait_until_ready(std::make_shared<SlowStart>(t.runtime, 2000, changes), Readiness::state, WaitOptions().timeout(60s)))
              .has_error());
    });
  };
  // The follower copies a status with its name, address and text; the wait lists the missing members with the same.
  const std::size_t of_a_poll = (work(25) - work(5)) / 20;
  CHECK(of_a_poll <= 2000 * 8);
}

TEST_CASE("a watch of four times the members costs four times as much") {
  const auto work = [](int members) {
    CloudLoop t("{}");
    return allocations_of([&] {
      const auto following = watch(std::make_shared<SlowStart>(t.runtime, members, 5), WatchOptions().machine_notices(false));
      for (int i = 0; i < members + 5; ++i) REQUIRE(t.run(following->try_next()));
    });
  };
  check_straight(work, 1000);
}

TEST_CASE("a union of four times the parts costs four times as much: a wait, a watch and a request") {
  const auto union_of = [](CloudLoop& t, int parts) {
    std::vector<std::shared_ptr<ClusterResolver>> children;
    for (int i = 0; i < parts; ++i) {
      ClusterSpec spec;
      spec.set_job("worker", {fmt::format("host-number-{}.example:8470", i)});
      children.push_back(make_simple_resolver(t.runtime, SimpleOptions(spec)));
    }
    return make_union_resolver(t.runtime, std::move(children));
  };
  const auto waited = [&](int parts) {
    CloudLoop t("{}");
    const auto all = union_of(t, parts);
    return allocations_of([&] { REQUIRE(t.run(try_wait_until_ready(all, usually_ready))); });
  };
  const auto watched = [&](int parts) {
    CloudLoop t("{}");
    const auto all = union_of(t, parts);
    return allocations_of([&] {
      const auto following = watch(all, WatchOptions().machine_notices(false));
      for (int i = 0; i <= parts; ++i) REQUIRE(t.run(following->try_next()));
    });
  };
  const auto asked = [&](int parts) {
    CloudLoop t("{}");
    const auto all = union_of(t, parts);
    return allocations_of([&] { REQUIRE(t.run(all->try_cluster_spec())); });
  };
  check_straight(waited, 100);
  check_straight(watched, 100);
  check_straight(asked, 100);
}

TEST_CASE("a round of requests to the parts of a union is one report") {
  CloudLoop t("{}");
  int asked = 0;
  class Growing final : public ClusterResolver {
   public:
    Growing(Runtime runtime, int& asked, int number) : ClusterResolver(std::move(runtime)), asked_(asked), number_(number) {}
    std::string describe() const override { return "growing"; }
    asio::awaitable<Result<ClusterSpec>> do_cluster_spec(Call&) override {
      ClusterSpec spec;
      spec.set_job("worker", {fmt::format("h{}-{}:1", number_, asked_++)});
      co_return spec;
    }

   private:
    int& asked_;
    int number_;
  };
  std::vector<std::shared_ptr<ClusterResolver>> children;
  for (int i = 0; i < 50; ++i) children.push_back(std::make_shared<Growing>(t.runtime, asked, i));
  const auto all = make_union_resolver(t.runtime, std::move(children));
  const auto following = watch(all, WatchOptions().machine_notices(false));
  for (int i = 0; i < 51; ++i) REQUIRE(t.run(following->try_next()));  // joined, then ready
  const int rounds_before = asked / 50;
  REQUIRE(t.run(following->try_next()));
  CHECK(asked / 50 == rounds_before + 1);
  for (int i = 1; i < 50; ++i) {
    const Result<ClusterChange> change = t.run(following->try_next());
    REQUIRE(change);
    CHECK(change->kind == ChangeKind::member_changed);
  }
  CHECK(asked / 50 == rounds_before + 1);  // all of them from one report
}

TEST_CASE("a list of four times the pods costs four times as much, and is processed in steps") {
  const auto work = [](int pods) {
    TestRuntime t;
    const std::string list = pods_up_to(pods);
    t.transport->respond = [&list](const HttpRequest& request) {
      const bool is_watch = request.url.target.find("watch=1") != std::string::npos;
      ScriptedTransport::Answer answer(ScriptedTransport::reply(200, is_watch ? std::string() : list));
      if (is_watch) answer.after = std::chrono::minutes(10);
      return answer;
    };
    return allocations_of([&] {
      REQUIRE(t.run(try_wait_until_ready(make_kubernetes_resolver(t.runtime, in_train()), usually_ready, WaitOptions().timeout(10s)))
                  .has_error());
    });
  };
  check_straight(work, 500);
}
