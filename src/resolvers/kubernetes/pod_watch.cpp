#include "resolvers/kubernetes/pod_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "async/async_event.hpp"
#include "async/turns.hpp"
#include "base/backoff.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "base/url.hpp"
#include "call/api_client.hpp"
#include "call/call_scope.hpp"
#include "call/parser_sink.hpp"
#include "call/runtime_impl.hpp"
#include "json/limits.hpp"
#include "json/watch_lines.hpp"
#include "readiness/follow.hpp"
#include "resolvers/kubernetes/rules/container_causes.hpp"

namespace rollcall {
namespace {

constexpr Duration stream_grace = std::chrono::seconds(30);  // a stream that exceeds its time by more than this is stuck
constexpr std::chrono::seconds shortest_stream{300};         // as client-go: a stream is asked to end after five to ten minutes
constexpr std::chrono::seconds max_stream{600};
constexpr std::size_t map_overhead = 128;  // per pod in addition to the pod itself: the map's entry and the reference count
constexpr Duration between_streams = std::chrono::seconds(1);  // between the starts of two streams
constexpr int max_refused_streams = 3;
constexpr int max_empty_streams = 3;  // some servers end a stream whose version is too old without an error

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

// True if both are numbers and `a` is lower: servers from 1.35 on promise that versions increase. Source: KEP-5504.
bool is_older_version(std::string_view a, std::string_view b) {
  const auto is_number = [](std::string_view text) {
    return !text.empty() && text.front() != '0' && std::all_of(text.begin(), text.end(), is_digit);
  };
  return is_number(a) && is_number(b) && (a.size() != b.size() ? a.size() < b.size() : a < b);
}

// True if RBAC refuses the watch, or a proxy that does not support watches.
bool is_refusal(const Failure& failure) {
  constexpr int method_not_allowed = 405, not_implemented = 501;
  return failure.code() == Errc::permission_denied || failure.last_status() == method_not_allowed ||
         failure.last_status() == not_implemented;
}

}  // namespace

PodWatch::PodWatch(Call& call, const PodScope& scope, std::string selector, StatusObserver& observer, std::function<void()> on_change)
    : call_(call), scope_(scope), selector_(std::move(selector)), observer_(observer), on_change_(std::move(on_change)) {}

std::vector<std::shared_ptr<const FoundPod>> PodWatch::pods() const {
  std::vector<std::shared_ptr<const FoundPod>> pods;
  pods.reserve(pods_.size());
  for (const auto& [name, pod] : pods_) pods.push_back(pod);
  return pods;
}

asio::awaitable<Result<void>> PodWatch::run() {
  for (;;) {
    Result<void> listed = co_await list();
    if (!listed) {
      if (patience_.is_over(listed.error())) co_return listed.error();
      listed = co_await after(listed.error(), list_failures_);
      if (!listed) co_return listed.error();
      continue;
    }
    patience_.note_success();
    if (is_refused_) {
      const Duration pause = pace_.next(ClusterPhase::running, has_changed_, impl_of(call_).uniform());
      const bool is_awake = co_await sleep_until(*impl_of(call_).timers, impl_of(call_).time->now() + pause);
      if (!is_awake) co_return Failure(Errc::cancelled, "cancelled between two lists");
      continue;
    }
    for (Next next = Next::watch_on; next == Next::watch_on;) {
      const Result<Next> ended = co_await watch();
      if (ended) {
        next = *ended;
        continue;
      }
      const Failure failure = ended.error();
      if (failure.code() == Errc::cancelled) co_return failure;
      const Outlook outlook = outlook_of(failure);
      const bool is_unusable = outlook == Outlook::unconfirmed && ++malformed_ >= max_unconfirmed;
      // The next list shows whether the failure is permanent.
      const bool seems_lasting = outlook == Outlook::lasts || outlook == Outlook::passes_if_ever;
      if (outlook == Outlook::lasts && failure.last_status() < 400) co_return failure;  // not a refusal by the server
      if (is_refusal(failure) || is_unusable || (seems_lasting && ++refused_streams_ > max_refused_streams)) {
        take_refusal(failure);
        break;
      }
      const Result<void> patient = co_await after(failure, stream_failures_);
      if (!patient) co_return patient.error();
      const bool is_stuck = failure.code() == Errc::response_timeout;  // what it has kept back is in the list
      if (seems_lasting || is_stuck || stream_failures_ >= max_empty_streams) next = Next::relist;
    }
  }
}

asio::awaitable<Result<void>> PodWatch::list() {
  auto script = [this](Call& inner) {
    state_of(inner).asked_again_until = call_.deadline();
    return list_pods(inner, scope_, selector_, PodDetail::readiness);
  };
  CallOptions options = question_options(call_);
  const SteadyTime began = impl_of(call_).time->now();
  Result<FoundPods> page = co_await run_call<FoundPods>(impl_of(call_).shared_from_this(), std::move(options),
                                                        CallSubject("list of pods with " + quoted(selector_, 200)), std::move(script));
  if (!page) co_return page.error();
  Pods pods;
  MemoryShare memory(impl_of(call_).memory);
  has_changed_ = page->pods.size() != pods_.size();
  for (std::size_t taken = 1; !page->pods.empty(); ++taken, page->pods.pop_front()) {
    if (taken % steps_a_turn == 0) co_await next_turn();
    FoundPod& pod = page->pods.front();
    page->memory.give_back(memory_of(pod));
    if (is_refused_ && !has_changed_) {
      const auto known = pods_.find(Pods::key_type(pod.namespace_name, pod.name));
      has_changed_ = known == pods_.end() || known->second->uid != pod.uid || known->second->version != pod.version;
    }
    if (!keep(pods, memory, std::move(pod))) co_return too_much_memory("the list of pods", memory);
  }
  seen_at_ = began;
  pods_.swap(pods);
  std::swap(memory_, memory);
  version_ = std::move(page->resource_version);
  is_known_ = true;
  list_failures_ = 0;
  trouble_.reset();
  on_change_();
  while (!pods.empty()) {
    pods.erase(pods.begin(), std::next(pods.begin(), static_cast<std::ptrdiff_t>(std::min(pods.size(), steps_a_turn))));
    if (!pods.empty()) co_await next_turn();
  }
  co_return Result<void>();
}

// If listing is allowed but watching is not, changes are found by lists until the end: a right that is granted later helps the next
// command.
void PodWatch::take_refusal(const Failure& failure) {
  is_refused_ = true;
  Failure declared = failure;
  declared.with_what(
      fmt::format("changes as they happen, since the watch is refused: {}. They are listed every 2 to 30 s", failure.what()));
  const std::string subject = pods_request(scope_, std::string()).what;
  impl_of(call_).emit({.kind = EventKind::omitted, .call = call_.id(), .subject = subject, .failure = &declared});
}

asio::awaitable<Result<PodWatch::Next>> PodWatch::watch() {
  Runtime::Impl& impl = impl_of(call_);
  // Applies after every kind of end: a server may end each stream at once, after one event or none.
  if (opened_at_ && impl.time->now() < *opened_at_ + between_streams) {
    const bool is_rested = co_await sleep_until(*impl.timers, *opened_at_ + between_streams);
    if (!is_rested) co_return Failure(Errc::cancelled, "cancelled between two watches");
  }
  opened_at_ = impl.time->now();
  const auto span = static_cast<double>((max_stream - shortest_stream).count());
  const std::chrono::seconds time = shortest_stream + std::chrono::seconds(static_cast<std::int64_t>(span * impl.uniform()));
  stream_error_.reset();
  events_ = 0;
  auto script = [this, time](Call& inner) { return watch_pods(inner, time); };
  CallOptions options = call_.options();
  options.timeout(time + 2 * stream_grace).retry(RetryPolicy().max_retries(0));
  const Result<void> ended = co_await run_call<void>(impl.shared_from_this(), std::move(options),
                                                     CallSubject("watch of pods with " + quoted(selector_, 200)), std::move(script));
  const bool is_short = saturating_difference(impl.time->now(), *opened_at_) < between_streams;
  if (events_ > 0) stream_failures_ = refused_streams_ = malformed_ = 0;
  // The error of the stream's last event, or of the request itself.
  constexpr int gone = 410;
  const bool is_too_old = stream_error_ ? stream_error_->code == gone : !ended && ended.error().last_status() == gone;
  if (stream_error_ || is_too_old) {
    // Without this pause, a list from which the watch cannot continue would be requested again and again.
    if (++stream_failures_ > 1 || !is_too_old) {
      const std::string why = stream_error_ ? describe(*stream_error_) : ended.error().what();
      report_trouble(Failure(Errc::unavailable, fmt::format("the watch of pods ended: {}", why)));
      const Duration at_least = stream_error_ ? stream_error_->retry_delay.value_or(Duration(0)) : Duration(0);
      const Result<void> slept = co_await pause(stream_failures_, at_least);
      if (!slept) co_return slept.error();
    }
    co_return is_too_old || stream_failures_ >= max_empty_streams ? Next::relist : Next::watch_on;
  }
  if (!ended) co_return ended.error();
  if (events_ == 0 && is_short) {
    const Result<void> slept = co_await pause(++stream_failures_, Duration(0));
    if (!slept) co_return slept.error();
  } else {
    stream_failures_ = 0;
    end_trouble();
  }
  co_return stream_failures_ >= max_empty_streams ? Next::relist : Next::watch_on;
}

asio::awaitable<Result<void>> PodWatch::watch_pods(Call& inner, std::chrono::seconds time) {
  ApiRequest request = pods_request(scope_, selector_);
  request.http.url.target += fmt::format("&watch=1&allowWatchBookmarks=true&timeoutSeconds={}&resourceVersion={}", time.count(),
                                         percent_encode_path_segment(version_));
  request.exchange.response_timeout = time + stream_grace;
  request.counts_against_limit = false;
  const ParseLimits limits = parse_limits(impl_of(inner));
  const auto on_line = [this, &limits](std::string_view line) -> Result<void> {
    Result<WatchEvent> event = parse_watch_event(line, limits);
    return event ? take(*std::move(event)) : Result<void>(event.error());
  };
  // The answer itself shows that the server is reachable: if no pod changes, no event may come for minutes.
  const auto on_begin = [this] { end_trouble(); };
  EventSink sink(impl_of(inner).limits.max_body_bytes, on_begin, on_line);
  const Result<HttpResponse> response = co_await api_stream(inner, request, sink, std::numeric_limits<std::size_t>::max());
  if (!response && !stream_error_) co_return explained_pods(response.error(), scope_, "watch");
  co_return Result<void>();
}

Result<void> PodWatch::take(WatchEvent event) {
  if (event.type == WatchEventType::other) return {};
  if (event.type == WatchEventType::error) {
    stream_error_ = event.status;
    return Failure(Errc::unavailable, "the watch ended with an error");
  }
  ++events_;
  seen_at_ = impl_of(call_).time->now();
  end_trouble();
  version_ = event.resource_version.empty() ? version_ : event.resource_version;
  if (event.type == WatchEventType::bookmark) return {};
  const auto known = pods_.find(Pods::key_type(event.pod.namespace_name, event.pod.name));
  if (event.type == WatchEventType::deleted || (event.pod.is_leaving && event.pod.phase != "Running" && event.pod.phase != "Pending")) {
    if (known == pods_.end()) return {};
    drop(pods_, memory_, known);
  } else {
    FoundPod found = found_pod(event.pod, scope_.options.address(), scope_.options.family());
    if (known != pods_.end() && known->second->uid == found.uid && is_older_version(found.version, known->second->version)) return {};
    if (known != pods_.end()) keep_pull_words(found, *known->second);
    if (known == pods_.end() && pods_.size() >= ParseLimits().max_nodes)
      return Failure(Errc::limit_exceeded, "the watch has too many pods");
    const auto after = pods_.upper_bound(Pods::key_type(found.namespace_name, found.name));
    if (after != pods_.begin()) share_owner(found, *std::prev(after)->second);  // pods of one owner are next to each other
    if (!keep(pods_, memory_, std::move(found))) return too_much_memory("the watch of pods", memory_);
  }
  on_change_();
  return {};
}

bool PodWatch::keep(Pods& pods, MemoryShare& memory, FoundPod pod) {
  const auto known = pods.find(Pods::key_type(pod.namespace_name, pod.name));
  if (known != pods.end()) drop(pods, memory, known);
  if (!memory.charge(memory_of(pod) + map_overhead)) return false;
  // A server lists pods in this order, hence the hint.
  auto kept = std::make_shared<const FoundPod>(std::move(pod));
  pods.emplace_hint(pods.end(), Pods::key_type(kept->namespace_name, kept->name), std::move(kept));
  return true;
}

void PodWatch::drop(Pods& pods, MemoryShare& memory, Pods::iterator pod) {
  memory.give_back(memory_of(*pod->second) + map_overhead);
  pods.erase(pod);
}

void PodWatch::report_trouble(const Failure& failure) {
  trouble_ = failure;
  observer_.report_trouble(failure);
}

// Reports the unchanged pods again, since they cause no event by themselves.
void PodWatch::end_trouble() {
  if (!trouble_) return;
  trouble_.reset();
  on_change_();
}

asio::awaitable<Result<void>> PodWatch::after(Failure failure, int& failures) {
  report_trouble(failure);
  co_return co_await pause(++failures, Duration(0));
}

// 0.8 s, doubled each time up to 30 s, plus up to the same time at random. Source: client-go's reflector.
asio::awaitable<Result<void>> PodWatch::pause(int failures, Duration at_least) {
  Runtime::Impl& impl = impl_of(call_);
  const ExponentialBackoff backoff(std::chrono::milliseconds(800), std::chrono::seconds(30));
  const Duration delay = std::max(with_jitter(backoff.nth(failures - 1), 1, 1, impl.uniform()), at_least);
  const bool is_awake = co_await sleep_until(*impl.timers, saturating_sum(impl.time->now(), delay));
  if (!is_awake) co_return Failure(Errc::cancelled, "cancelled between two watches");
  co_return Result<void>();
}

}  // namespace rollcall
