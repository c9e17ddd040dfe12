// The client's side of HTTP/2 against a server whose frames are written by hand, in virtual time.
#include "net/codec/http2_client_rig.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;

TEST_CASE("HTTP/2: a request in frames, its token never indexed", "[net]") {
  ClientRig t;
  HttpRequest request(Url::parse("https://Host.example:8443/path?q=1").value());
  request.method = HttpMethod::post;
  request.bearer = Secret<std::string>("the-token");
  request.headers.add("X-Own", "secret");
  request.headers.add("Accept", "application/json");
  request.body = "question";
  t.ask(request);
  t.take();
  REQUIRE(t.sent.starts_with(client_preface));
  const auto frames = t.frames();
  CHECK(fields_of(frames) ==
        ":method: POST\n:scheme: https\n:authority: host.example:8443\n:path: /path?q=1\nuser-agent: agent\naccept-encoding: gzip\n"
        "authorization: Bearer the-token\nx-own: secret\naccept: application/json\ncontent-length: 8\n");
  REQUIRE(count_of(frames, FrameType::data) == 1);
  CHECK(frames.back().payload == "question");
  CHECK((frames.back().flags & flag_end_stream) != 0);
  CHECK(frames.front().type == FrameType::settings);
  CHECK(frames.front().payload.find(big_endian(2, 2) + big_endian(0, 4)) != std::string::npos);  // no push
  for (const HeardFrame& one : frames) {
    if (one.type != FrameType::headers) continue;
    CHECK(one.payload.find("\x1f\x08") != std::string::npos);  // authorization, literal, never indexed: 0001, index 23
  }
}

TEST_CASE("HTTP/2: an answer with an interim one before it, and trailers", "[net]") {
  ClientRig t;
  Http2Answer& answer = t.ask();
  REQUIRE(t.put(server_greeting + answer_head(1, {{":status", "103"}, {"link", "x"}})));
  CHECK_FALSE(answer.has_head());
  REQUIRE(t.put(answer_head(1, {{":status", "200"}, {"content-type", "text/plain"}, {"content-encoding", "gzip"}})));
  CHECK(answer.has_head());
  CHECK(answer.is_gzip());
  CHECK(t.response().status == 200);
  CHECK(t.response().headers.get("content-type") == "text/plain");
  CHECK_FALSE(t.response().headers.get("link"));
  REQUIRE(t.put(data_frame(1, "one") + data_frame(1, "two")));
  REQUIRE(t.put(answer_head(1, {{"late", "field"}}, head_and_end)));
  CHECK(answer.is_done());
  CHECK(answer.content == "onetwo");
  CHECK_FALSE(t.response().headers.get("late"));
  CHECK(t.client.streams() == 0);
  CHECK(fault_of(answer) == "none");
}

TEST_CASE("HTTP/2: limits of an answer", "[net]") {
  ClientRig t;
  t.max_header = 300;
  t.max_body = 10;
  Http2Answer& answer = t.ask();
  SECTION("its head") {
    t.put(server_greeting + answer_head(1, {{":status", "200"}, {"a", std::string(300, 'a')}}));
    CHECK(fault_of(answer) == "limit_exceeded response: the answer's header is over 300 bytes");
  }
  SECTION("interim answers without end") {
    t.put(server_greeting);
    for (int i = 0; i < 100 && !answer.fault(); ++i) REQUIRE(t.put(answer_head(1, {{":status", "102"}})));
    CHECK(fault_of(answer) == "limit_exceeded response: the answer's header is over 300 bytes");
  }
  SECTION("trailers") {
    t.put(server_greeting + answer_head(1, {{":status", "200"}}) + answer_head(1, {{"a", std::string(300, 'a')}}, head_and_end));
    CHECK(fault_of(answer) == "limit_exceeded response: the answer's header is over 300 bytes");
  }
  SECTION("its length, as announced") {
    t.put(server_greeting + answer_head(1, {{":status", "200"}, {"content-length", "11"}}));
    CHECK(fault_of(answer) == "limit_exceeded response: the answer's body is over 10 bytes");
  }
  SECTION("its length") {
    t.put(server_greeting + answer_head(1, {{":status", "200"}}) + data_frame(1, "12345678901"));
    CHECK(fault_of(answer) == "limit_exceeded response: the answer's body is over 10 bytes");
  }
  CHECK(count_of(t.frames(), FrameType::rst_stream) == 1);  // the connection goes on
  CHECK_FALSE(t.client.is_over());
  Http2Answer& next = t.ask();
  REQUIRE(t.put(answer_head(3, {{":status", "204"}}, head_and_end)));
  CHECK(next.is_done());
}

