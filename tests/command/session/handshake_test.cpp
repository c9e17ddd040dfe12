// The beginning of a session, in virtual time.
#include "command/session/client.hpp"

using namespace rollcall;
using Catch::Contains;
using rollcall::testing::Client;

TEST_CASE("a session begins with initialize, once") {
  Client client(false);
  client.ask("1", "resolve", R"({"targets":["tpu:trainer"]})");
  CHECK(client.refusal() == "1 -32600: the session is not initialized");
  client.ask("1", "initialize", "{}");
  CHECK(client.refusal() == "1 -32602: protocol is missing");
  client.ask("1", "initialize", R"({"protocol":1,"options":{"retrys":3}})");
  CHECK(client.refusal() == "1 -32602: options: unknown option 'retrys'");
  client.ask("1", "initialize", R"({"protocol":1})");
  const boost::json::value answer = client.read_one();
  CHECK(answer.at("result").at("name") == "rollcall");
  CHECK(answer.at("result").at("max_request_bytes") == 1048576);
  CHECK(answer.at("result").at("max_requests") == 16384);
  client.ask("1", "initialize", R"({"protocol":1})");
  CHECK(client.refusal() == "1 -32600: the session is initialized already");
}

TEST_CASE("a client of another protocol version gets the right version, and the session ends") {
  Client client(false);
  client.ask("1", "initialize", R"({"protocol":2,"hopes":"high"})");
  CHECK(client.refusal() == "1 -32602: protocol: 2 is not spoken here, but 1");
  CHECK(client.times_over == 1);
  CHECK(client.session.has_refused());
  client.ask("2", "initialize", R"({"protocol":1})");
  CHECK(client.read().empty());
}

TEST_CASE("an option of a session that is false is not given") {
  Client client(false);
  client.ask("1", "initialize", R"({"protocol":1,"options":{"http1_1":false}})");
  CHECK_THAT(client.read(), Contains("result"));
  CHECK_FALSE(client.opened.arguments.only_http1);
}

TEST_CASE("a session's options are the command's") {
  Client client(false);
  client.ask("1", "initialize",
             R"({"protocol":1,"options":{"project":"p","zone":null,"retries":0,"connect_to":["a:1:b:2","c:3:d:4"],"http1_1":true,
      "environment":{"TPU_NAME":"x"},"log":"warnings"}})");
  CHECK_THAT(client.read(), Contains("result"));
  CHECK(client.opened.arguments.project == "p");
  CHECK(client.opened.arguments.zone.empty());
  CHECK(client.opened.arguments.retries == 0);
  CHECK(client.opened.arguments.connect_to.size() == 2);
  CHECK(client.opened.arguments.only_http1);
  CHECK(client.opened.environment->at("TPU_NAME") == "x");
  REQUIRE(client.log);
  for (const auto& [options, what] : {std::pair(R"({"retries":1001})", "options: retries: '1001' is no number of retries"),
                                      std::pair(R"({"retries":"x"})", "options: retries: 'x' is no number of retries"),
                                      std::pair(R"({"retries":1.5})", "options: retries: is a fraction, not a whole number"),
                                      std::pair(R"({"retries":true})", "options: retries: is a boolean, not a whole number"),
                                      std::pair(R"({"retries":18446744073709551615})", "options: retries: '18446744073709551615' is no"),
                                      std::pair(R"({"connect_to":"a"})", "options: connect_to: is a text, not a list of texts"),
                                      std::pair(R"({"http1_1":"yes"})", "options: http1_1: is a text, not true or false"),
                                      std::pair(R"({"http1_1":1})", "options: http1_1: is a number, not true or false"),
                                      std::pair(R"({"ca":"/no/such"})", "options: ca: cannot read '/no/such'"),
                                      std::pair(R"({"stdio":"x"})", "options: unknown option 'stdio'"),
                                      std::pair(R"({"environment":{"A":1}})", "options: environment: 'A': is a number, not a text"),
                                      std::pair(R"({"log":"al"})", "options: log: 'al' is not accepted")}) {
    Client other(false);
    other.ask("1", "initialize", fmt::format(R"({{"protocol":1,"options":{}}})", options));
    CHECK_THAT(other.refusal(), Contains(what));
  }
}
