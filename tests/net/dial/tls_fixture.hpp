// A server of https for tpu.example.com with a certificate of choice, and dials to it.
#pragma once

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "net/dial/dial_fixture.hpp"
#include "support/certificates.hpp"

namespace rollcall::testing {

inline asio::awaitable<void> say_ok(ServerExchange& exchange) {
  HttpResponse response;
  response.status = 200;
  co_await exchange.reply(response);
}

/// Clients trust `ca`.
class TlsFixture : public DialFixture {
 public:
  TlsFixture() : ca(authority_request()), ca_file(ca.pem()) { network.ca_file = ca_file.path(); }
  void serve(const CertifiedKey& identity) {
    context = identity.server_context();
    server = std::make_unique<HttpServer>(io.get_executor(), say_ok);
    const std::uint16_t port = server->listen("127.0.0.1", 0, [this](std::string_view) { return context.get(); }).value();
    network.connect_to.push_back(ConnectTo::parse(fmt::format("::127.0.0.1:{}", port)).value());
  }
  Failure refused(const std::string& url = "https://tpu.example.com/") {
    const Failure failure = dial(url)->failure();
    INFO(failure.message());
    CHECK(failure.code() == Errc::tls_failed);
    CHECK(failure.phase() == Phase::handshake);
    CHECK(failure.target() == url.substr(0, url.size() - 1));
    return failure;
  }
  static bool has(const std::string& text, const std::string& part) {
    UNSCOPED_INFO(text);
    return text.find(part) != std::string::npos;
  }

  CertifiedKey ca;
  TemporaryFile ca_file;
  TlsContextPtr context;
  std::unique_ptr<HttpServer> server;
};

}  // namespace rollcall::testing
