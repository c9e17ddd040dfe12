#include "net/http/pool.hpp"

#include <algorithm>
#include <asio/post.hpp>
#include <utility>

#include "base/saturating.hpp"
#include "net/socket/descriptor.hpp"

namespace rollcall {

Lease::Lease(HostPool& host, ConnectionPtr connection) noexcept : host_(&host), connection_(std::move(connection)) { ++host.leased_; }

Lease::Lease(Lease&& other) noexcept : host_(std::exchange(other.host_, nullptr)), connection_(std::move(other.connection_)) {}

Lease& Lease::operator=(Lease&& other) noexcept {
  if (this != &other) {
    drop();
    host_ = std::exchange(other.host_, nullptr);
    connection_ = std::move(other.connection_);
  }
  return *this;
}

void Lease::give_back(bool is_reusable) {
  if (!host_) return;
  HostPool& host = *std::exchange(host_, nullptr);
  ConnectionPool& pool = *host.pool_;
  --host.leased_;
  ConnectionPtr connection = std::move(connection_);
  const SteadyTime now = pool.timers_.now();
  const bool is_wanted = !pool.is_closed_ && (!host.queue_.empty() || host.idle_.size() < pool.max_idle_per_host_);
  const bool is_spared = pool.dialling_ == 0 || !host.queue_.empty() || !are_descriptors_used_up();
  if (is_reusable && connection && is_wanted && is_spared) {
    connection->idle_since = now;
    host.idle_.push_back(std::move(connection));
  }
  connection.reset();
  pool.serve_queue(host, now);
  if (now >= pool.next_sweep_) pool.sweep(now);
}

// Runs also when a suspended coroutine is destroyed together with its loop; waking another coroutine then would destroy that one's sockets
// after the loop's services. A posted handler that owns nothing is harmless then.
void Lease::drop() noexcept {
  if (!host_) return;
  HostPool& host = *std::exchange(host_, nullptr);
  --host.leased_;
  connection_.reset();
  if (!host.queue_.empty()) host.pool_->serve_all_later();
}

ConnectionPool::ConnectionPool(asio::any_io_executor executor, TimerQueue& timers, std::size_t max_per_host, std::size_t max_idle_per_host,
                               Duration max_idle_time)
    : executor_(std::move(executor)), timers_(timers), max_per_host_(std::max<std::size_t>(1, max_per_host)),
      max_idle_per_host_(max_idle_per_host), max_idle_time_(max_idle_time) {}

ConnectionPool::~ConnectionPool() = default;

HostPool& ConnectionPool::at(const OriginView& origin) {
  const auto found = hosts_.find(origin);
  if (found != hosts_.end()) return *found->second;
  auto host = std::make_unique<HostPool>(*this, std::string(origin.host));
  OriginView key = origin;
  key.host = host->name;
  return *hosts_.emplace(key, std::move(host)).first->second;
}

Lease ConnectionPool::try_lease(HostPool& host, SteadyTime now) {
  if (!host.queue_.empty()) return {};
  while (!host.idle_.empty()) {
    ConnectionPtr connection = std::move(host.idle_.back());
    host.idle_.pop_back();
    if (saturating_difference(now, connection->idle_since) >= max_idle_time_) {
      host.idle_.clear();  // the other connections are older
      break;
    }
    if (connection->is_quiet()) return Lease(host, std::move(connection));
  }
  if (host.leased_ < max_per_host_) return Lease(host, nullptr);
  return {};
}

void ConnectionPool::serve_queue(HostPool& host, SteadyTime now) {
  while (!host.queue_.empty() && host.leased_ < max_per_host_) {
    PoolWait& wait = host.queue_.front();
    host.queue_.pop_front();
    ConnectionPtr connection;
    while (!host.idle_.empty() && !connection) {
      connection = std::move(host.idle_.back());
      host.idle_.pop_back();
      if (saturating_difference(now, connection->idle_since) >= max_idle_time_ || !connection->is_quiet()) connection.reset();
    }
    wait.lease = Lease(host, std::move(connection));
    wait.on_grant_(wait.context_);
  }
}

void ConnectionPool::serve_all_later() {
  if (is_serving_posted_) return;
  is_serving_posted_ = true;
  asio::post(executor_, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self) return;
    self->is_serving_posted_ = false;
    const SteadyTime now = self->timers_.now();
    for (auto& [origin, host] : self->hosts_) self->serve_queue(*host, now);
  });
}

// The dialler waits when descriptors are used up; here one of the pool's is closed for it.
void ConnectionPool::dial_started() {
  ++dialling_;
  if (are_descriptors_used_up()) close_oldest_idle();
}

void ConnectionPool::close_oldest_idle() {
  HostPool* oldest = nullptr;
  for (auto& [origin, host] : hosts_) {
    if (!host->idle_.empty() && (!oldest || host->idle_.front()->idle_since < oldest->idle_.front()->idle_since)) oldest = host.get();
  }
  if (oldest) oldest->idle_.erase(oldest->idle_.begin());
}

void ConnectionPool::sweep(SteadyTime now) {
  next_sweep_ = saturating_sum(now, max_idle_time_ / 2);
  for (auto at = hosts_.begin(); at != hosts_.end();) {
    HostPool& host = *at->second;
    const auto fresh = std::find_if(host.idle_.begin(), host.idle_.end(), [&](const ConnectionPtr& connection) {
      return saturating_difference(now, connection->idle_since) < max_idle_time_;
    });
    host.idle_.erase(host.idle_.begin(), fresh);
    const bool is_unused = host.idle_.empty() && host.leased_ == 0 && host.queue_.empty();
    at = is_unused ? hosts_.erase(at) : std::next(at);
  }
}

void ConnectionPool::close() {
  is_closed_ = true;
  for (auto& [origin, host] : hosts_) host->idle_.clear();
}

}  // namespace rollcall
