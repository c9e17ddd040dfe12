#include "fleet/client/remote_servers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/ip.hpp"
#include "base/path_text.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "base/url.hpp"
#include "call/large_answer.hpp"
#include "call/parser_sink.hpp"
#include "call/runtime_impl.hpp"
#include "fleet/client/rules/fleet_service.hpp"
#include "fleet/wire/body_bounds.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_servers = 64;
constexpr int unauthorized = 401;
constexpr int forbidden = 403;
constexpr int too_many_requests = 429;
constexpr int service_unavailable = 503;

// The milliseconds or seconds in a header; none: it is missing or malformed.
template <class Unit>
std::optional<Duration> duration_in(const HttpResponse& response, std::string_view name) {
  const auto text = response.headers.get(name);
  if (!text) return std::nullopt;
  constexpr std::int64_t max = std::chrono::duration_cast<Unit>(std::chrono::hours(24 * 366)).count();
  const auto number = parse_decimal<std::int64_t>(trim(*text), 0, max);
  return number ? std::optional<Duration>(Unit(*number)) : std::nullopt;
}

// Without an age, an old answer could be taken for a new one.
Failure ageless(std::string_view what) {
  return Failure(Errc::malformed_response, fmt::format("{} does not say how old its answer is", what))
      .with_hint("a proxy in between has to leave the header Rollcall-Age-Ms, and may keep no answers");
}

// Reads a server's refusal, in its own words if it has some.
void take_refusal(ServerAnswer& refused, const HttpResponse& answer, const ParseLimits& limits) {
  constexpr int not_modified = 304;
  refused = ServerAnswer();
  refused.is_unauthenticated = answer.status == unauthorized;
  refused.retry_after = duration_in<std::chrono::seconds>(answer, "retry-after");
  if (answer.status == not_modified) {
    refused.sent = SentState::unchanged;
    refused.age = duration_in<std::chrono::milliseconds>(answer, "rollcall-age-ms");
    return;
  }
  Result<fleet::FailureDocument> sent = fleet::parse_failure_body(answer.body, limits);
  if (!sent) return;  // the page of a proxy, or of another kind of server
  refused.failure = std::move(sent->failure);
  const bool is_refusal = answer.status == unauthorized || answer.status == forbidden;
  // A server that is busy says nothing about the question, with any code: another server has room, or this one has later.
  const bool is_busy = answer.status == too_many_requests || answer.status == service_unavailable;
  refused.sent = is_refusal                                        ? SentState::refusal
                 : is_busy || is_transient(refused.failure.code()) ? SentState::patience
                                                                   : SentState::failure;
}

std::size_t max_bytes_from(const Call& call) { return std::max(impl_of(call).limits.max_body_bytes, fleet::max_body_bytes); }

bool is_configuration(const Failure& failure) {
  if (failure.last_status() == unauthorized || failure.last_status() == forbidden) return true;
  if (failure.last_status() != 0 || is_transient(failure.code()) || is_timeout(failure.code())) return false;
  return failure.code() != Errc::tls_failed && failure.code() != Errc::malformed_response && failure.code() != Errc::limit_exceeded;
}

Result<Url> read_root(std::string_view text) { return parse_api_root("this", text, "the address of a server"); }

// Decision: plain http to another machine is refused, even without a token: an attacker in between could name the addresses that
// programs are started with. If the launcher itself cannot use TLS, run a proxy on this machine that speaks TLS to the service.
bool is_in_clear(const Url& root) { return !root.is_https && !is_loopback(root.host); }

Failure refused_in_clear(const Url& root) {
  return Failure(Errc::refused_by_policy, fmt::format("{} is another machine, and over plain http a machine in between could read a token "
                                                      "and change the addresses in the answers",
                                                      root.origin()))
      .with_hint("use https; plain http is for addresses of this machine only (127.0.0.0/8, ::1), such as a proxy's that speaks TLS to it");
}

Result<std::vector<Url>> roots_of(const ServerOptions& options) {
  if (options.urls.size() > max_servers) return Failure(Errc::invalid_argument, fmt::format("more than {} servers are named", max_servers));
  std::vector<Url> roots;
  for (const std::string& url : options.urls) {
    Result<Url> root = read_root(url);  // a plain http URL of another machine is refused when it is used
    if (!root) return root.error();
    roots.push_back(std::move(*root));
  }
  return roots;
}

}  // namespace

