#include "sim/serve/memory_transport.hpp"
#include "base/saturating.hpp"

#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>

#include <algorithm>

namespace rollcall::sim {

namespace {

Request to_request(const HttpRequest& http) {
  Request out;
  out.method = std::string(to_string(http.method));
  out.is_https = http.url.is_https;
  out.host = http.url.authority();
  out.target = http.url.target;
  out.headers = http.headers;
  out.headers.add("Accept-Encoding", "gzip");
  if (!http.bearer.empty()) out.headers.add("Authorization", "Bearer " + std::string(http.bearer.reveal()));
  out.body = http.body;
  return out;
}

std::size_t size_of(const HeaderList& headers) {
  std::size_t size = 0;
  headers.each([&size](std::string_view name, std::string_view value) { size += name.size() + value.size() + 4; });
  return size;
}

Failure unreachable(Phase phase, std::string what, const std::string& target) {
  return Failure(Errc::unreachable, std::move(what)).with_phase(phase).with_target(target);
}

Failure over_limit(std::string what, const std::string& target) {
  return Failure(Errc::limit_exceeded, std::move(what)).with_phase(Phase::response).with_target(target);
}

// The fault that ends an answer before its body.
std::optional<Failure> fault_of_head(const Reply& reply, std::size_t max_header_bytes, const std::string& target) {
  if (reply.fault.kind == FaultKind::refuse) return unreachable(Phase::connect, "connection refused", target);
  if (reply.fault.kind == FaultKind::reset) return unreachable(Phase::response, "connection reset by peer", target);
  if (reply.fault.kind == FaultKind::endless_header || size_of(reply.headers) > max_header_bytes)
    return over_limit("the answer's header is too large", target);
  if (reply.fault.kind == FaultKind::endless_chunk_extension) return over_limit("a chunk extension of the answer is too large", target);
  return std::nullopt;
}

}  // namespace

CloudTransport::CloudTransport(std::shared_ptr<Cloud> cloud, std::shared_ptr<TimeSource> time, asio::any_io_executor executor)
    : cloud_(std::move(cloud)), timers_(std::make_shared<TimerQueue>(std::move(time), std::move(executor))) {
  cloud_->start(timers_->now(), timers_->time().wall_now());
}

asio::awaitable<Result<void>> CloudTransport::pause(AsyncEvent& event, SteadyTime when, SteadyTime heard_at, const Bounds& bounds) {
  const SteadyTime silence_ends = bounds.silence > Duration(0) ? saturating_sum(heard_at, bounds.silence) : SteadyTime::max();
  const SteadyTime limit = std::min(bounds.deadline, silence_ends);
  if (!is_closed_ && when > now() && limit > now()) {
    struct Listing {
      std::set<AsyncEvent*>& all;
      AsyncEvent* event;
      ~Listing() { all.erase(event); }
    };
    waiting_.insert(&event);
    const Listing listing{waiting_, &event};
    const bool is_woken = co_await event.wait_until(*timers_, std::min(when, limit));
    if (!is_woken) co_return Failure(Errc::cancelled, "the request was cancelled").with_target(bounds.target);
  }
  if (is_closed_) co_return Failure(Errc::cancelled, "the transport was closed").with_target(bounds.target);
  if (now() >= limit && when > limit) {
    const bool is_deadline = bounds.deadline <= silence_ends;
    const Errc code = is_deadline ? Errc::deadline_exceeded : Errc::response_timeout;
    co_return Failure(code, is_deadline ? "the deadline passed" : "the server is silent")
        .with_phase(Phase::response)
        .with_target(bounds.target);
  }
  co_return Result<void>();
}

asio::awaitable<Result<Reply>> CloudTransport::ask(Request& request, const Bounds& bounds) {
  const SteadyTime asked_at = now();
  Reply reply = cloud_->handle(request, asked_at);
  const Duration delay = reply.delay;
  AsyncEvent event;
  const std::shared_ptr<void> subscription = reply.hold ? cloud_->subscribe([&event] { event.wake(); }) : nullptr;
  while (reply.hold) {
    const Result<void> paused = co_await pause(event, reply.hold->ask_again, asked_at, bounds);
    if (!paused) co_return paused.error();
    request.held = std::move(reply.hold);
    reply = cloud_->handle(request, now());
  }
  const Result<void> delayed = co_await pause(event, saturating_sum(now(), delay), asked_at, bounds);
  if (!delayed) co_return delayed.error();
  if (reply.fault.kind == FaultKind::stall && !reply.fault.bytes) {
    const Result<void> stalled = co_await pause(event, SteadyTime::max(), asked_at, bounds);
    if (!stalled) co_return stalled.error();
  }
  co_return reply;
}

asio::awaitable<Result<Reply>> CloudTransport::ask_more(Request request, Held held, SteadyTime heard_at, const Bounds& bounds) {
  AsyncEvent event;
  const std::shared_ptr<void> subscription = cloud_->subscribe([&event] { event.wake(); });
  const Result<void> paused = co_await pause(event, held.ask_again, heard_at, bounds);
  if (!paused) co_return paused.error();
  request.held = std::move(held);
  co_return cloud_->handle(request, now());
}

void CloudTransport::note(const HttpRequest& request) {
  Sent sent;
  sent.at = now();
  sent.method = std::string(to_string(request.method));
  sent.url = request.url.origin() + request.url.target;
  sent.headers = request.headers;
  sent.body = request.body;
  sent.has_bearer = !request.bearer.empty();
  sent_.push_back(std::move(sent));
}

void CloudTransport::choose_connection(const Url& url, ExchangeObserver* observer, bool is_refused) {
  const std::string origin = url.origin();
  const bool is_reused = known_origins_.contains(origin);
  if (observer) {
    observer->connection_chosen(is_reused);
    if (!is_reused) {
      observer->phase_started(Phase::connect);
      observer->phase_finished(Phase::connect);
    }
    if (!is_refused) observer->phase_started(Phase::response);
  }
  if (!is_refused) known_origins_.insert(origin);
}

asio::awaitable<Result<std::unique_ptr<HttpStream>>> CloudTransport::open(const HttpRequest& request, const ExchangeOptions& options) {
  auto ticket = std::make_unique<Ticket>(shared_from_this());
  const std::uint64_t number = ++calls_;
  if (is_recording_) note(request);
  const auto failing = failing_.find(number);
  if (failing != failing_.end()) {
    const Failure failure = failing->second;
    failing_.erase(failing);
    co_await asio::post(asio::use_awaitable);
    co_return failure;
  }
  Bounds bounds(options, request.url.without_query());
  choose_connection(request.url, options.observer, false);
  Request to_cloud = to_request(request);
  co_await asio::post(asio::use_awaitable);  // an answer never arrives in the same turn as its request
  Result<Reply> reply = co_await ask(to_cloud, bounds);
  if (options.observer) options.observer->phase_finished(Phase::response);
  if (!reply) co_return reply.error();
  if (auto fault = fault_of_head(*reply, options.max_header_bytes, bounds.target)) {
    known_origins_.erase(request.url.origin());
    co_return *fault;
  }
  co_return make_memory_stream(std::move(ticket), std::move(to_cloud), *std::move(reply), std::move(bounds));
}

asio::awaitable<Result<HttpResponse>> whole_answer(Result<std::unique_ptr<HttpStream>> stream) {
  if (!stream) co_return stream.error();
  HttpResponse response = (*stream)->head();
  while (true) {
    const Result<std::string_view> piece = co_await (*stream)->read();
    if (!piece) co_return piece.error();
    if (piece->empty()) break;
    response.body += *piece;
  }
  co_return response;
}

asio::awaitable<Result<HttpResponse>> CloudTransport::send(const HttpRequest& request, const ExchangeOptions& options) {
  Result<std::unique_ptr<HttpStream>> stream = co_await open(request, options);
  co_return co_await whole_answer(std::move(stream));
}

void CloudTransport::close() {
  is_closed_ = true;
  for (AsyncEvent* const event : waiting_) event->wake();
}

std::shared_ptr<MemoryTransport> make_memory_transport(std::shared_ptr<Cloud> cloud, std::shared_ptr<TimeSource> time,
                                                       asio::any_io_executor executor) {
  return std::make_shared<CloudTransport>(std::move(cloud), std::move(time), std::move(executor));
}

}  // namespace rollcall::sim
