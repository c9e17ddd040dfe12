// Takes connections in the place of the Slurm nodes at loopback addresses, and closes them at once.
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <asio/ip/tcp.hpp>
#include <map>

#include "net/socket/descriptor.hpp"
#include "sim/serve/socket_servers.hpp"

namespace rollcall::sim {

namespace {

using asio::ip::tcp;

bool is_loopback(const std::string& host) {
  std::error_code error;
  const asio::ip::address address = asio::ip::make_address(host, error);
  return !error && address.is_loopback();
}

class SlurmdPort : public std::enable_shared_from_this<SlurmdPort> {
 public:
  explicit SlurmdPort(const asio::any_io_executor& executor) : acceptor_(executor) {}

  bool open(const Endpoint& at) {
    std::error_code error;
    const tcp::endpoint place(asio::ip::make_address(at.host, error), *at.port);
    if (!error) error = open_tcp(place.protocol(), acceptor_);
    if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor_.bind(place, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (!error) wait();
    return !error;
  }
  void close() {
    std::error_code ignored;
    acceptor_.close(ignored);
  }

 private:
  void wait() {
    acceptor_.async_wait(tcp::acceptor::wait_read, [self = shared_from_this()](std::error_code error) {
      if (error || !self->acceptor_.is_open()) return;
      const int taken = ::accept4(self->acceptor_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (taken >= 0) ::close(taken);
      self->wait();
    });
  }

  tcp::acceptor acceptor_;
};

}  // namespace

class SlurmdPorts::Impl {
 public:
  asio::any_io_executor executor;
  std::shared_ptr<Cloud> cloud;
  std::shared_ptr<TimerQueue> timers;
  std::vector<Endpoint> own;
  std::map<std::string, std::shared_ptr<SlurmdPort>> ports;
  Timer timer;

  // A port that cannot be opened again stays closed until the script's next change.
  void follow_script() {
    const SteadyTime now = timers->now();
    for (const Endpoint& address : own) {
      const auto port = ports.find(address.to_text());
      const bool is_running = cloud->is_worker_running(address, now);
      if (is_running && port == ports.end()) {
        auto opened = std::make_shared<SlurmdPort>(executor);
        if (opened->open(address)) ports.emplace(address.to_text(), std::move(opened));
      } else if (!is_running && port != ports.end()) {
        port->second->close();
        ports.erase(port);
      }
    }
    timer.set(*timers, cloud->next_worker_change(now), [](void* impl) noexcept { static_cast<Impl*>(impl)->follow_script(); }, this);
  }

  void stop() {
    timer.cancel();
    for (const auto& [address, port] : ports) port->close();
    ports.clear();
  }
};

SlurmdPorts::SlurmdPorts(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SlurmdPorts::~SlurmdPorts() { stop(); }
void SlurmdPorts::stop() { impl_->stop(); }

Result<std::unique_ptr<SlurmdPorts>> SlurmdPorts::start(asio::any_io_executor executor, std::shared_ptr<Cloud> cloud,
                                                        std::shared_ptr<TimerQueue> timers) {
  constexpr std::size_t max_ports = 256;
  auto impl = std::make_unique<Impl>();
  for (Endpoint& address : cloud->slurmd_addresses()) {
    if (is_loopback(address.host)) impl->own.push_back(std::move(address));
  }
  if (impl->own.size() > max_ports) {
    return Failure(Errc::limit_exceeded,
                   fmt::format("more than {} Slurm nodes have addresses of this machine, a listener each: give others names", max_ports));
  }
  for (const Endpoint& address : impl->own) {
    const Result<void> is_free = check_free(executor, address.host, *address.port);
    if (!is_free) return is_free.error();
  }
  impl->executor = std::move(executor);
  impl->cloud = std::move(cloud);
  impl->timers = std::move(timers);
  impl->follow_script();
  return std::unique_ptr<SlurmdPorts>(new SlurmdPorts(std::move(impl)));
}

}  // namespace rollcall::sim
