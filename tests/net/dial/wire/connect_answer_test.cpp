// Answers of proxies to CONNECT.
#include "net/dial/wire/connect_answer.hpp"

#include <catch2/catch.hpp>

#include "base/base64.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

Result<void> answered(const std::string& text, const std::string& credentials = "", std::size_t size = 7) {
  const ProxyUrl proxy = value_of(ProxyUrl::parse("http://" + credentials + "proxy:3128", "HTTPS_PROXY"));
  ConnectAnswer answer;
  for (std::size_t at = 0; at < text.size() && !answer.is_whole(); at += size) {
    const Result<void> taken = answer.put(std::string_view(text).substr(at, size));
    if (!taken) return taken;
  }
  if (!answer.is_whole()) return Failure(Errc::not_ready, "more is awaited");
  return answer.verdict(proxy, "h:443");
}

}  // namespace

TEST_CASE("any 2xx opens a tunnel, for any other fields of the head") {
  const std::size_t size = GENERATE(1, 5, 100000);
  CHECK(answered("HTTP/1.1 200 Connection established\r\n\r\n", "", size).has_value());
  CHECK(answered("HTTP/1.0 200\r\nVia: 1.1 x\r\nContent-Length: 5\r\n\r\n", "", size).has_value());
  check_failure(answered("HTTP/1.1 200 OK\r\n", "", size), Errc::not_ready, "more");
}

TEST_CASE("a proxy that requires credentials is reported with their kind and a hint") {
  const std::string head = "HTTP/1.1 407 Proxy Authentication Required\r\n";
  const Result<void> none = answered(head + "Proxy-Authenticate: Basic realm=\"office, floor 2\"\r\n\r\n<html>a page</html>");
  check_failure(none, Errc::unauthenticated, "refused a tunnel to 'h:443' with HTTP 407; it wants Basic");
  CHECK(none.error().last_status() == 407);
  CHECK_THAT(none.error().hint(), Catch::Contains("USER:PASSWORD@, percent-encoded, before the host in HTTPS_PROXY"));
  const Result<void> wrong = answered(head + "proxy-authenticate:Basic\r\n\r\n", "me:hush@");
  CHECK_THAT(wrong.error().message(),
             Catch::Contains("does not accept the user and the password in HTTPS_PROXY") && !Catch::Contains("hush"));
  CHECK(answered("HTTP/1.0 401 Unauthorized\r\nServer: tinyproxy/1.11.1\r\n\r\n", "me:hush@").error().code() == Errc::unauthenticated);
  const Result<void> other = answered(head + "Proxy-Authenticate: Negotiate\r\nProxy-Authenticate: NTLM\r\n\r\n", "me:hush@");
  check_failure(other, Errc::unauthenticated, "it wants Negotiate, NTLM");
  check_failure(answered(head + "Proxy-Authenticate: negotiate\r\nProxy-Authenticate: Mine\r\nProxy-Authenticate: Yours\r\n\r\n"),
                Errc::unauthenticated, "it wants Negotiate, another scheme");
  CHECK_THAT(other.error().hint(), Catch::Contains("only Basic"));
  CHECK_THAT(answered(head + "\r\n").error().hint(), Catch::Contains("USER:PASSWORD@"));
  // Its text is shown printable and truncated.
  std::string many;
  for (int i = 0; i < 200; ++i) many += "Proxy-Authenticate: \x1b[2JScheme\r\n";
  const std::string shown = answered(head + many + "\r\n").error().message();
  CHECK(shown.size() < 600);
  CHECK(shown.find('\x1b') == std::string::npos);
}

TEST_CASE("a proxy's refusal is final, an unreachable host may be tried again") {
  CHECK(answered("HTTP/1.1 403 Forbidden\r\n\r\n").error().code() == Errc::permission_denied);
  CHECK(answered("HTTP/1.1 405 No\r\n\r\n").error().code() == Errc::permission_denied);
  for (const int status : {400, 500, 502, 503, 504, 301, 101}) {
    const Failure failure = answered("HTTP/1.1 " + std::to_string(status) + " x\r\n\r\n").error();
    CHECK(failure.code() == Errc::unreachable);
    CHECK(failure.last_status() == status);
  }
}

TEST_CASE("a status has three digits") {
  for (const char* const line : {"HTTP/1.1 2000 OK", "HTTP/1.1 20", "HTTP/1.1 200x", "HTTP/1.1 2 00", "HTTP/1.1 +20", "HTTP/1.1  200"})
    check_failure(answered(std::string(line) + "\r\n\r\n"), Errc::malformed_response, "answered CONNECT in HTTP/1");
}

TEST_CASE("a proxy that repeats the request is not quoted, in any place and form") {
  const std::string password = "correct-horse-battery-staple-9000";
  const std::string pair = "user:" + password;
  const std::string encoded(basic_credentials("user", password).reveal());
  const std::string percent = "user%3Acorrect%2Dhorse%2Dbattery%2Dstaple%2D9000";
  for (const std::string& reported : {pair, password, encoded, percent, base64_encode("a" + password), base64_encode(encoded)}) {
    const std::string refusal = "HTTP/1.1 407 No\r\n";
    for (const std::string& answer :
         {reported + "\r\n\r\n", "Basic " + reported + "\r\n", "HTTP/1.1 " + reported + "\r\n\r\n", "HTTP/1.1 200" + reported + "\r\n\r\n",
          "HTTP/" + reported + "\r\n\r\n", "HTTP/1.1 407 " + reported + "\r\n\r\n",
          "HTTP/1.1 403 " + reported + "\r\nX: " + reported + "\r\n\r\n" + reported,
          refusal + "Proxy-Authenticate: " + reported + "\r\n\r\n",
          refusal + "Proxy-Authenticate: Basic realm=\"" + reported + "\"\r\n\r\n",
          refusal + "Proxy-Authenticate: Digest " + reported + "\r\nProxy-Authenticate:" + reported + ",Basic\r\n\r\n<html>" + reported +
              "</html>",
          "HTTP/1.1 502 Bad\r\nContent-Type: application/json\r\n\r\n{\"error\":\"" + reported + "\"}", "SSH-2.0-" + reported + "\r\n"}) {
      const std::string message = answered(answer, "user:" + password + "@", 100000).error().message();
      INFO(message);
      for (std::size_t at = 0; at + 6 <= reported.size(); ++at) CHECK(message.find(reported.substr(at, 6)) == std::string::npos);
    }
  }
}

TEST_CASE("invalid answers to CONNECT") {
  check_failure(answered("SSH-2.0-server\r\n"), Errc::malformed_response, "SSH-2.0");
  check_failure(answered("\x15\x03\x01"), Errc::malformed_response, "answered CONNECT with");
  check_failure(answered("HTTP/2 200\r\n\r\n"), Errc::malformed_response, "HTTP/2");
  check_failure(answered("HTTP/1.1 0200\r\n\r\n"), Errc::malformed_response, "0200");
  check_failure(answered("HTTP/1.1 999 x\r\n\r\n"), Errc::malformed_response, "999");
  check_failure(answered("HTTP/1.1\r\n\r\n"), Errc::malformed_response, "HTTP/1.1");
  check_failure(answered("HTTP/1.1 200 OK\r\n\r\nmore", "", 1000), Errc::malformed_response, "bytes of its own");
  check_failure(answered("HTTP/1.1 200 OK\r\nX: " + std::string(20000, 'x')), Errc::malformed_response, "endless");
  check_failure(answered("HTTP/1.1 200 OK\r\nX: " + std::string(20'000'000, 'x'), "", 20'000'000), Errc::malformed_response, "endless");
}
