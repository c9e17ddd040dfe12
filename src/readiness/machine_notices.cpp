#include "readiness/follow.hpp"

#include <fmt/format.h>

#include <array>

#include "async/async_event.hpp"
#include "async/group.hpp"
#include "base/backoff.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "call/call_scope.hpp"
#include "call/runtime_impl.hpp"
#include "google/metadata_client.hpp"
#include "rollcall/cluster_change.hpp"

namespace rollcall {
namespace {

constexpr std::chrono::seconds poll_time{60};  // as Google's guest agent
constexpr std::chrono::seconds min_time{1};  // between two requests, unless the server held the answer that long

struct NoticeSource {
  std::string_view path;
  NoticeKind kind;
  std::string_view quiet;  // the value without an announcement
};
constexpr std::array<NoticeSource, 2> notice_sources = {
    {{"instance/preempted", NoticeKind::preemption, "FALSE"}, {"instance/maintenance-event", NoticeKind::maintenance, "NONE"}}};

class HeldAnswer {
 public:
  HeldAnswer() {}
  std::string value;
  std::string etag;
};

asio::awaitable<Result<HeldAnswer>> ask_held(Call& call, const NoticeSource& source, std::string etag) {
  Result<ApiRequest> request = metadata_request(impl_of(call), source.path);
  if (!request) co_return request.error();
  // A version that the server does not know is answered at once: this gives the first value.
  request->http.url.target +=
      fmt::format("?wait_for_change=true&timeout_sec={}&last_etag={}", poll_time.count(), etag.empty() ? "NONE" : etag);
  request->exchange.response_timeout = poll_time + std::chrono::seconds(10);
  request->counts_against_limit = false;
  Result<HttpResponse> response = co_await api_send(call, *request);
  if (!response) co_return response.error();
  HeldAnswer answer;
  answer.value = printable(trim(response->body), 200);
  const std::string_view tag = response->headers.get("etag").value_or("");
  const bool is_plain =
      !tag.empty() && tag.size() <= 64 && std::all_of(tag.begin(), tag.end(), [](char c) { return is_alnum(c) || c == '-'; });
  answer.etag = is_plain ? std::string(tag) : std::string();
  co_return answer;
}

// Only another value ends an announcement. A failure or an empty value means that the state is not known.
asio::awaitable<Result<void>> follow_source(Call& call, StatusObserver& observer, NoticeSource source) {
  Runtime::Impl& impl = impl_of(call);
  std::string etag;
  std::string last(source.quiet);
  ExponentialBackoff backoff(min_time, poll_time);
  for (;;) {
    auto script = [&source, &etag](Call& inner) { return ask_held(inner, source, etag); };
    CallOptions options = call.options();
    options.timeout(poll_time + std::chrono::seconds(20)).retry(RetryPolicy().max_retries(0));
    const SteadyTime asked = impl.time->now();
    const Result<HeldAnswer> answer = co_await run_call<HeldAnswer>(
        impl.shared_from_this(), std::move(options), CallSubject(fmt::format("metadata {}", source.path)), std::move(script));
    if (answer) {
      const bool is_news = !answer->etag.empty() && answer->etag != etag;
      const bool was_held = saturating_difference(impl.time->now(), asked) >= min_time;
      etag = answer->etag;
      if (answer->value != last && answer->value != source.quiet && !answer->value.empty()) {
        observer.report_notice(Notice(source.kind, std::string(own_machine_subject), answer->value));
      }
      if (!answer->value.empty()) last = answer->value;
      if (is_news || was_held) backoff.reset();
      if (was_held) continue;  // a server that does not hold its answers must not be asked in a tight loop, even if each answer is new
    } else if (answer.error().code() == Errc::cancelled) {
      co_return answer.error();
    } else if (answer.error().code() == Errc::not_found) {
      backoff.slow_down();  // GKE's server has no such key
    }
    const bool is_awake = co_await sleep_until(*impl.timers, saturating_sum(impl.time->now(), backoff.next()));
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled between two requests");
  }
}

// On a machine of Google's there is a server, which may be away or slow at first: it is tried until it answers.
asio::awaitable<Result<bool>> find_server(Call& call) {
  Runtime::Impl& impl = impl_of(call);
  ExponentialBackoff backoff(min_time, poll_time);
  for (;;) {
    const Result<bool> has_server = co_await probe_metadata(call);
    const bool is_over = !has_server || *has_server || !is_google_machine(impl);
    if (is_over) co_return has_server;
    const bool is_awake = co_await sleep_until(*impl.timers, saturating_sum(impl.time->now(), backoff.next()));
    if (!is_awake) co_return Failure(Errc::cancelled, "cancelled between two probes");
  }
}

}  // namespace

asio::awaitable<Result<void>> follow_machine_notices(Call& call, StatusObserver& observer) {
  if (!metadata_policy(*impl_of(call).environment).may_ask()) co_return Result<void>();
  const Result<bool> has_server = co_await find_server(call);
  if (!has_server || !*has_server) co_return Result<void>();
  std::vector<asio::awaitable<Result<void>>> sources;
  for (const NoticeSource& source : notice_sources) sources.push_back(follow_source(call, observer, source));
  co_return co_await join(std::move(sources));
}

}  // namespace rollcall