TEST_CASE("HTTP/2: malformed answers end the request, or the connection", "[net]") {
  ClientRig t;
  Http2Answer& answer = t.ask();
  t.take();
  std::string bytes;
  bool ends_all = false;
  SECTION("no status") { bytes = answer_head(1, {{"a", "b"}}); }
  SECTION("an unknown status") { bytes = answer_head(1, {{":status", "999"}}); }
  SECTION("an encoding that was not asked for") { bytes = answer_head(1, {{":status", "200"}, {"content-encoding", "br"}}); }
  SECTION("shorter than it says") {
    bytes = answer_head(1, {{":status", "200"}, {"content-length", "5"}}) + data_frame(1, "1", flag_end_stream);
  }
  SECTION("longer than it says") {
    bytes = answer_head(1, {{":status", "200"}, {"content-length", "1"}}) + data_frame(1, "12", flag_end_stream);
  }
  SECTION("a field of the connection") { bytes = answer_head(1, {{":status", "200"}, {"connection", "close"}}); }
  SECTION("a push") {
    bytes = frame(FrameType::push_promise, flag_end_headers, 1, big_endian(2, 4) + call_head("/x"));
    ends_all = true;
  }
  SECTION("HTTP/1") {
    bytes = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n";
    ends_all = true;
  }
  SECTION("a stream that was never begun") {
    bytes = answer_head(7, {{":status", "200"}});
    ends_all = true;
  }
  CHECK(t.put((ends_all && bytes.starts_with("HTTP") ? "" : server_greeting) + bytes) == !ends_all);
  CHECK(answer.fault());
  CHECK(fault_of(answer).starts_with("malformed_response response: the answer "));
  CHECK(t.client.is_over() == ends_all);
}

TEST_CASE("HTTP/2: what the server did not process", "[net]") {
  ClientRig t;
  Http2Answer& first = t.ask();
  t.put(server_greeting);
  Http2Answer& second = t.begin();
  SECTION("refused") {
    t.take();
    REQUIRE(t.put(reset_frame(3, refused_stream)));
    CHECK(fault_of(second) ==
          "unreachable overall: the server refused the request and did not process the request (HTTP/2 REFUSED_STREAM)");
    CHECK(fault_of(first) == "none");
  }
  SECTION("HTTP/1.1 is required") {
    t.take();
    REQUIRE(t.put(reset_frame(3, http_1_1_required)));
    CHECK(fault_of(second) ==
          "unreachable overall: the server refused the request and did not process the request (HTTP/2 HTTP_1_1_REQUIRED)");
    CHECK(t.client.wants_http1());
  }
  SECTION("HTTP/1.1 is required of all") {
    t.take();
    REQUIRE(t.put(goaway_frame(1, http_1_1_required)));
    CHECK(fault_of(second).starts_with("unreachable overall: "));
    CHECK(t.client.wants_http1());
  }
  SECTION("refused after its answer has begun") {
    t.take();
    REQUIRE(t.put(answer_head(3, {{":status", "200"}}) + reset_frame(3, GENERATE(refused_stream, http_1_1_required))));
    CHECK(fault_of(second).starts_with("unreachable response: the server reset the request"));
  }
  SECTION("excluded by a GOAWAY after its answer has begun") {
    t.take();
    t.put(answer_head(3, {{":status", "200"}}) + goaway_frame(1, 0));
    CHECK(fault_of(second).starts_with("unreachable response: the server reset the request"));
  }
  SECTION("reset otherwise: it may have been processed") {
    t.take();
    REQUIRE(t.put(reset_frame(3, internal_error)));
    CHECK(fault_of(second) == "unreachable response: the server reset the request (HTTP/2 INTERNAL_ERROR)");
  }
  SECTION("excluded by GOAWAY; those before it finish") {
    t.take();
    REQUIRE(t.put(goaway_frame(1, 0)));
    CHECK(fault_of(second) == "unreachable overall: the server ends the connection and did not process the request (HTTP/2 NO_ERROR)");
    CHECK(t.client.is_ending());
    CHECK(t.client.max_streams() == 0);
    t.put(answer_head(1, {{":status", "200"}}, head_and_end));
    CHECK(first.is_done());
    CHECK(t.client.is_over());
  }
  SECTION("not sent before a GOAWAY") {
    REQUIRE(t.put(goaway_frame(1, 0)));
    CHECK(fault_of(second).starts_with("unreachable overall: "));
    CHECK(count_of(t.frames(), FrameType::headers) == 1);
  }
  SECTION("not sent before a GOAWAY, and nothing else under way") {
    t.put(answer_head(1, {{":status", "200"}}, head_and_end));
    t.client.forget(second);
    Http2Answer& third = t.begin();
    CHECK_FALSE(t.put(goaway_frame(1, 0)));
    CHECK(fault_of(third) == "unreachable overall: the server ends the connection and did not process the request (HTTP/2 NO_ERROR)");
  }
  SECTION("a server that asks for calm") {
    t.take();
    REQUIRE(t.put(goaway_frame(1, enhance_your_calm)));
    CHECK(fault_of(second).starts_with("rate_limited overall: "));
  }
  SECTION("the connection is lost") {
    t.client.end(Failure(Errc::unreachable, "lost").with_phase(Phase::response));
    CHECK(fault_of(first) == "unreachable response: lost");
    CHECK(fault_of(second) == "unreachable overall: lost");
  }
}

