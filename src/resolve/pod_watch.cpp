#include "resolve/pod_watch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "async/api_client.hpp"
#include "async/call_scope.hpp"
#include "async/runtime_impl.hpp"
#include "async/waiter.hpp"
#include "core/text.hpp"
#include "core/url.hpp"
#include "parse/limits.hpp"
#include "resolve/follow.hpp"
#include "resolve/parser_sink.hpp"

namespace rollcall {
namespace {

constexpr Duration stream_grace = std::chrono::seconds(30);  // a stream that outlives its time by so much is stuck
constexpr std::chrono::seconds shortest_stream{300};         // as client-go: asked to end after five to ten minutes
constexpr std::chrono::seconds longest_stream{600};
constexpr int most_empty_streams = 3;  // some servers end a stream from a version that is too old, and never say so

class EventSink final : public BodySink {
 public:
  EventSink(std::size_t max_line, std::function<void()> on_begin, WatchLines::Consumer consumer)
      : max_line_(max_line), on_begin_(std::move(on_begin)), consumer_(std::move(consumer)), lines_(max_line) {}
  void restart() override { lines_ = WatchLines(max_line_); }
  void begin() override { on_begin_(); }
  Result<void> take(std::string_view piece) override { return lines_.feed(piece, consumer_); }

 private:
  std::size_t max_line_;
  std::function<void()> on_begin_;
  WatchLines::Consumer consumer_;
  WatchLines lines_;
};

// True if both are numbers and `a` is the lower: servers from 1.35 on promise that versions count up. Source: KEP-5504.
bool is_older_version(std::string_view a, std::string_view b) {
  const auto is_number = [](std::string_view text) {
    return !text.empty() && text.front() != '0' && std::all_of(text.begin(), text.end(), is_digit);
  };
  if (!is_number(a) || !is_number(b)) return false;
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

}  // namespace

PodWatch::PodWatch(Call& call, const KubernetesServer& server, const KubernetesOptions& options, std::string name_space,
                   std::string selector, StatusFeed& feed, std::function<void()> on_change)
    : call_(call), server_(server), options_(options), name_space_(std::move(name_space)), selector_(std::move(selector)), feed_(feed),
      on_change_(std::move(on_change)) {}

PodPointers PodWatch::pods() const {
  PodPointers pods;
  pods.reserve(pods_.size());
  for (const auto& [name, pod] : pods_) pods.push_back(&pod);
  return pods;
}

asio::awaitable<Result<void>> PodWatch::run() {
  for (;;) {
    Result<void> listed = co_await list();
    if (!listed) {
      listed = co_await after(listed.error(), list_failures_);
      if (!listed) co_return listed.error();
      continue;
    }
    for (Next next = Next::watch_on; next == Next::watch_on;) {
      const Result<Next> ended = co_await watch();
      if (ended) {
        next = *ended;
        continue;
      }
      const Result<void> patient = co_await after(ended.error(), stream_failures_);
      if (!patient) co_return patient.error();
      if (stream_failures_ >= most_empty_streams) next = Next::list_anew;
    }
  }
}

asio::awaitable<Result<void>> PodWatch::list() {
  auto script = [this](Call& inner) { return list_pods(inner, server_, options_, name_space_, selector_, PodDetail::readiness); };
  CallOptions options = question_options(call_);
  Result<FoundPods> page = co_await run_call<FoundPods>(call_.impl().shared_from_this(), std::move(options),
                                                        CallSubject("list of pods with " + quoted(selector_, 200)), std::move(script));
  if (!page) co_return page.error();
  pods_.clear();
  for (FoundPod& pod : page->pods) {
    std::pair<std::string, std::string> name(pod.name_space, pod.name);
    pods_.insert_or_assign(std::move(name), std::move(pod));
  }
  version_ = std::move(page->resource_version);
  is_known_ = true;
  list_failures_ = 0;
  trouble_.reset();
  on_change_();
  co_return Result<void>();
}

asio::awaitable<Result<PodWatch::Next>> PodWatch::watch() {
  Runtime::Impl& impl = call_.impl();
  const auto span = static_cast<double>((longest_stream - shortest_stream).count());
  const std::chrono::seconds time = shortest_stream + std::chrono::seconds(static_cast<std::int64_t>(span * impl.uniform()));
  stream_error_.reset();
  events_ = 0;
  const SteadyTime started = impl.time->now();
  auto script = [this, time](Call& inner) { return watch_pods(inner, time); };
  CallOptions options = call_.options();
  options.timeout(time + 2 * stream_grace).retry(RetryPolicy().max_retries(0));
  const Result<void> ended = co_await run_call<void>(impl.shared_from_this(), std::move(options),
                                                     CallSubject("watch of pods with " + quoted(selector_, 200)), std::move(script));
  const bool is_short = impl.time->now() - started < std::chrono::seconds(1);
  if (events_ > 0) stream_failures_ = senseless_ = 0;
  if (stream_error_) {
    constexpr int gone = 410;
    const bool is_too_old = stream_error_->code == gone;
    // A list from which the watch cannot go on at once would otherwise be asked for again and again.
    if (++stream_failures_ > 1 || !is_too_old) {
      tell_trouble(Failure(Errc::unavailable, fmt::format("the watch of pods ended: {}", describe(*stream_error_))));
      const Result<void> slept = co_await pause(stream_failures_, stream_error_->retry_delay.value_or(Duration(0)));
      if (!slept) co_return slept.error();
    }
    co_return is_too_old || stream_failures_ >= most_empty_streams ? Next::list_anew : Next::watch_on;
  }
  if (!ended) co_return ended.error();
  if (events_ == 0 && is_short) {
    const Result<void> slept = co_await pause(++stream_failures_, Duration(0));
    if (!slept) co_return slept.error();
  } else {
    stream_failures_ = 0;
    end_trouble();
  }
  co_return stream_failures_ >= most_empty_streams ? Next::list_anew : Next::watch_on;
}

asio::awaitable<Result<void>> PodWatch::watch_pods(Call& inner, std::chrono::seconds time) {
  ApiRequest request = pods_request(server_, name_space_, selector_);
  fmt::format_to(std::back_inserter(request.http.url.target), "&watch=1&allowWatchBookmarks=true&timeoutSeconds={}&resourceVersion={}",
                 time.count(), percent_encode_path_segment(version_));
  request.exchange.response_timeout = time + stream_grace;
  request.takes_place = false;
  const ParseLimits limits = parse_limits(inner.impl().limits);
  const auto on_line = [this, &limits](std::string_view line) -> Result<void> {
    const Result<WatchEvent> event = parse_watch_event(line, limits);
    return event ? take(*event) : Result<void>(event.error());
  };
  // A server that can be asked again says so by its answer: where pods stand still nothing may come for minutes.
  const auto on_begin = [this] { end_trouble(); };
  EventSink sink(inner.impl().limits.max_body_bytes, on_begin, on_line);
  const Result<HttpResponse> response = co_await api_stream(inner, request, sink, std::numeric_limits<std::size_t>::max());
  if (!response && !stream_error_) co_return explained_pods(response.error(), server_, name_space_, "watch");
  co_return Result<void>();
}

Result<void> PodWatch::take(const WatchEvent& event) {
  if (event.type == WatchEventType::other) return {};
  if (event.type == WatchEventType::error) {
    stream_error_ = event.status;
    return Failure(Errc::unavailable, "the watch ended with an error");
  }
  ++events_;
  end_trouble();
  version_ = event.resource_version.empty() ? version_ : event.resource_version;
  if (event.type == WatchEventType::bookmark) return {};
  Pod pod = event.pod;
  std::pair<std::string, std::string> name(pod.name_space, pod.name);
  const auto known = pods_.find(name);
  if (event.type == WatchEventType::deleted || pod.is_leaving) {
    if (known == pods_.end()) return {};
    pods_.erase(known);
  } else {
    FoundPod found = found_pod(pod, options_.address(), options_.family());
    if (known != pods_.end() && known->second.uid == found.uid && is_older_version(found.version, known->second.version)) return {};
    if (known == pods_.end() && pods_.size() >= parse_limits(call_.impl().limits).max_nodes) {
      return Failure(Errc::limit_exceeded, "the watch tells of too many pods");
    }
    pods_.insert_or_assign(std::move(name), std::move(found));
  }
  on_change_();
  return {};
}

void PodWatch::tell_trouble(const Failure& failure) {
  trouble_ = failure;
  feed_.report_trouble(failure);
}

// Pods that stand still report nothing by themselves.
void PodWatch::end_trouble() {
  if (!trouble_) return;
  trouble_.reset();
  on_change_();
}

asio::awaitable<Result<void>> PodWatch::after(Failure failure, int& failures) {
  const bool goes_on = may_pass(failure) || (is_senseless(failure) && ++senseless_ < most_senseless);
  if (!goes_on) co_return failure;
  tell_trouble(failure);
  const Result<void> slept = co_await pause(++failures, Duration(0));
  co_return slept;
}

// 0.8 s, twice as long each time up to 30 s, and up to twice that by chance. Source: client-go's reflector.
asio::awaitable<Result<void>> PodWatch::pause(int failures, Duration at_least) {
  Runtime::Impl& impl = call_.impl();
  const int doublings = std::clamp(failures - 1, 0, 6);
  const Duration base = std::min<Duration>(std::chrono::milliseconds(800) * (1 << doublings), std::chrono::seconds(30));
  const auto jitter = std::chrono::duration_cast<Duration>(base * impl.uniform());
  const bool is_awake = co_await sleep_until(*impl.timers, impl.time->now() + std::max(base + jitter, at_least));
  if (!is_awake) co_return Failure(Errc::cancelled, "cancelled between two watches");
  co_return Result<void>();
}

}  // namespace rollcall
