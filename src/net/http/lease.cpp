// What an exchange does with its lease of a connection. ConnectionPool grants them.
#include <utility>

#include "net/http/pool.hpp"
#include "net/socket/descriptor.hpp"

namespace rollcall {

Lease::Lease(HostPool& host, ConnectionPtr connection) noexcept : host_(&host), connection_(std::move(connection)) { ++host.leased_; }

Lease::Lease(Lease&& other) noexcept
    : host_(std::exchange(other.host_, nullptr)), connection_(std::move(other.connection_)), shared_(std::move(other.shared_)),
      use_(other.use_), is_shared_dial_(std::exchange(other.is_shared_dial_, false)), waited_(other.waited_),
      is_first_(std::exchange(other.is_first_, false)), is_passed_on_(other.is_passed_on_), is_http1_only_(other.is_http1_only_) {}

Lease& Lease::operator=(Lease&& other) noexcept {
  if (this != &other) {
    drop();
    host_ = std::exchange(other.host_, nullptr);
    connection_ = std::move(other.connection_);
    shared_ = std::move(other.shared_);
    use_ = other.use_;
    is_shared_dial_ = std::exchange(other.is_shared_dial_, false);
    waited_ = other.waited_;
    is_first_ = std::exchange(other.is_first_, false);
    is_passed_on_ = other.is_passed_on_;
    is_http1_only_ = other.is_http1_only_;
  }
  return *this;
}

void Lease::note_protocol(Protocol protocol) {
  if (!host_ || !host_->is_https_) return;
  if (!host_->is_http1_only_) host_->protocol_ = protocol;
  if (!std::exchange(is_first_, false)) return;
  ConnectionPool& pool = *host_->pool_;
  const SteadyTime now = pool.timers_.now();
  ConnectionPool::end_first_dial(*host_, now);
  pool.serve_queue(*host_, now);
}

void Lease::set_shared(SharedConnections::Ptr connection) {
  if (!host_) return;
  if (std::exchange(is_shared_dial_, false)) host_->shared_.end_dial(use_);
  host_->shared_.add(use_, connection);
  connection->owner = host_;
  shared_ = std::move(connection);
}

void Lease::leave_http2() {
  if (host_) host_->leave_http2(true);
}

// A server of HTTP/2 alone may take the connection, choose nothing, and close it at the first request.
bool Lease::accepts_http1(bool is_chosen) {
  if (is_chosen || !is_http1_only_ || host_->is_http1_required_) return true;
  return !return_to_http2();
}

bool Lease::return_to_http2() {
  if (!host_ || !std::exchange(is_http1_only_, false)) return false;
  host_->return_to_http2();
  return true;
}

// What it has of the host's HTTP/2 connections.
void Lease::release(SteadyTime now) noexcept {
  if (std::exchange(is_shared_dial_, false)) host_->shared_.end_dial(use_);
  if (const SharedConnections::Ptr shared = std::move(shared_)) SharedConnections::give_back(shared, now);
}

void Lease::give_back(bool is_reusable) {
  if (!host_) return;
  release(host_->pool_->timers_.now());
  HostPool& host = *std::exchange(host_, nullptr);
  ConnectionPool& pool = *host.pool_;
  --host.leased_;
  ConnectionPtr connection = std::move(connection_);
  const SteadyTime now = pool.timers_.now();
  host.used_ = now;
  if (std::exchange(is_first_, false))
    is_passed_on_ ? ConnectionPool::pass_on_first_dial(host, now) : ConnectionPool::end_first_dial(host, now);
  const bool is_wanted = !pool.is_closed_ && (!host.queue_.empty() || host.idle_.size() < pool.max_idle_per_host_);
  const bool is_spared = pool.dialling_ == 0 || !host.queue_.empty() || !are_descriptors_used_up();
  if (is_reusable && connection && is_wanted && is_spared) {
    connection->idle_since = now;
    host.idle_.push_back(std::move(connection));
  }
  connection.reset();
  pool.serve_queue(host, now);
  const bool is_short = pool.dialling_ > 0 && host.is_http2() && are_descriptors_used_up();
  if (pool.is_closed_ || is_short || host.is_http1_only_) host.shared_.sweep(now, Duration::zero());
  if (now >= pool.next_sweep_) pool.sweep(now);
}

// Runs also when a suspended coroutine is destroyed together with its loop; waking another coroutine then would destroy that one's sockets
// after the loop's services. A posted handler that owns nothing is harmless then.
void Lease::drop() noexcept {
  if (!host_) return;
  release(host_->pool_->timers_.now());
  HostPool& host = *std::exchange(host_, nullptr);
  --host.leased_;
  connection_.reset();
  if (std::exchange(is_first_, false)) ConnectionPool::end_first_dial(host, host.pool_->timers_.now());
  if (!host.queue_.empty()) host.pool_->serve_all_later();
}

}  // namespace rollcall
