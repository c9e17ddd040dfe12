// The source of a Runtime's proxy: its options, else its environment.
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <catch2/catch.hpp>

#include "call/runtime_impl.hpp"
#include "net/dial/relay_proxy.hpp"
#include "rollcall/runtime.hpp"
#include "support/dns_server.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

asio::awaitable<void> send_once(std::shared_ptr<HttpTransport> http, HttpRequest request, std::optional<Result<HttpResponse>>& answer) {
  const ExchangeOptions options;
  Result<HttpResponse> got = co_await http->send(request, options);
  answer.emplace(std::move(got));
}

}  // namespace

TEST_CASE("a Runtime's proxy is the option, else what its environment says") {
  asio::io_context loop{1};
  const CertifiedKey ca(authority_request());
  const TemporaryFile ca_file(ca.pem());
  RelayProxy by_option(loop, 9);
  RelayProxy by_environment(loop, 9);  // the tunnel leads nowhere: only the request to the proxy matters
  DnsServer dns(loop);  // which resolves no name: without a proxy no request leaves this machine
  RuntimeOptions options;
  options.network.dns_servers = {dns.where()};
  options.network.ca_file = ca_file.path();
  options.environment = fixed_environment({{"HTTPS_PROXY", by_environment.url("http")}, {"NO_PROXY", "direct.test"}});
  std::size_t of_option = 0;
  std::size_t of_environment = 0;
  std::string url = "https://tpu.example.com/";
  SECTION("the environment") { of_environment = 1; }
  SECTION("its exceptions") { url = "https://direct.test/"; }
  SECTION("the option") {
    options.network.proxy = ProxySettings(by_option.url("http"));
    of_option = 1;
  }
  SECTION("the option, without the environment's exceptions") {
    options.network.proxy = ProxySettings(by_option.url("http"));
    url = "https://direct.test/";
    of_option = 1;
  }
  SECTION("none, by option") { options.network.proxy = ProxySettings(); }
  Runtime runtime(loop.get_executor(), options);
  std::optional<Result<HttpResponse>> answer;
  HttpRequest request;
  request.url = Url::parse(url).value();
  asio::co_spawn(loop, send_once(impl_of(runtime).http, request, answer), asio::detached);
  while (!answer && loop.run_one() > 0) {
  }
  REQUIRE(answer);
  CHECK(answer->has_error());
  CHECK(by_option.asked().size() == of_option);
  CHECK(by_environment.asked().size() == of_environment);
}
