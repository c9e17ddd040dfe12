// Endpoint discovery by REST, as Envoy uses it.
#include <catch2/catch.hpp>

#include "fleet/http/scripted_fleet.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

const std::string trainer_name = "tpu:trainer,project=p,zone=z";

class DiscoveryLoop : public ServiceLoop {
 public:
  using ServiceLoop::ServiceLoop;

  ExchangePtr post(std::string body, std::string path = "/v3/discovery:endpoints", std::vector<std::string> headers = {},
                   std::string host = "rollcall_cluster") {
    const auto exchange = std::make_shared<ScriptedExchange>();
    exchange->time = time;
    exchange->asked.method = "POST";
    exchange->asked.target = std::move(path);
    exchange->asked.host = std::move(host);
    exchange->asked.peer = "127.0.0.1";
    exchange->asked.body = std::move(body);
    for (std::size_t i = 0; i + 1 < headers.size(); i += 2) exchange->asked.headers.add(headers[i], headers[i + 1]);
    start(exchange);
    return exchange;
  }
  ExchangePtr ask(const std::string& names, const std::string& version = "") {
    return post(fmt::format(R"({{"version_info": "{}", "node": {{"id": "envoy"}}, "resource_names": [{}]}})", version, names));
  }
  static std::string version_of(const ExchangePtr& exchange) {
    constexpr std::string_view field = R"("version_info":")";
    const std::string& body = exchange->answered.body;
    const std::size_t at = body.find(field) + field.size();
    return body.substr(at, body.find('"', at) - at);
  }
};

}  // namespace

TEST_CASE("Envoy gets the endpoints of the clusters that it names, and nothing until they change", "[fleet]") {
  DiscoveryLoop t;
  t.topic->show(workers_of(2, 2));
  const std::string names = '"' + trainer_name + '"';
  const ExchangePtr first = t.ask(names);
  CHECK(first->answered.status == 200);
  CHECK(header_of(first, "Content-Type") == "application/json");
  CHECK_THAT(first->answered.body,
             Contains(R"("cluster_name":"tpu:trainer,project=p,zone=z")") && Contains(R"("address":"10.0.0.2","port_value":8470)"));
  const std::string version = t.version_of(first);
  const ExchangePtr same = t.ask(names, version);
  CHECK(same->answered.status == 304);
  CHECK(same->answered.body.empty());
  t.topic->trouble("the cloud does not answer");
  t.topic->show(workers_of(3, 3));
  const ExchangePtr changed = t.ask(names, version);
  CHECK(changed->answered.status == 200);
  CHECK(t.version_of(changed) != version);
  CHECK_THAT(changed->answered.body, Contains("10.0.0.3"));
  // Other names have another answer.
  CHECK(t.ask("", t.version_of(changed))->answered.status == 200);
}

TEST_CASE("Envoy waits for the first poll of a target, and not for one that does not come", "[fleet]") {
  DiscoveryLoop t;
  const ExchangePtr waiting = t.ask('"' + trainer_name + '"');
  CHECK(waiting->answered.status == 0);
  t.pass(500ms);
  t.topic->show(workers_of(1, 1));
  t.poll();
  CHECK_THAT(waiting->answered.body, Contains("10.0.0.1"));
  const ExchangePtr absent = t.ask("\"tpu:absent,project=p,zone=z\"");
  t.pass(1min);
  CHECK(absent->answered.status == 200);
  CHECK_THAT(absent->answered.body, Contains(R"("resources":[])"));
}

TEST_CASE("What Envoy names and cannot have is left out", "[fleet]") {
  DiscoveryLoop t;
  t.topic->show(workers_of(1, 1));
  const ExchangePtr got = t.ask(R"("no target", "file:/etc/passwd", "", ")" + trainer_name + '"');
  CHECK(got->answered.status == 200);
  CHECK_THAT(got->answered.body, Contains("10.0.0.1") && !Contains("passwd"));
  CHECK(t.clouds->topics().size() == 1);
}

TEST_CASE("Questions of endpoint discovery that are none are refused, and none comes from a page", "[fleet]") {
  DiscoveryLoop t;
  for (const std::string& body : {std::string(), std::string("[]"), std::string("{"), std::string("\xff\xfe"),
                                  std::string(R"({"resource_names": {}})"), std::string(R"({"type_url": "type.googleapis.com/other"})")}) {
    const ExchangePtr refused = t.post(body);
    CHECK(refused->answered.status == 400);
    CHECK_THAT(refused->answered.body, Contains(R"("code":"invalid_argument")"));  // not the one of a server's bad answer
  }
  CHECK(t.post("{}", "/v3/discovery:clusters", {}, "127.0.0.1:7070")->answered.status == 404);
  CHECK(t.post("{}", "/v1/clusters")->answered.status == 421);
  CHECK(t.post("{}", "/v1/clusters", {}, "127.0.0.1:7070")->answered.status == 405);
  CHECK(t.request("GET", "/v3/discovery:endpoints")->answered.status == 405);
  // A page whose host name resolves to this machine (DNS rebinding) always sends its Origin with POST.
  CHECK(t.post("{}", "/v3/discovery:endpoints", {"Origin", "http://evil.example"}, "evil.example")->answered.status == 421);
  CHECK(t.post("{}", "/v3/discovery:endpoints", {"Sec-Fetch-Site", "cross-site"})->answered.status == 403);
  CHECK(t.clouds->topics().size() == 1);
}
