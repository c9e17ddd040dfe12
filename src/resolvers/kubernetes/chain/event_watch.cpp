#include "resolvers/kubernetes/chain/event_watch.hpp"

#include <fmt/format.h>

#include <limits>

#include "base/url.hpp"
#include "call/api_client.hpp"
#include "call/call_scope.hpp"
#include "call/parser_sink.hpp"
#include "call/runtime_impl.hpp"
#include "json/watch_lines.hpp"
#include "readiness/follow.hpp"

namespace rollcall {
namespace {

constexpr std::chrono::seconds event_stream_time{300};
constexpr std::chrono::seconds event_stream_grace{30};
constexpr Duration between_event_streams = std::chrono::seconds(10);
constexpr int max_event_failures = 3;  // in a row

class EventLines final : public BodySink {
 public:
  EventLines(std::size_t max_line, WatchLines::Consumer consumer) : max_line_(max_line), consumer_(std::move(consumer)), lines_(max_line) {}
  void restart() override { lines_ = WatchLines(max_line_); }
  Result<void> take(std::string_view piece) override { return lines_.feed(piece, consumer_); }

 private:
  std::size_t max_line_;
  WatchLines::Consumer consumer_;
  WatchLines lines_;
};

}  // namespace

asio::awaitable<Result<void>> EventWatch::run() {
  if (source_.namespace_name.empty()) co_return Result<void>();
  Runtime::Impl& impl = impl_of(call_);
  const bool is_started = co_await started_.wait();
  if (!is_started) co_return Failure(Errc::cancelled, "cancelled before a watch of events");
  Duration pause = patience;
  for (int failures = 0; failures < max_event_failures;) {
    const bool is_awake = co_await sleep_until(*impl.timers, impl.time->now() + pause);
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled between two watches of events");
    pause = between_event_streams;
    auto script = [this](Call& inner) { return stream(inner, event_stream_time); };
    CallOptions options = question_options(call_);
    options.timeout(event_stream_time + 2 * event_stream_grace).retry(RetryPolicy().max_retries(0));
    const Result<void> ended =
        co_await run_call<void>(impl.shared_from_this(), std::move(options), CallSubject("watch of events"), std::move(script));
    if (ended) {
      failures = 0;
      continue;
    }
    const Failure failure = ended.error();
    if (failure.code() == Errc::cancelled) co_return failure;
    if (failure.code() == Errc::permission_denied || failure.code() == Errc::not_found) break;
    ++failures;
  }
  co_return Result<void>();
}

asio::awaitable<Result<void>> EventWatch::stream(Call& inner, std::chrono::seconds time) {
  std::string path = fmt::format("api/v1/{}events?fieldSelector={}&watch=1&timeoutSeconds={}", namespace_path(source_.namespace_name),
                                 percent_encode_path_segment("type!=Normal"), time.count());
  ApiRequest request = chain_request(source_, std::move(path), "events in namespace " + source_.namespace_name);
  request.exchange.response_timeout = time + event_stream_grace;
  request.counts_against_limit = false;
  const ParseLimits limits = parse_limits(impl_of(inner));
  WatchLines::Consumer on_line = [this, &limits](std::string_view line) -> Result<void> {
    const Result<std::optional<KubeEvent>> event = parse_event_line(line, limits);
    if (!event) return event.error();
    if (*event) on_warning_(**event);
    return {};
  };
  EventLines sink(impl_of(inner).limits.max_body_bytes, std::move(on_line));
  const Result<HttpResponse> answer = co_await api_stream(inner, request, sink, std::numeric_limits<std::size_t>::max());
  if (!answer) co_return answer.error();
  co_return Result<void>();
}

}  // namespace rollcall
