#include "resolvers/tpu/tpu_coordinator.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "base/exceptions.hpp"
#include "call/runtime_impl.hpp"
#include "cluster/service_address.hpp"
#include "google/metadata_client.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {
namespace {

asio::ip::address any_address(const asio::ip::address& like) {
  if (like.is_v6()) return asio::ip::address_v6::any();
  return asio::ip::address_v4::any();
}

// Close-on-exec from the start, since another thread may start a program at any time.
std::error_code bind_to(asio::ip::tcp::acceptor& acceptor, const asio::ip::address& address) {
  std::error_code error;
  const asio::ip::tcp::endpoint endpoint(address, 0);
  const int descriptor = ::socket(endpoint.protocol().family(), SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP);
  if (descriptor < 0) return std::error_code(errno, std::system_category());
  acceptor.assign(endpoint.protocol(), descriptor, error);
  if (error) {
    ::close(descriptor);
    return error;
  }
  acceptor.bind(endpoint, error);
  if (error) {
    std::error_code ignored;
    acceptor.close(ignored);
  }
  return error;
}

}  // namespace

asio::awaitable<Result<std::string>> LocalCoordinator::address(Call& call, bool is_local) {
  if (acceptor_) co_return address_;
  std::string host = "127.0.0.1";
  if (!is_local) {
    Result<std::string> value = co_await metadata_value(call, "instance/network-interfaces/0/ip");
    if (!value) {
      Failure failure = value.error();
      failure.with_what("the coordinator's own address is not given, and the metadata server did not give it: " + failure.what());
      failure.with_hint("give coordinator_address");
      co_return failure;
    }
    host = std::move(*value);
  }
  if (acceptor_) co_return address_;  // another call has bound it meanwhile
  std::error_code error;
  const asio::ip::address ip = asio::ip::make_address(std::string(service_ip(host)), error);
  if (error) {
    co_return Failure(Errc::malformed_response, "the metadata server's instance/network-interfaces/0/ip is " + not_an_address(host));
  }
  asio::ip::tcp::acceptor acceptor(impl_of(call).executor);
  error = bind_to(acceptor, ip);
  // The address may belong to a gateway in front of this machine. Then the port is bound on all of the machine's addresses. Any network may
  // reach some of them, so the socket does not listen until the port's user does.
  const bool is_elsewhere = means(error, std::errc::address_not_available);
  if (is_elsewhere) error = bind_to(acceptor, any_address(ip));
  if (!error && !is_elsewhere) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) co_return Failure(Errc::unavailable, fmt::format("no socket for the coordinator on {}: {}", host, error.message()));
  address_ = Endpoint(std::string(service_ip(host)), acceptor.local_endpoint().port()).to_text();
  acceptor_ = std::move(acceptor);
  co_return address_;
}

}  // namespace rollcall
