#include "net/http/pool.hpp"

#include <algorithm>
#include <array>
#include <asio/post.hpp>
#include <utility>

#include "base/saturating.hpp"
#include "net/socket/descriptor.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_shared = 8;  // HTTP/2 connections to a host, for each use
constexpr std::size_t enough_requests = 64;  // at a time, however many connections HTTP/1.1 may have

}  // namespace

ConnectionPool::ConnectionPool(asio::any_io_executor executor, TimerQueue& timers, std::size_t max_per_host, std::size_t max_idle_per_host,
                               Duration max_idle_time)
    : executor_(std::move(executor)), timers_(timers), max_per_host_(std::max<std::size_t>(1, max_per_host)),
      max_idle_per_host_(max_idle_per_host), max_idle_time_(max_idle_time) {}

ConnectionPool::~ConnectionPool() = default;

HostPool& ConnectionPool::at(const OriginView& origin) {
  const auto found = hosts_.find(origin);
  if (found != hosts_.end()) return *found->second;
  auto host = std::make_unique<HostPool>(*this, std::string(origin.host), origin.is_https, std::min(max_shared, max_per_host_));
  OriginView key = origin;
  key.host = host->name;
  return *hosts_.emplace(key, std::move(host)).first->second;
}

// If it did not succeed, those that waited have used a part of their time.
void ConnectionPool::end_first_dial(HostPool& host, SteadyTime now) noexcept {
  host.patience_.cancel();
  if (!std::exchange(host.is_first_under_way_, false) || host.protocol_) return;
  host.is_open_to_all_ = true;
  for (PoolWait& wait : host.queue_) wait.lease.waited_ = saturating_difference(now, wait.since_);
}

// Its request was cancelled, which says nothing about the host: the next in the queue dials, and the others wait no longer than before.
void ConnectionPool::pass_on_first_dial(HostPool& host, SteadyTime now) noexcept {
  if (!host.is_first_under_way_ || host.queue_.empty() || host.protocol_) return end_first_dial(host, now);
  host.is_first_under_way_ = false;
  PoolWait& next = host.queue_.front();
  next.lease.waited_ = saturating_difference(now, next.since_);
}

// Called only if no more than one may dial.
Lease ConnectionPool::grant_dial(HostPool& host) noexcept {
  Lease lease(host, nullptr);
  lease.is_http1_only_ = host.is_http1_only_;
  if (!host.is_https_ || host.protocol_ || host.is_open_to_all_) return lease;
  lease.is_first_ = true;
  host.is_first_under_way_ = true;
  return lease;
}

void ConnectionPool::wait_for_first(HostPool& host, SteadyTime until) {
  if (host.patience_.is_set() && host.patience_.when() <= until) return;
  host.patience_.set(
      timers_, until,
      [](void* context) noexcept {
        HostPool& overdue = *static_cast<HostPool*>(context);
        ConnectionPool& pool = *overdue.pool_;
        const SteadyTime at = pool.timers_.now();
        end_first_dial(overdue, at);
        pool.serve_queue(overdue, at);
      },
      &host);
}

// True if exchanges share the host's connections. A server that takes so few requests at a time that HTTP/1.1 has more under way is asked
// over that.
bool ConnectionPool::is_shared(HostPool& host) {
  if (!host.is_http2()) return false;
  if (host.shared_.capacity() < std::min(max_per_host_, enough_requests)) host.leave_http2(false);
  return host.is_http2();
}

void HostPool::leave_http2(bool is_required) {
  if (needs_http2_) return;
  is_http1_only_ = true;
  is_http1_required_ = is_http1_required_ || is_required;
  protocol_ = Protocol::http1;
}

void HostPool::return_to_http2() {
  needs_http2_ = true;
  if (std::exchange(is_http1_only_, false)) protocol_ = Protocol::http2;
}

Lease ConnectionPool::lease_shared(HostPool& host, ConnectionUse use, SteadyTime now) {
  SharedConnections::Choice choice = host.shared_.choose(use, now, max_idle_time_);
  if (!choice.connection && !choice.may_dial) return {};
  Lease lease(host, nullptr);
  lease.use_ = use;
  lease.shared_ = std::move(choice.connection);
  lease.is_shared_dial_ = choice.may_dial;
  return lease;
}

