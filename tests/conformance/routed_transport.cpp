#include "conformance/routed_transport.hpp"

#include <algorithm>

#include "async/async_event.hpp"

namespace rollcall::conformance {
namespace {

class RoutedTransport final : public HttpTransport {
 public:
  RoutedTransport(Routes routes, HttpScript& script, Traffic& traffic, std::shared_ptr<TimerQueue> timers,
                  std::vector<std::string> metadata_hosts)
      : routes_(std::move(routes)), script_(script), traffic_(traffic), timers_(std::move(timers)),
        metadata_hosts_(std::move(metadata_hosts)) {}

  asio::awaitable<Result<HttpResponse>> send(const HttpRequest& request, const ExchangeOptions& options) override {
    const std::uint64_t id = traffic_.next_id();
    const Traffic::Mark mark(traffic_.under_way(), id);
    const Way way = choose(request);
    const bool goes_on = co_await wait(way.delay, id);
    if (!goes_on) co_return Failure(Errc::cancelled, "cancelled").with_phase(Phase::connect);
    const HttpRequest marked = with_id(request, id);
    Result<HttpResponse> answer = co_await way.transport->send(marked, options);
    co_return answer;
  }

  asio::awaitable<Result<std::unique_ptr<HttpStream>>> open(const HttpRequest& request, const ExchangeOptions& options) override {
    const std::uint64_t id = traffic_.next_id();
    const Traffic::Mark mark(traffic_.under_way(), id);
    const Way way = choose(request);
    const bool goes_on = co_await wait(way.delay, id);
    if (!goes_on) co_return Failure(Errc::cancelled, "cancelled").with_phase(Phase::connect);
    const HttpRequest marked = with_id(request, id);
    Result<std::unique_ptr<HttpStream>> opened = co_await way.transport->open(marked, options);
    if (!opened) co_return opened.error();
    std::unique_ptr<HttpStream> stream = std::make_unique<Stream>(std::move(*opened), traffic_, id);
    co_return std::move(stream);
  }

  void close() override {
    routes_.live->close();
    routes_.refused->close();
    routes_.nameless->close();
  }

 private:
  // The time between two reads belongs to the reader.
  class Stream final : public HttpStream {
   public:
    Stream(std::unique_ptr<HttpStream> stream, Traffic& traffic, std::uint64_t id)
        : stream_(std::move(stream)), traffic_(traffic), id_(id) {}
    const HttpResponse& head() const override { return stream_->head(); }
    asio::awaitable<Result<std::string_view>> read() override {
      const Traffic::Mark mark(traffic_.under_way(), id_);
      Result<std::string_view> piece = co_await stream_->read();
      co_return piece;
    }

   private:
    std::unique_ptr<HttpStream> stream_;
    Traffic& traffic_;
    std::uint64_t id_;
  };

  class Way {
   public:
    explicit Way(HttpTransport* chosen) : transport(chosen) {}
    HttpTransport* transport;
    std::chrono::milliseconds delay{0};
  };

  static HttpRequest with_id(const HttpRequest& request, std::uint64_t id) {
    HttpRequest marked = request;
    marked.headers.add(traffic_header, std::to_string(id));
    return marked;
  }

  Way choose(const HttpRequest& request) {
    SeenRequest seen = SeenRequest::from(request);
    const std::optional<HttpScript::Pick> pick = script_.peek(seen);
    if (!pick) return Way(is_probe(seen) ? routes_.refused.get() : routes_.live.get());
    const Fault fault = pick->answer->fault;
    if (fault != Fault::connect_refused && fault != Fault::dns) return Way(routes_.live.get());
    seen.is_on_wire = false;
    script_.take(std::move(seen));
    Way way(fault == Fault::dns ? routes_.nameless.get() : routes_.refused.get());
    way.delay = pick->delay;
    return way;
  }

  bool is_probe(const SeenRequest& request) const {
    if (request.path != "/" && request.path != "/computeMetadata/v1" && request.path != "/computeMetadata/v1/") return false;
    return std::find(metadata_hosts_.begin(), metadata_hosts_.end(), request.host) != metadata_hosts_.end();
  }

  asio::awaitable<bool> wait(std::chrono::milliseconds delay, std::uint64_t id) {
    if (delay.count() == 0) co_return true;
    const Traffic::Mark mark(traffic_.delayed(), id);
    const bool is_over = co_await sleep_until(*timers_, timers_->now() + delay);
    co_return is_over;
  }

  Routes routes_;
  HttpScript& script_;
  Traffic& traffic_;
  std::shared_ptr<TimerQueue> timers_;
  std::vector<std::string> metadata_hosts_;
};

}  // namespace

std::shared_ptr<HttpTransport> make_routed_transport(Routes routes, HttpScript& script, Traffic& traffic,
                                                     std::shared_ptr<TimerQueue> timers, std::vector<std::string> metadata_hosts) {
  return std::make_shared<RoutedTransport>(std::move(routes), script, traffic, std::move(timers), std::move(metadata_hosts));
}

}  // namespace rollcall::conformance