TEST_CASE("HTTP/2: a cancelled request", "[net]") {
  ClientRig t;
  SECTION("before it is sent") {
    Http2Answer& answer = t.begin();
    t.client.forget(answer);
    t.put(server_greeting);
    CHECK(count_of(t.frames(), FrameType::headers) == 0);
    CHECK(t.client.occupied() == 0);
  }
  SECTION("later: its place is free when the server was heard") {
    Http2Answer& answer = t.ask();
    t.put(server_greeting);
    t.client.forget(answer);
    t.take();
    REQUIRE(t.frames().back().type == FrameType::rst_stream);
    CHECK(t.frames().back().code() == cancel);
    CHECK(t.client.streams() == 0);
    CHECK(t.client.occupied() == 1);
    REQUIRE(t.put(answer_head(1, {{":status", "200"}}) + data_frame(1, "late")));
    CHECK(t.client.occupied() == 0);
    CHECK(t.news == 0);
  }
}

TEST_CASE("HTTP/2: a reader that is slow stops its own answer only", "[net]") {
  Http2ClientLimits limits;
  limits.stream_window = 64 * 1024;
  limits.window = 256 * 1024;
  ClientRig t(limits);
  Http2Answer& slow = t.ask(HttpRequest(Url::parse("https://h/p").value()), true);
  t.put(server_greeting + answer_head(1, {{":status", "200"}}));
  const auto returned = [&](std::uint32_t stream) {
    std::size_t count = 0;
    for (const HeardFrame& one : t.frames()) count += one.type == FrameType::window_update && one.stream == stream ? 1 : 0;
    return count;
  };
  const std::size_t before = returned(0);
  for (int i = 0; i < 4; ++i) REQUIRE(t.put(data_frame(1, std::string(16 * 1024, 'x'))));
  CHECK(returned(1) == 0);
  CHECK(slow.content.size() == 64 * 1024);
  t.client.note_taken(slow, 64 * 1024);
  t.take();
  CHECK(returned(1) == 1);
  for (int i = 0; i < 4; ++i) REQUIRE(t.put(data_frame(1, std::string(16 * 1024, 'x'))));
  CHECK(returned(0) == before + 1);  // the connection's window is returned at once
  CHECK(t.put(data_frame(1, "x")));  // over the window
  CHECK(fault_of(slow) == "malformed_response response: the answer is not valid HTTP/2 (FLOW_CONTROL_ERROR)");
}

TEST_CASE("HTTP/2: an answer that trickles goes on, and so does a quiet connection with PINGs", "[net]") {
  ClientRig t;
  Http2Answer& answer = t.ask();
  t.put(server_greeting + answer_head(1, {{":status", "200"}}));
  for (int i = 0; i < 100'000; ++i) REQUIRE(t.put(data_frame(1, "x")));
  CHECK(answer.content.size() == 100'000);
  for (int i = 0; i < 10'000; ++i) {
    t.now += 100ms;
    REQUIRE(t.put(frame(FrameType::ping, 0, 0, "12345678")));
  }
}

TEST_CASE("HTTP/2: the server's limit of requests, and PINGs", "[net]") {
  ClientRig t;
  CHECK(t.client.max_streams() == 100);
  t.put(setting(3, 1));
  CHECK(t.client.max_streams() == 1);
  t.put(setting(3, 1000));
  CHECK(t.client.max_streams() == 100);
  t.put(setting(3, 0));
  CHECK(t.client.max_streams() == 0);
  t.client.ping();
  t.take();
  REQUIRE(t.frames().back().type == FrameType::ping);
  CHECK(t.client.open_pings() == 1);
  t.put(frame(FrameType::ping, 1, 0, t.frames().back().payload));
  CHECK(t.client.open_pings() == 0);
}