// Those of one use do not wait for those of another.
void ConnectionPool::serve_shared(HostPool& host, SteadyTime now) {
  std::array<bool, connection_uses> is_full{};
  const auto is_all_full = [&is_full] { return std::find(is_full.begin(), is_full.end(), false) == is_full.end(); };
  for (auto at = host.queue_.begin(); at != host.queue_.end() && !is_all_full();) {
    PoolWait& wait = *at++;
    bool& full = is_full[static_cast<std::size_t>(wait.use_)];
    if (full) continue;
    Lease lease = lease_shared(host, wait.use_, now);
    full = !lease;
    if (full) continue;
    wait.unlink();
    lease.waited_ = wait.lease.waited_;
    wait.lease = std::move(lease);
    wait.on_grant_(wait.context_);
  }
}

void HostPool::on_change(Http2Connection&) {
  if (!queue_.empty()) pool_->serve_queue(*this, pool_->timers_.now());
}

Lease ConnectionPool::try_lease(HostPool& host, ConnectionUse use, SteadyTime now, Duration patience) {
  if (host.is_first_under_way_) {
    wait_for_first(host, saturating_sum(now, patience));
    return {};
  }
  if (host.leased_ == 0 && saturating_difference(now, host.used_) >= remember_protocol) host.forget_protocol();
  if (is_shared(host)) {
    const auto is_same = [use](const PoolWait& wait) { return wait.use_ == use; };
    return std::any_of(host.queue_.begin(), host.queue_.end(), is_same) ? Lease() : lease_shared(host, use, now);
  }
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
  if (host.leased_ >= max_per_host_) return {};
  Lease lease = grant_dial(host);
  lease.use_ = use;
  return lease;
}

void ConnectionPool::join(HostPool& host, PoolWait& wait, SteadyTime now) noexcept {
  wait.since_ = now;
  host.queue_.push_back(wait);
}

void ConnectionPool::serve_queue(HostPool& host, SteadyTime now) {
  if (!host.is_first_under_way_ && is_shared(host)) return serve_shared(host, now);
  while (!host.queue_.empty() && host.leased_ < max_per_host_ && !host.is_first_under_way_) {
    PoolWait& wait = host.queue_.front();
    host.queue_.pop_front();
    ConnectionPtr connection;
    while (!host.idle_.empty() && !connection) {
      connection = std::move(host.idle_.back());
      host.idle_.pop_back();
      if (saturating_difference(now, connection->idle_since) >= max_idle_time_ || !connection->is_quiet()) connection.reset();
    }
    const Duration waited = wait.lease.waited_;
    wait.lease = connection ? Lease(host, std::move(connection)) : grant_dial(host);
    wait.lease.waited_ = waited;
    wait.lease.use_ = wait.use_;
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
  if (oldest) {
    oldest->idle_.erase(oldest->idle_.begin());
    return;
  }
  for (auto& [origin, host] : hosts_) host->shared_.sweep(timers_.now(), Duration::zero());
}

void ConnectionPool::sweep(SteadyTime now) {
  next_sweep_ = saturating_sum(now, max_idle_time_ / 2);
  std::size_t remembered = 0;
  for (auto at = hosts_.begin(); at != hosts_.end();) {
    HostPool& host = *at->second;
    const auto fresh = std::find_if(host.idle_.begin(), host.idle_.end(), [&](const ConnectionPtr& connection) {
      return saturating_difference(now, connection->idle_since) < max_idle_time_;
    });
    host.idle_.erase(host.idle_.begin(), fresh);
    host.shared_.sweep(now, max_idle_time_);
    const bool is_used = !host.idle_.empty() || host.leased_ > 0 || !host.queue_.empty() || !host.shared_.empty();
    const bool is_remembered =
        host.protocol_ && saturating_difference(now, host.used_) < remember_protocol && ++remembered <= max_remembered;
    at = !is_used && !is_remembered ? hosts_.erase(at) : std::next(at);
  }
}

void ConnectionPool::close() {
  is_closed_ = true;
  const SteadyTime now = timers_.now();
  for (auto& [origin, host] : hosts_) {
    host->idle_.clear();
    host->shared_.sweep(now, Duration::zero());
  }
}

void ConnectionPool::abandon() noexcept {
  for (auto& [origin, host] : hosts_) host->shared_.abandon();
}

}  // namespace rollcall
