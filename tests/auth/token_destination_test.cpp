// The effect of a discovery document on tokens: it may name Google's API, and this machine only if it came from this machine.
#include <catch2/catch.hpp>

#include "rollcall/tpu_resolver.hpp"
#include "support/test_runtime.hpp"

using namespace rollcall;
using rollcall::testing::ScriptedTransport;
using rollcall::testing::TestRuntime;

namespace {

class Discovery {
 public:
  std::string from;                       // the document's URL
  std::optional<bool> came_from_loopback; // from the transport
  std::string root;                       // the API's URL in the document
  std::string allowed;                    // by allow_token_to
  bool is_sent;
};

}  // namespace

TEST_CASE("a token goes where a discovery document says only if that is Google's, allowed, or both are on this machine") {
  const Discovery d = GENERATE(values<Discovery>({
      {"https://disc.test/d", false, "https://tpu.googleapis.com/", "", true},
      {"http://disc.test/d", false, "https://eu-tpu.googleapis.com/", "", true},
      {"https://disc.test/d", false, "http://tpu.googleapis.com/", "", false},
      {"https://disc.test/d", false, "https://tpu.googleapis.com.evil.test/", "", false},
      {"https://disc.test/d", false, "https://eviltpugoogleapis.com/", "", false},
      {"https://disc.test/d", false, "https://tpu.other.test/", "", false},
      {"https://disc.test/d", false, "https://tpu.other.test/", "tpu.other.test", true},
      {"https://disc.test/d", false, "http://127.0.0.1:9/", "", false},
      {"https://disc.test/d", false, "http://127.9.8.7:9/", "", false},
      {"https://disc.test/d", false, "https://127.0.0.1:9/", "", false},
      {"https://disc.test/d", false, "http://localhost:9/", "", false},
      {"https://disc.test/d", false, "http://LOCALHOST.:9/", "", false},
      {"https://disc.test/d", false, "http://x.localhost:9/", "", false},
      {"https://disc.test/d", false, "http://[::1]:9/", "", false},
      {"https://disc.test/d", false, "http://[::ffff:127.0.0.1]:9/", "", false},
      {"https://disc.test/d", false, "http://0.0.0.0:9/", "", false},
      {"https://www.googleapis.com/d", false, "http://127.0.0.1:9/", "", false},
      {"https://disc.test/d", {}, "http://127.0.0.1:9/", "", false},
      {"https://disc.test/d", true, "http://127.0.0.1:9/", "", false},        // by a rule, or by a proxy here
      {"http://localhost:8/d", false, "http://127.0.0.1:9/", "", false},      // by a rule to another host
      {"http://127.0.0.1:8/d", false, "http://127.0.0.1:8/", "", false},
      {"http://localhost.example:8/d", {}, "http://127.0.0.1:9/", "", false},
      {"https://disc.test/d", false, "http://127.0.0.1:9/", "127.0.0.1", true},
      {"http://localhost:8/d", true, "http://127.0.0.1:9/", "", true},
      {"http://127.0.0.1:8/d", true, "http://localhost:9/", "", true},
      {"http://[::1]:8/d", true, "http://[::ffff:127.0.0.1]:9/", "", true},
      {"http://sim.localhost.:8/d", {}, "http://127.0.0.1:9/", "", true},
      {"http://127.0.0.1:8/d", true, "https://tpu.other.test/", "", false},
      {"http://127.0.0.1:8/d", true, "http://10.0.0.1/", "", false},
  }));
  CAPTURE(d.from, d.root, d.allowed);
  const bool lists = GENERATE(false, true);
  CAPTURE(lists);
  TestRuntime t({{"TPU_API_DISCOVERY_URL", d.from}});
  HttpResponse document = ScriptedTransport::reply(200, R"({"rootUrl":")" + d.root + R"(","servicePath":""})");
  document.is_from_loopback = d.came_from_loopback;
  t.transport->answers.emplace_back(document);
  t.answer(401, R"({"error":{"code":401,"message":"who are you?","status":"UNAUTHENTICATED"}})");
  TpuOptions options("trainer");
  options.project("p").zone("z");
  if (!d.allowed.empty()) options.allow_token_to(d.allowed);
  CallOptions call;
  if (lists) call.with(TpuCallOptions().lookup(TpuLookup::list));
  const Result<ClusterSpec> spec = t.run(make_tpu_resolver(t.runtime, options)->try_cluster_spec(call));
  REQUIRE(spec.has_error());
  REQUIRE(t.transport->requests.size() >= 2);
  CHECK(t.transport->requests[0].bearer.empty());  // the document itself is not secret
  for (std::size_t i = 1; i < t.transport->requests.size(); ++i) CHECK(t.transport->requests[i].bearer.empty() != d.is_sent);
}
