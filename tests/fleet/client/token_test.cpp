// The token for a service: read from its file for each request, and read again if it is refused.
#include <catch2/catch.hpp>

#include "fleet/client/follow_story.hpp"
#include "rollcall/wait.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Reply = ScriptedService::Reply;

namespace {

const std::string cluster_body = fleet::render_spec_body(1, status_of(2).spec());

}  // namespace

TEST_CASE("the token is read for each request, and goes over https or to this machine only") {
  class Rotating final : public Files {
   public:
    Result<std::string> read(const std::string& path, std::size_t) const override {
      return path == "/t" ? "token-number-" + std::to_string(++reads) + "\n" : Result<std::string>(Failure(Errc::not_found, "no " + path));
    }
    mutable int reads = 0;
  };
  ServedRuntime t(ServedRuntime::Texts{});
  t.service->respond = [](const HttpRequest&) { return Reply(200, cluster_body); };
  const auto ask_at = [&t](std::string url, std::string ca = {}) {
    RuntimeOptions options;
    options.http = t.service;
    options.time = t.time;
    options.files = std::make_shared<Rotating>();
    options.environment = fixed_environment({});
    options.server.emplace();
    options.server->urls = {std::move(url)};
    options.server->token_file = "/t";
    options.server->ca_file = std::move(ca);
    const Runtime runtime(t.io.get_executor(), options);
    const auto resolver = make_resolver(runtime, "dns:x.example:1").value();
    (void)t.run(resolver->try_cluster_spec());
    return t.run(resolver->try_cluster_spec());
  };
  CHECK(ask_at("https://a.example/under/"));
  REQUIRE(t.service->requests.size() == 2);
  CHECK(t.service->requests[0].bearer.reveal() != t.service->requests[1].bearer.reveal());
  CHECK(t.service->requests[0].url.target == "/under/v1/clusters/dns:x.example:1?view=spec");
  CHECK(ask_at("http://127.0.0.1:7070"));
  t.service->requests.clear();
  check_failure(ask_at("http://a.example"), Errc::refused_by_policy, "token");
  check_failure(ask_at("http://10.0.0.7:7070"), Errc::refused_by_policy, "http://10.0.0.7:7070 is another machine");
  check_failure(ask_at("https://a.example", "/none"), Errc::not_found, "authorities");
  CHECK(t.service->requests.empty());
}

TEST_CASE("a token that is refused is replaced by a newer one in its file, once; without one the refusal is final") {
  class Replaced final : public Files {
   public:
    Result<std::string> read(const std::string&, std::size_t) const override { return "token-number-" + std::to_string(number) + "\n"; }
    int number = 1;
  };
  ServedRuntime t(ServedRuntime::Texts{});
  const auto files = std::make_shared<Replaced>();
  RuntimeOptions options;
  options.http = t.service;
  options.time = t.time;
  options.files = files;
  options.environment = fixed_environment({});
  options.server.emplace();
  options.server->urls = {"https://a.example"};
  options.server->token_file = "/t";
  const Runtime runtime(t.io.get_executor(), options);
  const auto resolver = make_resolver(runtime, "dns:x.example:1").value();
  int good = 2;
  t.service->respond = [&](const HttpRequest& request) {
    files->number = std::max(files->number, 2);  // replaced while the request is under way
    if (request.bearer.reveal() != "token-number-" + std::to_string(good))
      return Reply(401, R"({"code":"unauthenticated","message":"no"})");
    return is_stream(request) ? Reply({{0s, full(status_of(2), 7)}}, ScriptedService::Then::hangs) : Reply(200, cluster_body);
  };
  CHECK(t.run(resolver->try_cluster_spec()));
  CHECK(t.service->requests.size() == 2);
  files->number = 1;
  CHECK(value_of(t.run(try_wait_until_ready(resolver))) == sent(status_of(2)));
  good = 3;
  t.service->requests.clear();
  CHECK(t.run(resolver->try_cluster_spec()).has_error());
  CHECK(t.service->requests.size() == 1);
  files->number = 1;
  check_failure(t.run(resolver->try_cluster_spec()), Errc::unauthenticated, "no");
  CHECK(t.service->requests.size() == 3);
}

TEST_CASE("a follower whose token is refused for a while goes on where it was; one that is refused from the beginning ends") {
  const auto refused = [] { return Reply(401, R"({"code":"unauthenticated","message":"the token is out of its time"})"); };
  ServedRuntime t({{"ROLLCALL_SERVER", "https://a.example"}, {"ROLLCALL_SERVER_TOKEN_FILE", "/t"}}, {{"/t", "token-of-the-file\n"}});
  const auto first = [] { return one_stream({full(status_of(2, MemberState::waiting), 1)}, ScriptedService::Then::ends); };
  const auto second = [] { return one_stream({full(status_of(2), 2)}); };
  Story story(t);
  SECTION("three times") {
    t.service->respond = streams({first(), refused(), refused(), refused(), second()});
    CHECK(follow_for(t, story, 25s).code() == Errc::cancelled);
    CHECK(story.lines.front() == "0 of 2");
    CHECK(story.lines.back() == "2 of 2");
    CHECK(std::count_if(story.lines.begin(), story.lines.end(), [](const std::string& line) { return line.starts_with("trouble: "); }) ==
          3);
  }
  SECTION("again and again, hours apart") {
    t.service->respond = [&, count = 0](const HttpRequest&) mutable { return ++count % 2 == 0 ? refused() : first(); };
    CHECK(follow_for(t, story, 1h).code() == Errc::cancelled);
  }
  SECTION("for good") {
    t.service->respond = [&, count = 0](const HttpRequest&) mutable { return ++count == 1 ? first() : refused(); };
    check_failure(follow_for(t, story, 1h), Errc::unauthenticated, "the token is out of its time");
    CHECK(t.service->requests.size() == 6);
  }
  SECTION("from the beginning") {
    t.service->respond = [&](const HttpRequest&) { return refused(); };
    check_failure(follow_for(t, story, 1h), Errc::unauthenticated, "the token is out of its time");
    CHECK(t.service->requests.size() == 1);
  }
}
