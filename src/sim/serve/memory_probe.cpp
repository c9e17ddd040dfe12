// Ports tried without sockets: a TcpProbe over a Cloud.
#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>

#include "rollcall/sim/memory.hpp"

namespace rollcall::sim {
namespace {

class CloudProbe final : public TcpProbe, public std::enable_shared_from_this<CloudProbe> {
 public:
  CloudProbe(std::shared_ptr<Cloud> cloud, std::shared_ptr<TimeSource> time) : cloud_(std::move(cloud)), time_(std::move(time)) {
    cloud_->start(time_->now());
  }

  asio::awaitable<Result<void>> connect(const Endpoint& endpoint, SteadyTime) override {
    const auto self = shared_from_this();
    co_await asio::post(asio::use_awaitable);  // no answer arrives in the turn in which it was asked for
    if (cloud_->is_worker_running(endpoint, time_->now())) co_return Result<void>();
    co_return Failure(Errc::unreachable, "connection refused").with_phase(Phase::connect).with_target(endpoint.to_text());
  }

 private:
  std::shared_ptr<Cloud> cloud_;
  std::shared_ptr<TimeSource> time_;
};

}  // namespace

std::shared_ptr<TcpProbe> make_memory_tcp_probe(std::shared_ptr<Cloud> cloud, std::shared_ptr<TimeSource> time) {
  return std::make_shared<CloudProbe>(std::move(cloud), std::move(time));
}

}  // namespace rollcall::sim
