// Calls whose time ends while a connection is being opened: the message names the phase and the reason.
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <functional>

#include "rollcall/testing/fake_time.hpp"
#include "rollcall/tpu_resolver.hpp"
#include "support/no_descriptors.hpp"
#include "support/peers.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {

class Asked {
 public:
  explicit Asked(const std::string& endpoint) {
    RuntimeOptions options;
    options.time = time_;
    options.environment = fixed_environment({});
    options.credentials = static_token(Secret<std::string>("token"));
    TpuOptions tpu("trainer");
    tpu.project("p").zone("z").endpoint(endpoint);
    const auto resolver = make_tpu_resolver(Runtime(io_.get_executor(), std::move(options)), std::move(tpu));
    CallOptions call;
    call.timeout(2s);
    asio::co_spawn(io_, resolver->try_cluster_spec(call),
                   [this](std::exception_ptr, Result<ClusterSpec> result) { answer_.emplace(std::move(result)); });
  }

  // Time advances when no event is pending.
  Failure failure() {
    int idle = 0;
    while (!answer_) {
      io_.restart();
      idle = io_.poll() == 0 ? idle + 1 : 0;
      if (idle < 20) continue;
      const auto next = time_->next_alarm();
      REQUIRE(next.has_value());
      time_->advance_to(*next);
      idle = 0;
    }
    REQUIRE(answer_->has_error());
    UNSCOPED_INFO(answer_->error().message());
    return answer_->error();
  }

 private:
  asio::io_context io_{1};
  asio::ip::tcp::socket first_{io_};  // opens Asio's own descriptors before the shortage
  std::shared_ptr<FakeTime> time_ = std::make_shared<FakeTime>();
  std::optional<Result<ClusterSpec>> answer_;
};

}  // namespace

TEST_CASE("a silent TLS peer is reported when the call's time ends") {
  const MutePeer mute;
  const Failure failure = Asked("https://127.0.0.1:" + std::to_string(mute.port()) + "/").failure();
  CHECK(failure.code() == Errc::deadline_exceeded);
  CHECK(failure.phase() == Phase::handshake);
}

TEST_CASE("a shortage of descriptors is reported when the call's time ends") {
  if (NoDescriptors::is_sanitized) return;
  Asked asked("http://127.0.0.1:9/");
  Failure failure;
  {
    const NoDescriptors shortage;
    failure = asked.failure();
  }
  CHECK(failure.code() == Errc::deadline_exceeded);
  CHECK(failure.hint().find("ulimit -n") != std::string::npos);
}