ParseLimits served_limits(const Runtime::Impl& impl) {
  ParseLimits limits = parse_limits(impl);
  limits.max_document = std::max(limits.max_document, fleet::max_body_bytes);
  return limits;
}

Result<Url> parse_server_root(std::string_view text) {
  Result<Url> root = read_root(text);
  if (root && is_in_clear(*root)) return refused_in_clear(*root);
  return root;
}

Result<std::shared_ptr<RemoteServers>> RemoteServers::of(Runtime::Impl& impl) {
  if (impl.remote_servers) return impl.remote_servers;
  const Result<ServerOptions> options = impl.server ? Result<ServerOptions>(*impl.server) : server_options_of(*impl.environment);
  if (!options) return options.error();
  if (options->urls.empty()) return std::shared_ptr<RemoteServers>();
  Result<std::vector<Url>> roots = roots_of(*options);
  if (!roots) return roots.error();
  const auto first = static_cast<std::size_t>(impl.uniform() * static_cast<double>(roots->size()));
  impl.remote_servers = std::make_shared<RemoteServers>(*options, std::move(*roots), first);
  return impl.remote_servers;
}

Result<std::shared_ptr<RemoteServers>> RemoteServers::needed(Runtime::Impl& impl) {
  Result<std::shared_ptr<RemoteServers>> servers = of(impl);
  if (!servers || *servers) return servers;
  return Failure(Errc::failed_precondition, "no service is named that could be asked")
      .with_hint("set ROLLCALL_SERVER, as rollcall serve prints it");
}

RemoteServers::RemoteServers(ServerOptions options, std::vector<Url> roots, std::size_t first)
    : options_(std::move(options)), roots_(std::move(roots)),
      credentials_(options_.token_file.empty() ? nullptr : token_file(options_.token_file)), current_(first),
      loss_(options_.fallback, roots_.size()) {}

std::string RemoteServers::names() const {
  std::string text;
  for (const Url& root : roots_) text += (text.empty() ? "" : ", ") + root.origin();
  return text;
}

Result<ApiRequest> RemoteServers::request(Call& call, std::size_t server, const fleet::FleetQuestion& question,
                                          ServerAnswer& refused) const {
  return request_of_path(call, server, std::string(fleet::clusters_path) + question.to_text(), refused);
}

Result<ApiRequest> RemoteServers::request_of_path(Call& call, std::size_t server, std::string_view path_of_it,
                                                  ServerAnswer& refused) const {
  Runtime::Impl& impl = impl_of(call);
  if (is_in_clear(roots_[server])) return refused_in_clear(roots_[server]);
  ApiRequest request(roots_[server]);
  std::string& path = request.http.url.target;
  path.pop_back();
  path.append(path_of_it);
  if (!options_.ca_file.empty()) {
    constexpr std::size_t max_bytes = 1 << 20;
    Result<std::string> authorities = impl.files->read(options_.ca_file, max_bytes);
    if (!authorities) {
      Failure failure = authorities.error();
      failure.with_what("the servers' authorities cannot be read: " + failure.what());
      return failure;
    }
    auto access = std::make_shared<ServerAccess>();
    access->authorities = std::move(*authorities);
    access->authorities_from = "the CA file " + path_text(options_.ca_file);
    request.http.access = std::move(access);
  }
  request.service = &fleet_service;
  request.with_token = credentials_ != nullptr;
  request.credentials = credentials_;
  request.is_probe = true;  // the caller decides about the next server and the next try
  request.what = "the server " + roots_[server].origin();
  request.on_refusal = [&refused, limits = parse_limits(impl)](const HttpResponse& answer) { take_refusal(refused, answer, limits); };
  return request;
}

ServerAnswer RemoteServers::judge(const Failure& failure, ServerAnswer refused) {
  const bool is_cancelled = failure.code() == Errc::cancelled;
  if (refused.sent != SentState::silence && !is_cancelled) return refused;
  refused.failure = failure;
  refused.sent = is_cancelled || is_configuration(failure) ? SentState::refusal : SentState::silence;
  return refused;
}

