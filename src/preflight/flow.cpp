#include "preflight/flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.hpp"
#include "call/call_scope.hpp"

namespace rollcall::preflight {
namespace {

constexpr std::size_t chunk_bytes = 256 * 1024;
constexpr std::size_t digits_of_number = 16;
constexpr std::size_t end_bytes = 2 * digits_of_number;  // the window, and the part of it that the network took, in microseconds
constexpr std::size_t max_flow_bytes = std::size_t{1} << 40;

std::optional<std::int64_t> read_digits(std::string_view digits) {
  std::int64_t number = 0;
  for (const char c : digits) {
    const int digit = hex_value(c);
    if (digit < 0 || number >> 50 != 0) return std::nullopt;
    number = number << 4 | digit;
  }
  return number;
}

// Counts what comes, from the first piece on, and keeps the last bytes.
class FlowSink final : public BodySink {
 public:
  explicit FlowSink(const TimeSource& time) : time_(time) {}
  void restart() override {
    first_.reset();
    bytes_ = 0;
    end_.clear();
  }
  Result<void> take(std::string_view piece) override {
    last_ = time_.now();
    if (first_) {
      bytes_ += piece.size();
    } else {
      first_ = last_;
    }
    end_.append(piece.substr(piece.size() - std::min(piece.size(), end_bytes)));
    if (end_.size() > end_bytes) end_.erase(0, end_.size() - end_bytes);
    return {};
  }
  /// Absent: it was no flow, or too short.
  std::optional<BandwidthMeasure> measure() const {
    if (!first_ || last_ - *first_ < std::chrono::milliseconds(1) || end_.size() != end_bytes) return std::nullopt;
    const std::optional<std::int64_t> window = read_digits(std::string_view(end_).substr(0, digits_of_number));
    const std::optional<std::int64_t> of_network = read_digits(std::string_view(end_).substr(digits_of_number));
    if (!window || !of_network) return std::nullopt;
    BandwidthMeasure measure;
    const double seconds = std::chrono::duration<double>(last_ - *first_).count();
    measure.bytes_per_second = static_cast<std::int64_t>(static_cast<double>(bytes_) / seconds);
    measure.is_of_network = *of_network * 2 >= *window;
    return measure;
  }

 private:
  const TimeSource& time_;
  std::optional<SteadyTime> first_;
  SteadyTime last_{};
  std::size_t bytes_ = 0;
  std::string end_;
};

std::int64_t in_microseconds(Duration duration) {
  return std::max<std::int64_t>(std::chrono::duration_cast<std::chrono::microseconds>(duration).count(), 0);
}

}  // namespace

asio::awaitable<void> send_flow(ServerExchange& exchange, const TimeSource& time) {
  HttpResponse head;
  head.status = 200;
  head.headers.add("Content-Type", "application/octet-stream");
  const std::string chunk(chunk_bytes, 'x');
  const SendingTimes before = exchange.sending_times();
  const SteadyTime begun = time.now();
  bool is_there = co_await exchange.start_chunks(head);
  while (is_there && time.now() - begun < flow_window) is_there = co_await exchange.write_chunk(chunk);
  if (!is_there) co_return;
  const SendingTimes after = exchange.sending_times();
  // A buffer that is full is not counted: behind a slow link of this host it is full of what waits for that.
  const Duration of_network = after.busy - before.busy - (after.by_receiver - before.by_receiver);
  const std::string end = fmt::format("{:016x}{:016x}", in_microseconds(time.now() - begun), in_microseconds(of_network));
  is_there = co_await exchange.write_chunk(end);
  if (is_there) is_there = co_await exchange.end_chunks();
  static_cast<void>(is_there);
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
