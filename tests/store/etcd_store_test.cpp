// What servers of a store may answer: other ones than they should be, nothing sensible, nothing at all.
#include <catch2/catch.hpp>

#include "store/scripted_etcd.hpp"

namespace rollcall::testing {
TEST_CASE("servers that cannot be reached are passed by, and the one that answers is asked first from then on") {
  ScriptedEtcd etcd;
  etcd.transport->respond = [](const HttpRequest& request) {
    return request.url.port == 3 ? ScriptedEtcd::reply(200, fmt::format(R"({{{},"succeeded":true}})", etcd_header))
                                 : ScriptedEtcd::nobody();
  };
  CHECK(value_of(etcd.put()).is_written);
  CHECK(etcd.asked() == "123");
  CHECK(value_of(etcd.put()).revision == 5);
  CHECK(etcd.asked() == "1233");
  etcd.transport->respond = [](const HttpRequest&) { return ScriptedEtcd::nobody(); };
  check_failure(etcd.put(), Errc::unreachable, "a write of '/t/a'", "the last of 3 servers");
}

TEST_CASE("what may have been written is not written again; a question is asked of the next server in time") {
  ScriptedEtcd etcd;
  etcd.transport->respond = [](const HttpRequest&) { return ScriptedEtcd::late(std::chrono::seconds(5)); };
  check_failure(etcd.put(), Errc::deadline_exceeded, "");
  CHECK(etcd.asked() == "1");
  etcd.transport->respond = [](const HttpRequest& request) {
    return ScriptedEtcd::late(request.url.port == 1 ? Duration(0) : std::chrono::seconds(5));
  };
  CHECK(etcd.list());
  CHECK(etcd.asked() == "1231");
  CHECK(etcd.list());
  CHECK(etcd.asked() == "12311");
}

TEST_CASE("a refusal is told in etcd's words, by what it means") {
  const auto refused = [](int status, int code, const char* message) {
    ScriptedEtcd etcd;
    etcd.answer(status, etcd_refusal(code, message));
    const Failure failure = etcd.put().error();
    CHECK_THAT(failure.what(), Catch::Contains(message) && Catch::Contains("http://127.0.0.1:1"));
    CHECK(etcd.asked() == "1");  // it is no reason to write again
    return std::string(to_string(failure.code()));
  };
  CHECK(refused(429, 8, "etcdserver: mvcc: database space exceeded") == "limit_exceeded");
  CHECK(refused(429, 8, "etcdserver: too many requests") == "unavailable");
  CHECK(refused(404, 5, "etcdserver: requested lease not found") == "not_found");
  CHECK(refused(403, 7, "etcdserver: permission denied") == "permission_denied");
  CHECK(refused(400, 3, "etcdserver: user name is empty") == "unauthenticated");
  CHECK(refused(400, 3, "etcdserver: request is too large") == "invalid_argument");  // which is not a store that is full
  CHECK(refused(429, 8, "grpc: received message larger than max (2097152 vs. 1048576)") == "invalid_argument");
  CHECK(refused(400, 3, "etcdserver: duplicate key given in txn request") == "invalid_argument");
  CHECK(refused(503, 14, "etcdserver: leader changed") == "unavailable");
  CHECK(refused(503, 14, "etcdserver: request timed out") == "unavailable");
  ScriptedEtcd etcd;
  etcd.answer(404, "<html>not here</html>");
  check_failure(etcd.list(), Errc::not_found, "the list of '/t/' at http://127.0.0.1:1", "404");
}

TEST_CASE("answers that make no sense are refused") {
  const std::string keys = fmt::format(R"({{{},"kvs":[)", etcd_header);
  for (const std::string& body :
       {std::string(""), std::string("garbage"), std::string("{}"), std::string("[]"), std::string(R"({"header":5})"),
        fmt::format(R"({{{},"kvs":{{}}}})", etcd_header), keys + "5]}", keys + "{}]}", keys + R"({"key":"###","mod_revision":"1"}]})",
        keys + R"({"key":"L3QvYQ==","mod_revision":"-1"}]})", keys + R"({"key":"L3QvYQ==","mod_revision":"99999999999999999999999"}]})",
        keys + etcd_key("/other", 2) + "]}", keys + etcd_key("/t/b", 2) + "," + etcd_key("/t/a", 2) + "]}",
        keys + etcd_key("/t/a", 2) + "," + etcd_key("/t/a", 2) + "]}", fmt::format(R"({{{},"more":true}})", etcd_header)}) {
    CAPTURE(body);
    ScriptedEtcd etcd;
    etcd.answer(200, body);
    check_failure(etcd.list(), Errc::malformed_response, "the list of '/t/'");
  }
  ScriptedEtcd etcd;
  etcd.answer(200, fmt::format(R"({{{},"responses":[{{}}]}})", etcd_header));
  check_failure(etcd.put(), Errc::malformed_response, "a write of '/t/a'");
  etcd.transport->answers.clear();
  etcd.answer(200, fmt::format(R"({{"result":{{{},"ID":"78","TTL":"5"}}}})", etcd_header));
  check_failure(etcd.keep_alive(), Errc::malformed_response, "another one");
  etcd.transport->answers.clear();
  etcd.answer(200, fmt::format(R"({{"result":{{{},"ID":"77"}}}})", etcd_header));
  check_failure(etcd.keep_alive(), Errc::not_found, "not there any more");
}

TEST_CASE("a list comes in pages of one revision, which get shorter where values are long") {
  ScriptedEtcd etcd;
  std::vector<std::string> bodies;
  etcd.transport->respond = [&bodies](const HttpRequest& request) {
    bodies.push_back(request.body);
    if (bodies.size() == 1) return EtcdAnswer(Result<HttpResponse>(Failure(Errc::limit_exceeded, "the answer is too long")));
    if (bodies.size() == 2)
      return ScriptedEtcd::reply(200, fmt::format(R"({{{},"kvs":[{}],"more":true}})", etcd_header, etcd_key("/t/a", 2)));
    return ScriptedEtcd::reply(200, fmt::format(R"({{"header":{{"cluster_id":"7","revision":"9"}},"kvs":[{}]}})", etcd_key("/t/b", 3)));
  };
  const store::Listing listing = value_of(etcd.list());
  CHECK(listing.revision == 5);
  REQUIRE(listing.entries.size() == 2);
  CHECK(listing.entries[1].key == "/t/b");
  CHECK_THAT(bodies.at(0), Catch::Contains(R"("limit":"256")") && !Catch::Contains("revision"));
  CHECK_THAT(bodies.at(1), Catch::Contains(R"("limit":"64")"));
  CHECK_THAT(bodies.at(2), Catch::Contains(R"("revision":"5")") && Catch::Contains(base64_encode(std::string("/t/a\0", 5))));
}

TEST_CASE("a server of another cluster is noticed, once") {
  ScriptedEtcd etcd;
  etcd.answer(200, fmt::format("{{{}}}", etcd_header));
  CHECK(etcd.list());
  etcd.transport->answers.clear();
  etcd.answer(200, R"({"header":{"cluster_id":"8","revision":"5"}})");
  check_failure(etcd.list(), Errc::unavailable, "different clusters, 7 and 8");
  CHECK(etcd.list());
  CHECK(etcd.asked() == "112");
}

TEST_CASE("a watch tells revisions whole, once, and in order, however the lines are cut") {
  ScriptedEtcd etcd;
  const auto line = [](std::string_view flags, std::string_view events) {
    return fmt::format(R"({{"result":{{{}{},"events":[{}]}}}})"
                       "\n",
                       etcd_header_at(flags.find("created") == std::string_view::npos ? 9 : 5), flags, events);
  };
  const auto put = [](std::string_view key, int revision) { return fmt::format(R"({{"kv":{}}})", etcd_key(key, revision)); };
  const std::string gone = fmt::format(R"({{"type":"DELETE","kv":{{"key":"{}","mod_revision":"7"}}}})", base64_encode("/t/a"));
  etcd.answer(200, line(R"(,"created":true)", "") + line(R"(,"fragment":true)", put("/t/a", 6) + "," + put("/t/b", 7)) +
                       line("", gone + "," + put("/t/c", 8)) + line("", put("/t/a", 6)) + line("", put("/t/d", 8) + "," + put("/t/e", 9)));
  Seen seen;
  check_failure(etcd.watch(seen, 5), Errc::unreachable, "closed");
  CHECK(seen.standing == 5);
  CHECK(seen.lines == std::vector<std::string>{"/t/a=v", "/t/b=v -/t/a", "/t/c=v", "/t/e=v"});
  CHECK(seen.revisions == std::vector<std::uint64_t>{6, 7, 8, 9});
  CHECK_THAT(etcd.transport->requests.at(0).body, Catch::Contains(R"("start_revision":"6")"));
}

TEST_CASE("a watch ends as the store says") {
  const auto ended = [](std::string_view rest) {
    ScriptedEtcd etcd;
    etcd.answer(200, fmt::format(R"({{"result":{{{}{}}}}})"
                                 "\n",
                                 etcd_header, rest));
    Seen seen;
    return etcd.watch(seen);
  };
  CHECK(value_of(ended(R"(,"canceled":true,"compact_revision":"9")")).compact_revision == 9);
  CHECK(value_of(ended(R"(,"canceled":true,"cancel_reason":"etcdserver: no leader")")).reason == "etcdserver: no leader");
  check_failure(ended(R"(,"created":true,"canceled":true,"cancel_reason":"etcdserver: permission denied")"), Errc::permission_denied, "");
  check_failure(ended(R"(,"events":[{}])"), Errc::malformed_response, "event without a key");
  for (const char* text :
       {R"({"error":{"grpc_code":14,"http_code":503,"message":"etcdserver: no leader"}})",
        R"({"error":{"code":14,"message":"etcdserver: no leader"}})", R"({"code":14,"error":"x","message":"etcdserver: no leader"})"}) {
    ScriptedEtcd etcd;
    etcd.answer(200, std::string(text) + "\n");
    Seen seen;
    check_failure(etcd.watch(seen), Errc::unavailable, "no leader");
  }
  ScriptedEtcd etcd;
  etcd.answer(200, "no JSON\n");
  Seen seen;
  check_failure(etcd.watch(seen), Errc::malformed_response, "the watch");
}

TEST_CASE("a password is changed for a token, which is asked for anew when it has run out, and is never told") {
  ScriptedEtcd etcd(server_with_user());
  int given = 0;
  std::string good = "token-number-1";
  etcd.transport->respond = [&](const HttpRequest& request) {
    if (request.url.target == "/v3/auth/authenticate")
      return ScriptedEtcd::reply(200, fmt::format(R"({{{},"token":"token-number-{}"}})", etcd_header, ++given));
    const std::string sent(request.headers.get("authorization").value_or(""));
    if (sent != good) return ScriptedEtcd::reply(401, etcd_refusal(16, "etcdserver: invalid auth token " + sent));
    return ScriptedEtcd::reply(200, fmt::format("{{{}}}", etcd_header));
  };
  CHECK(etcd.list());
  CHECK(etcd.list());
  CHECK(given == 1);
  CHECK_THAT(etcd.transport->requests.at(0).body, Catch::Contains("secret-password") && !Catch::Contains("\\n"));
  good = "token-number-2";
  CHECK(etcd.list());
  CHECK(given == 2);
  good = "no other";
  const Failure failure = etcd.list().error();
  CHECK(given == 3);
  check_failure(failure, Errc::unauthenticated, "invalid auth token");
  CHECK_THAT(failure.message(), !Catch::Contains("token-number"));
}

TEST_CASE("a sign-in that fails says so, without the password") {
  ScriptedEtcd etcd(server_with_user());
  etcd.answer(400, etcd_refusal(3, "etcdserver: authentication failed, invalid user ID or password secret-password"));
  const Failure failure = etcd.list().error();
  check_failure(failure, Errc::unauthenticated, "signing in as 'rollcall'", "authentication failed");
  CHECK_THAT(failure.message(), !Catch::Contains("secret-password"));
  etcd.transport->answers.clear();
  etcd.answer(200, R"({"header":{},"token":"token-number-1" garbage)");
  CHECK_THAT(etcd.list().error().message(), !Catch::Contains("token-number"));
  // As etcd's own clients do: the user may be there before users are switched on.
  etcd.transport->answers.clear();
  etcd.answer(412, etcd_refusal(9, "etcdserver: authentication is not enabled"));
  etcd.answer(200, fmt::format("{{{}}}", etcd_header));
  CHECK(etcd.list());
  CHECK(etcd.list());
}

TEST_CASE("options of a store that cannot be are refused") {
  const auto refused = [](EtcdStoreOptions options, const char* why) {
    check_failure(store::make_etcd_store(std::move(options)), Errc::invalid_argument, why);
  };
  refused(EtcdStoreOptions(), "one to 64");
  EtcdStoreOptions options = three_servers();
  options.endpoints.push_back("etcd:2379");
  refused(options, "etcd:2379");
  options = three_servers();
  options.user = "u";
  refused(options, "both a user and");
  options = three_servers();
  options.key_file = "/key";
  refused(options, "no certificate");
  options = server_with_user();
  options.endpoints = {"http://etcd-0:2379"};
  refused(options, "without encryption");
  options = three_servers();
  for (const char* const server :
       {"http://etcd-0:2379", "http://10.0.0.7:2379", "http://localhost.evil.example:2379", "http://[fe80::1]:2379"}) {
    options.endpoints.back() = server;
    refused(options, "without encryption");
  }
  ScriptedEtcd etcd([] {
    EtcdStoreOptions with_file = three_servers();
    with_file.authorities_file = "/nowhere";
    return with_file;
  }());
  check_failure(etcd.list(), Errc::not_found, "the authorities of the store's servers");
}

}  // namespace rollcall::testing
