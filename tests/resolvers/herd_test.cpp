// A thousand resolvers that start together against a server that answers fifty requests a second.
#include <catch2/catch.hpp>

#include "rollcall/tpu_resolver.hpp"
#include "support/test_runtime.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {

// Answers this many requests a second; further ones get 429.
class LimitedServer {
 public:
  explicit LimitedServer(std::shared_ptr<FakeTime> time) : time_(std::move(time)) {}
  int refused = 0;
  int max_burst = 0;

  ScriptedTransport::Answer operator()(const HttpRequest& request) {
    const auto second = std::chrono::floor<std::chrono::seconds>(time_->now().time_since_epoch());
    if (second != second_) served_ = asked_ = 0;
    second_ = second;
    max_burst = std::max(max_burst, ++asked_);
    const bool is_served = served_ < 50;
    if (is_served) ++served_;
    if (!is_served) ++refused;
    const std::string name = request.url.target.substr(request.url.target.rfind('/') + 1);
    const std::string body =
        is_served
            ? R"({"name":"projects/p/locations/z/nodes/)" + name +
                  R"(","state":"READY","networkEndpoints":[{"ipAddress":"10.0.0.1","port":8470}]})"
            : R"({"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"RATE_LIMIT_EXCEEDED"}]}})";
    ScriptedTransport::Answer answer(ScriptedTransport::reply(is_served ? 200 : 429, body));
    answer.after = 50ms;
    return answer;
  }

 private:
  std::shared_ptr<FakeTime> time_;
  std::chrono::seconds second_{-1};
  int served_ = 0;
  int asked_ = 0;
};

}  // namespace

TEST_CASE("a thousand resolvers under a rate limit: all are served, and the server is not overloaded") {
  TestRuntime t;
  const auto server = std::make_shared<LimitedServer>(t.time);
  t.transport->respond = [server](const HttpRequest& request) { return (*server)(request); };
  std::vector<VirtualLoop::Started<Result<ClusterSpec>>> all;
  for (int i = 0; i < 1000; ++i) {
    const auto tpu = make_tpu_resolver(t.runtime, TpuOptions("n-" + std::to_string(i)).project("p").zone("z"));
    all.push_back(t.start(tpu->try_cluster_spec(CallOptions().timeout(5min).with(TpuCallOptions().lookup(TpuLookup::each)))));
  }
  int served = 0;
  for (const auto& started : all) {
    REQUIRE(t.finish(started));
    if (started.value()) ++served;
  }
  INFO("refused " << server->refused << ", seconds " << t.seconds() << ", most in a second " << server->max_burst);
  CHECK(served == 1000);
  CHECK(server->refused < 500);
  CHECK(t.seconds() < 40);  // the limit allows this in 20 s
  CHECK(server->max_burst < 200);
}
