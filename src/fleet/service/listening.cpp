#include "fleet/service/listening.hpp"

#include "call/runtime_impl.hpp"
#include "net/socket/descriptor.hpp"

namespace rollcall::fleet {

Result<std::uint16_t> listen_at(const ListenAddress& address,
                                const std::function<Result<std::uint16_t>(const std::string& ip, std::uint16_t port)>& listen) {
  Result<std::uint16_t> bound = listen(address.host.empty() ? "0.0.0.0" : address.host, address.port);
  if (bound && address.host.empty()) {
    const Result<std::uint16_t> other = listen("::", *bound);
    if (!other && has_ipv6()) return other.error();
  }
  return bound;
}

Result<std::shared_ptr<ServerContext>> open_server_tls(const Runtime& runtime, TlsFiles files) {
  const auto on_trouble = [weak = std::weak_ptr<Runtime::Impl>(shared_impl_of(runtime))](const Failure& failure) {
    const std::shared_ptr<Runtime::Impl> alive = weak.lock();
    if (!alive) return;
    const std::string what = "the certificate is not renewed: " + failure.what();
    alive->emit({.kind = EventKind::security_warning, .subject = what});
  };
  return ServerContext::open(std::move(files), impl_of(runtime).time, on_trouble);
}

}  // namespace rollcall::fleet