asio::awaitable<ServerAnswer> RemoteServers::ask(Call& call, std::size_t server, fleet::FleetQuestion question,
                                                 std::optional<fleet::Position> known) {
  ServerAnswer answer;
  Result<ApiRequest> made = request(call, server, question, answer);
  if (!made) co_return judge(made.error(), std::move(answer));
  if (known) made->http.headers.add("If-None-Match", "\"" + known->to_text() + "\"");
  // A service may wait half a minute for its first poll; a server that hangs shall leave time for another one.
  constexpr Duration max = std::chrono::seconds(35);
  constexpr Duration shortest = std::chrono::seconds(10);
  const Duration left = saturating_difference(call.deadline(), impl_of(call).time->now());
  made->exchange.response_timeout = count() > 1 ? std::clamp<Duration>(left / 2, shortest, max) : max;
  Result<HttpResponse> response = co_await api_send_large(call, *made, max_bytes_from(call));
  if (!response) {
    answer = judge(response.error(), std::move(answer));
    if (answer.sent == SentState::unchanged && !known) {
      answer.sent = SentState::silence;
      answer.failure = Failure(Errc::malformed_response, made->what + " says that nothing has changed to one who knows nothing");
    } else if (answer.sent == SentState::unchanged && !answer.age) {
      answer.sent = SentState::silence;
      answer.failure = ageless(made->what);
    }
    co_return answer;
  }
  answer = ServerAnswer();  // of a token that has been replaced
  answer.sent = SentState::document;
  answer.body = std::move(response->body);
  answer.age = duration_in<std::chrono::milliseconds>(*response, "rollcall-age-ms");
  if (!answer.age) {
    answer.sent = SentState::silence;
    answer.failure = ageless(made->what);
  }
  if (const auto header = response->headers.get("rollcall-fallback")) {
    if (const auto fallback_schedule = fleet::FallbackSchedule::parse_header(*header)) loss_.note_sent_schedule(*fallback_schedule);
  }
  co_return answer;
}

asio::awaitable<ServerAnswer> RemoteServers::ask_path(Call& call, std::size_t server, std::string_view path) {
  ServerAnswer answer;
  Result<ApiRequest> made = request_of_path(call, server, path, answer);
  if (!made) co_return judge(made.error(), std::move(answer));
  constexpr Duration max = std::chrono::seconds(10);
  made->exchange.response_timeout = max;
  Result<HttpResponse> response = co_await api_send_large(call, *made, max_bytes_from(call));
  if (!response) co_return judge(response.error(), std::move(answer));
  answer = ServerAnswer();  // of a token that has been replaced
  answer.sent = SentState::document;
  answer.body = std::move(response->body);
  co_return answer;
}

void RemoteServers::note_answer(const Call& call, std::size_t server) {
  loss_.note_answer();
  if (chosen_ == server) return;
  chosen_ = current_ = server;
  const std::string origin = roots_[server].origin();
  impl_of(call).emit({.kind = EventKind::server_chosen, .call = call.id(), .subject = origin});
}

void RemoteServers::note_failure(const Call& call, std::size_t server, const Failure& failure) {
  loss_.note_failure(server, impl_of(call).time->now(), impl_of(call).uniform());
  leave(call, server, &failure);
}

void RemoteServers::note_move(const Call& call, std::size_t server) { leave(call, server, nullptr); }

void RemoteServers::leave(const Call& call, std::size_t server, const Failure* failure) {
  if (current_ == server) current_ = (server + 1) % roots_.size();
  if (chosen_ != server) return;
  chosen_.reset();
  const std::string origin = roots_[server].origin();
  impl_of(call).emit({.kind = EventKind::server_left, .call = call.id(), .subject = origin, .failure = failure});
}

Failure RemoteServers::lost(const std::string& who, const Failure& last) const {
  // The failure does not say for how long: a wait reports each change of its trouble.
  const bool is_named = roots_.size() == 1 && last.what().find(roots_.front().origin()) != std::string::npos;
  const std::string asked = is_named ? std::string() : fmt::format("asked {}; last: ", names());
  const bool is_too_much = last.code() == Errc::limit_exceeded;
  const std::string_view what = is_too_much ? "a server answers more than this program takes" : "no server answers";
  Failure failure(Errc::unreachable, fmt::format("{}: {}: {}{}", who, what, asked, last.what()));
  failure.with_hint("look after the servers, or set ROLLCALL_SERVER_FALLBACK=now to ask the cloud directly");
  failure.with_attempts(std::max(last.attempts(), 1));
  return failure;
}

}  // namespace rollcall
