#include "preflight/flow.hpp"

#include <fmt/format.h>

#include <optional>

#include "call/call_scope.hpp"

namespace rollcall::preflight {
namespace {

constexpr std::size_t chunk_bytes = 256 * 1024;
constexpr std::size_t max_flow_bytes = std::size_t{1} << 40;

std::int64_t rate_of(std::size_t bytes, Duration took) {
  return static_cast<std::int64_t>(static_cast<double>(bytes) / std::chrono::duration<double>(took).count());
}

// Counts what comes, from the first piece on.
class FlowSink final : public BodySink {
 public:
  explicit FlowSink(const TimeSource& time) : time_(time) {}
  void restart() override {
    first_.reset();
    bytes_ = 0;
  }
  Result<void> take(std::string_view piece) override {
    last_ = time_.now();
    if (first_) {
      bytes_ += piece.size();
    } else {
      first_ = last_;
    }
    return {};
  }
  /// Absent: it was no flow, or a short one, which a buffer could have held.
  std::optional<BandwidthMeasure> measure() const {
    if (!first_ || last_ - *first_ < flow_window / 4) return std::nullopt;
    BandwidthMeasure measure;
    measure.bytes_per_second = rate_of(bytes_, last_ - *first_);
    return measure;
  }

 private:
  const TimeSource& time_;
  std::optional<SteadyTime> first_;
  SteadyTime last_{};
  std::size_t bytes_ = 0;
};

}  // namespace

asio::awaitable<std::optional<SentFlow>> send_flow(ServerExchange& exchange, const TimeSource& time) {
  HttpResponse head;
  head.status = 200;
  head.headers.add("Content-Type", "application/octet-stream");
  const std::string chunk(chunk_bytes, 'x');
  const SendingTimes before = exchange.sending_times();
  const SteadyTime begun = time.now();
  std::size_t bytes = 0;
  bool is_there = co_await exchange.start_chunks(head);
  while (is_there && time.now() - begun < flow_window) {
    is_there = co_await exchange.write_chunk(chunk);
    bytes += chunk.size();
  }
  if (!is_there) co_return std::nullopt;
  const SendingTimes after = exchange.sending_times();
  const Duration took = time.now() - begun;
  // A buffer that is full is not counted: behind a slow link of this host it is full of what waits for that.
  const Duration of_network = after.busy - before.busy - (after.by_receiver - before.by_receiver);
  is_there = co_await exchange.end_chunks();
  if (!is_there) co_return std::nullopt;
  SentFlow flow;
  flow.bytes_per_second = rate_of(bytes, took);
  flow.is_of_network = of_network * 2 >= took;
  co_return flow;
}

asio::awaitable<Result<BandwidthMeasure>> receive_flow(Call& call, ApiRequest request) {
  FlowSink sink(*impl_of(call).time);
  const Result<HttpResponse> response = co_await api_stream(call, request, sink, max_flow_bytes);
  if (!response) co_return response.error();
  const std::optional<BandwidthMeasure> measure = sink.measure();
  if (!measure) co_return Failure(Errc::malformed_response, fmt::format("{}: it sent no flow", request.what));
  co_return *measure;
}

}  // namespace rollcall::preflight
