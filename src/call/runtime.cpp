#include "call/runtime_impl.hpp"

#include <asio/co_spawn.hpp>
#include <asio/dispatch.hpp>
#include <asio/use_awaitable.hpp>

namespace rollcall {

Runtime::Impl::Impl(asio::any_io_executor serial, RuntimeOptions options, std::shared_ptr<TimerQueue> timer_queue,
                    std::shared_ptr<MemoryAccount> account)
    : executor(std::move(serial)), loop(executor), time(std::move(options.time)), timers(std::move(timer_queue)),
      http(std::move(options.http)), rpc(std::move(options.rpc)), dns(std::move(options.dns)), tcp(std::move(options.tcp)),
      environment(std::move(options.environment)), files(std::move(options.files)), programs(std::move(options.programs)),
      has_terminal(options.has_terminal),
      proxy(options.network.proxy ? *options.network.proxy : ProxySettings::from_environment(*environment)),
      credentials(std::move(options.credentials)), log(std::move(options.log)), limits(options.limits), memory(std::move(account)),
      server(std::move(options.server)), rpc_limiter_(std::make_shared<HostLimiter>(limits.rpcs_in_flight, limits.retry_budget)),
      dns_limiter_(std::make_shared<HostLimiter>(limits.requests_in_flight_per_host, limits.retry_budget)), seed_(options.random_seed) {}

void Runtime::Impl::destroy(Impl* impl) noexcept {
  std::unique_ptr<Impl> owned(impl);
  if (!owned->loop.is_going()) return;
  const asio::any_io_executor executor = owned->executor;
  try {
    asio::dispatch(executor, [owned = std::move(owned)]() mutable { owned.reset(); });
  } catch (...) {  // no memory for the handler: the object was destroyed anyway
  }
}

HostLimiter& Runtime::Impl::host(const Url& url) {
  const auto at = hosts_.find(HostView{url.host, url.port});
  if (at != hosts_.end()) return *at->second;
  auto limiter = std::make_shared<HostLimiter>(limits.requests_in_flight_per_host, limits.retry_budget);
  return *hosts_.emplace(HostKey{url.host, url.port}, std::move(limiter)).first->second;
}

double Runtime::Impl::uniform() {
  if (!random_) {
    if (!seed_) {
      std::random_device device;
      seed_ = (std::uint64_t{device()} << 32) | device();
    }
    random_.emplace(*seed_);
  }
  return std::uniform_real_distribution<double>(0.0, 1.0)(*random_);
}

void Runtime::Impl::warn_once(std::uint64_t call, std::string_view about, std::string_view warning) {
  if (warned_of.emplace(about).second) emit({.kind = EventKind::security_warning, .call = call, .subject = warning});
}

void Runtime::Impl::close() {
  is_closed = true;
  const auto self = shared_from_this();
  // Abandoning one operation may end other ones: take them one by one.
  while (!open_operations.empty()) {
    OpenOperation& operation = open_operations.front();
    open_operations.pop_front();
    operation.abandon();
  }
  http->close();
  rpc->close();
}

namespace {
asio::awaitable<void> close_on_executor(std::shared_ptr<Runtime::Impl> impl) {
  impl->close();
  co_return;
}
}  // namespace

asio::awaitable<void> Runtime::close() {
  const std::shared_ptr<Impl> impl = impl_;
  co_await asio::co_spawn(impl->executor, close_on_executor(impl), asio::use_awaitable);
}

const std::shared_ptr<MemoryAccount>& Runtime::memory() const noexcept { return impl_->memory; }

}  // namespace rollcall
