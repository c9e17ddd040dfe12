// The public constructors of Runtime: they fill in the real network, clocks, environment and files as defaults.
#include "rollcall/runtime.hpp"

#include "call/runtime_impl.hpp"
#include "google/gcloud_way.hpp"
#include "net/dial/tcp_probe.hpp"
#include "net/dns/dns_transport.hpp"
#include "net/grpc/grpc_transport.hpp"
#include "net/http/http_transport.hpp"

namespace rollcall {
namespace {

std::shared_ptr<Runtime::Impl> make_impl(asio::any_io_executor given, RuntimeOptions options) {
  asio::any_io_executor serial = made_serial(std::move(given));
  if (!options.time) options.time = system_time();
  if (!options.environment) options.environment = process_environment();
  if (!options.files) options.files = file_system();
  if (!options.programs) options.programs = system_programs();
  if (!options.credentials) options.credentials = default_credentials();
  auto timers = std::make_shared<TimerQueue>(options.time, serial);
  const NetworkOptions chosen = options.network;
  const auto memory = std::make_shared<MemoryAccount>(options.limits.max_memory_bytes);
  if (!options.network.proxy) options.network.proxy = ProxySettings::from_environment(*options.environment);
  if (!options.http) {
    // The metadata server has the same address everywhere; a DNS query for it could only block (google-auth-python #173).
    ConnectTo metadata;
    metadata.from_host = "metadata.google.internal";
    metadata.from_port = 80;
    metadata.to_host = "169.254.169.254";
    metadata.to_port = 80;
    NetworkOptions network = options.network;
    network.connect_to.push_back(metadata);
    options.http = make_http_transport(serial, timers, std::move(network), memory);
  }
  if (options.around_http) options.http = options.around_http(std::move(options.http));
  if (!options.rpc) options.rpc = make_grpc_transport(serial, timers, options.network, options.files);
  if (!options.dns) options.dns = make_dns_transport(serial, timers, options.network.dns_servers);
  if (!options.tcp) options.tcp = make_tcp_probe(serial, timers, options.network);
  auto impl = std::make_unique<Runtime::Impl>(std::move(serial), std::move(options), std::move(timers), memory);
  note_network_options(*impl, chosen);
  return std::shared_ptr<Runtime::Impl>(impl.release(), &Runtime::Impl::destroy);
}

}  // namespace

Runtime::Runtime(asio::any_io_executor serial) : Runtime(std::move(serial), RuntimeOptions()) {}
Runtime::Runtime(asio::any_io_executor serial, RuntimeOptions options) : impl_(make_impl(std::move(serial), std::move(options))) {}

}  // namespace rollcall
