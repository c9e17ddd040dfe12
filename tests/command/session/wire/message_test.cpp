// Lines that are requests, and the errors for other lines.
#include "command/session/wire/message.hpp"

#include <boost/json/parse.hpp>

#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::serve;

namespace {

// `-32600 7: what`, or `fine`.
std::string reports_of(std::string_view line) {
  const ReadMessage read = read_message(line);
  const BadLine* const bad = std::get_if<BadLine>(&read);
  if (!bad) return "fine";
  return std::to_string(static_cast<int>(bad->error)) + " " + bad->id + ": " + bad->failure.what();
}

std::string id_of(std::string_view line) {
  const ReadMessage read = read_message(line);
  return std::get<Message>(read).id;
}

}  // namespace

TEST_CASE("a line of the protocol is a request or a notification") {
  const ReadMessage read = read_message(R"( {"jsonrpc":"2.0","id":7,"method":"resolve","params":{"targets":["tpu:a"]}} )");
  const Message& message = std::get<Message>(read);
  CHECK(message.has_id());
  CHECK(message.id == "7");
  CHECK(message.method == "resolve");
  REQUIRE(message.params());
  CHECK(message.params()->size() == 1);
  CHECK(id_of(R"({"jsonrpc":"2.0","id":-1,"method":"m"})") == "-1");
  CHECK(id_of(R"({"jsonrpc":"2.0","id":18446744073709551615,"method":"m"})") == "18446744073709551615");
  CHECK(id_of(R"({"jsonrpc":"2.0","id":"\u202e\"","method":"m"})") == "\"\\u202e\\\"\"");
  CHECK(id_of(R"({"jsonrpc":"2.0","id":null,"method":"m","params":null})") == "null");
  CHECK(id_of(R"({"jsonrpc":"2.0","method":"m"})") == "null");
}

TEST_CASE("a line that is no request says why") {
  CHECK(reports_of("") == "-32700 null: the line is empty, not JSON");
  CHECK(reports_of("hello") == "-32700 null: the line is not JSON: syntax error at byte 0");
  CHECK(reports_of(R"({"jsonrpc":"2.0","id":1)") == "-32700 null: the line is cut short after 23 bytes");
  CHECK(reports_of(R"({} {})").starts_with("-32700 null: the line is not JSON: extra data"));
  CHECK(reports_of(R"({"id":NaN})").starts_with("-32700 null: the line is not JSON"));
  CHECK(reports_of("{\"id\":\"\xff\"}").starts_with("-32700 null: the line is not JSON"));
  CHECK(reports_of(R"({"id":"\ud800"})").starts_with("-32700 null: the line is not JSON"));
  CHECK(reports_of(std::string(40, '[')) == "-32600 null: the line nests too deeply (at byte 32)");
  CHECK(reports_of("[]") == "-32600 null: the line is an array: batches are not taken");
  CHECK(reports_of("7") == "-32600 null: the line is a number, not an object");
  CHECK(reports_of(R"({"jsonrpc":"2.0","id":1.5,"method":"m"})") == "-32600 null: id is a number, not a whole number or a text");
  CHECK(reports_of(R"({"jsonrpc":"2.0","id":[],"method":"m"})") == "-32600 null: id is an array, not a whole number or a text");
  CHECK(reports_of(R"({"jsonrpc":"2.0","id":")" + std::string(129, 'x') + R"(","method":"m"})") ==
        "-32600 null: id is longer than 128 bytes");
  CHECK(reports_of(R"({"id":7,"method":"m"})") == "-32600 7: jsonrpc is not \"2.0\"");
  CHECK(reports_of(R"({"jsonrpc":2.0,"id":7,"method":"m"})") == "-32600 7: jsonrpc is not \"2.0\"");
  CHECK(reports_of(R"({"jsonrpc":"2.0","id":7})") == "-32600 7: method is missing");
  CHECK(reports_of(R"({"jsonrpc":"2.0","id":7,"method":1})") == "-32600 7: method is a number, not a text");
  CHECK(reports_of(R"({"jsonrpc":"2.0","id":"a","method":"m","params":[1]})") ==
        "-32600 \"a\": params is an array, not an object: parameters have names");
  CHECK(reports_of(R"({"jsonrpc":"2.0","id":7,"method":"m","parms":{}})") == "-32600 7: unknown member 'parms'");
  CHECK(reports_of(std::string(max_request_bytes + 1, ' ')) == "-32600 null: the line has 1048577 bytes, more than 1048576");
}

TEST_CASE("answers and events are one line of JSON each") {
  CHECK(result_line("7", "{\"a\":1}") == "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"a\":1}}\n");
  CHECK(event_line("progress", "\"id\":7") == "{\"jsonrpc\":\"2.0\",\"method\":\"progress\",\"params\":{\"id\":7}}\n");
  Failure failure(Errc::not_found, "no TPU 'a\n'");
  failure.with_hint("look").with_target("http://x").with_attempts(2).with_last_status(404).with_phase(Phase::response);
  const std::string line = error_line("\"b\"", RpcError::failed, failure, "tpu:a", ",\"progress\":{}");
  CHECK(line.find('\n') == line.size() - 1);
  const boost::json::value value = boost::json::parse(line);
  CHECK(value.at("id") == "b");
  CHECK(value.at("error").at("code") == -32000);
  CHECK(std::string_view(value.at("error").at("message").as_string()) == failure.message());
  const boost::json::object& data = value.at("error").at("data").as_object();
  CHECK(data.at("target") == "tpu:a");
  CHECK(data.at("code") == "not_found");
  CHECK(data.at("hint") == "look");
  CHECK(data.at("http_status") == 404);
  CHECK(data.at("progress").is_object());
}
