// The service: what it listens on, and its end.
#include <fmt/format.h>

#include "async/async_event.hpp"
#include "base/ip.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "call/runtime_impl.hpp"
#include "fleet/fleet.hpp"
#include "fleet/http/fleet_handler.hpp"
#include "net/server/http_server.hpp"
#include "rollcall/fleet_service.hpp"

namespace rollcall {
namespace {

class LocalFleetService final : public FleetService {
 public:
  explicit LocalFleetService(Runtime runtime)
      : runtime_(std::move(runtime)), fleet_(fleet::make_fleet(runtime_)), http_(fleet_),
        server_(impl_of(runtime_).executor, http_.handler(), ServerLimits(), impl_of(runtime_).time) {}
  ~LocalFleetService() override { stop(); }

  Result<void> listen(const std::string& text) {
    const std::size_t colon = text.rfind(':');
    std::string_view host = std::string_view(text).substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    const auto port = parse_decimal<std::uint16_t>(colon == std::string::npos ? "" : std::string_view(text).substr(colon + 1));
    if (!port || !read_ip(host)) {
      return Failure(Errc::invalid_argument, fmt::format("{} is no address to listen on", quoted(text, 80)))
          .with_hint("give an IP address and a port: 127.0.0.1:7070, [::1]:7070");
    }
    if (!is_loopback_literal(host)) {
      return Failure(Errc::refused_by_policy,
                     fmt::format("{} can be reached from other machines, and the service does not tell its clients apart", text))
          .with_hint("listen on 127.0.0.1 or [::1]");
    }
    const Result<std::uint16_t> bound = server_.listen(std::string(host), *port);
    if (!bound) return bound.error();
    urls_.push_back(fmt::format("http://{}:{}", text.substr(0, colon), *bound));
    return Result<void>();
  }

  std::vector<std::string> urls() const override { return urls_; }

  asio::awaitable<void> drain(Duration patience) override {
    constexpr Duration pace = std::chrono::milliseconds(20);
    Runtime::Impl& impl = impl_of(runtime_);
    const SteadyTime end = saturating_sum(impl.time->now(), patience);
    http_.close(patience / 2);
    bool goes_on = true;
    while (goes_on && http_.followers() > 0 && impl.time->now() < end) {
      goes_on = co_await sleep_until(*impl.timers, std::min(end, impl.time->now() + pace));
    }
    stop();
  }

  void stop() override {
    http_.close();
    fleet_->close();
    server_.stop();
  }

 private:
  Runtime runtime_;
  std::shared_ptr<fleet::Fleet> fleet_;
  fleet::FleetHttp http_;
  HttpServer server_;
  std::vector<std::string> urls_;
};

}  // namespace

Result<std::shared_ptr<FleetService>> FleetService::start(Runtime runtime, FleetServiceOptions options) {
  auto made = std::make_shared<LocalFleetService>(std::move(runtime));
  for (const std::string& address : options.listen) {
    const Result<void> listening = made->listen(address);
    if (!listening) return listening.error();
  }
  return std::shared_ptr<FleetService>(std::move(made));
}

}  // namespace rollcall
