#include "conformance/case_world.hpp"

#include <algorithm>
#include <asio/co_spawn.hpp>
#include <asio/ip/tcp.hpp>

#include "conformance/case_network.hpp"
#include "conformance/routed_transport.hpp"
#include "net/grpc/grpc_transport.hpp"
#include "net/http/http_transport.hpp"

namespace rollcall::conformance {
namespace {

using asio::ip::tcp;
using RealClock = std::chrono::steady_clock;

constexpr auto max_case = std::chrono::seconds(120);
constexpr auto patience = std::chrono::milliseconds(20);

// The metadata server's token, if the object or one of a union's children uses the default credentials.
bool wants_default_credentials(const json::object& args) {
  const json::value* const credentials = args.if_contains("credentials");
  if (credentials && credentials->is_string() && credentials->get_string() == "default") return true;
  const json::value* const children = args.if_contains("children");
  if (!children || !children->is_array()) return false;
  for (const json::value& child : children->get_array()) {
    if (!child.is_object()) continue;
    const json::value* const inner = child.get_object().if_contains("args");
    if (inner && inner->is_object() && wants_default_credentials(inner->get_object())) return true;
  }
  return false;
}

}  // namespace

std::optional<std::string> CaseEnvironment::get(std::string_view name) const {
  const auto found = variables_.find(name);
  if (found == variables_.end()) return std::nullopt;
  return found->second;
}

Result<void> CaseEnvironment::set(const std::string& name, const std::string& value) const {
  variables_[name] = value;
  return Result<void>();
}

void CaseEnvironment::change(const std::string& name, std::optional<std::string> value) {
  if (value) {
    variables_[name] = std::move(*value);
  } else {
    variables_.erase(name);
  }
}

CaseWorld::CaseWorld(const Case& the_case, Authority& authority)
    : case_(the_case), script_(the_case.http, [this] { return clock_.seconds(); }), grpc_script_(the_case.grpc), clock_(the_case),
      timers_(std::make_shared<TimerQueue>(clock_.source(), io_.get_executor())),
      environment_(std::make_shared<CaseEnvironment>(the_case.env)), authority_(authority),
      service_(io_.get_executor(), script_, traffic_, *timers_, authority, tls_addresses(the_case)),
      grpc_service_(io_.get_executor(), grpc_script_, traffic_, timers_, !the_case.grpc.empty()), dns_(io_),
      silent_port_(io_.get_executor(), tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {
  runtime_ = std::make_unique<Runtime>(make_runtime());
}

Runtime CaseWorld::make_runtime() {
  const auto transport = [this](NetworkOptions network) { return make_http_transport(io_.get_executor(), timers_, std::move(network)); };
  Routes routes;
  routes.live = transport(towards_servers(case_, authority_.file(), service_.http_port(), service_.https_port()));
  routes.refused = transport(towards_port(authority_.file(), silent_port_.local_endpoint().port()));
  routes.nameless = transport(with_dns_server(authority_.file(), dns_.where()));

  RuntimeOptions options;
  options.http = make_routed_transport(std::move(routes), script_, traffic_, timers_, metadata_hosts(case_));
  NetworkOptions towards_workers = towards_grpc(case_, grpc_service_.port(), silent_port_.local_endpoint().port());
  options.rpc =
      make_watched_transport(make_grpc_transport(io_.get_executor(), timers_, std::move(towards_workers), file_system()), traffic_);
  options.time = clock_.source();
  options.environment = environment_;
  std::map<std::string, std::string, std::less<>> files = case_.files;
  for (auto& [path, content] : files) {
    for (std::size_t at = content.find("$TEST_CA"); at != std::string::npos; at = content.find("$TEST_CA", at)) {
      content.replace(at, std::string_view("$TEST_CA").size(), authority_.pem());
    }
  }
  options.files = fixed_files(std::move(files));
  options.credentials = wants_default_credentials(case_.args) ? metadata_token() : static_token(Secret<std::string>("test-token"));
  return Runtime(io_.get_executor(), std::move(options));
}

CaseWorld::~CaseWorld() {
  const auto is_closed = std::make_shared<bool>(false);
  asio::co_spawn(io_, runtime_->close(), [is_closed](std::exception_ptr) { *is_closed = true; });
  run_until(*is_closed);
  service_.stop();
  grpc_service_.stop();
  io_.restart();
  io_.poll();
}

Setting CaseWorld::setting() const { return Setting(*runtime_, https_hosts(case_)); }

CallOptions CaseWorld::call_options() const {
  CallOptions options;
  RetryPolicy retry;
  if (case_.max_retries) retry.max_retries(*case_.max_retries);
  if (case_.base_delay) retry.base_delay(*case_.base_delay);
  if (case_.max_delay) retry.max_delay(*case_.max_delay);
  options.retry(retry);
  // A time-out of zero is a deadline that has passed, not a wrong argument.
  if (case_.deadline) options.timeout(std::max<std::chrono::nanoseconds>(*case_.deadline, std::chrono::nanoseconds(1)));
  return options;
}

// Runs ready handlers, or waits for the network, or advances virtual time. False when nothing can happen any more.
bool CaseWorld::turn() {
  io_.restart();
  if (!clock_.fake()) {
    io_.run_one_for(patience);
    return true;
  }
  if (io_.poll() > 0) return true;
  if (!traffic_.is_only_delayed()) {
    io_.restart();
    io_.run_one_for(patience);
    return true;
  }
  const std::optional<SteadyTime> next = clock_.fake()->next_alarm();
  if (!next) return false;
  clock_.fake()->advance_to(*next);
  return true;
}

bool CaseWorld::run_until(const bool& is_done) {
  const auto give_up = RealClock::now() + max_case;
  while (!is_done) {
    if (!turn() || RealClock::now() > give_up) return is_done;
  }
  return true;
}

}  // namespace rollcall::conformance
