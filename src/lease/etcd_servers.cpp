// Decision: a server that hangs gets half of the time that is left, so that another one has a chance; the last one gets all of it.
#include "lease/etcd_servers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/ip.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "base/url.hpp"
#include "call/parser_sink.hpp"
#include "call/runtime_impl.hpp"

namespace rollcall::lease {
namespace {

constexpr std::size_t max_etcd_servers = 64;

// No server was reached, so none has done anything.
bool was_not_sent(const Failure& failure) {
  return failure.phase() == Phase::resolve || failure.phase() == Phase::connect || failure.phase() == Phase::handshake;
}

// Another server may do better. A question that was given up has waited long enough for this one.
bool is_fault_of_server(const Failure& failure) {
  const bool is_stopped = failure.code() == Errc::cancelled || failure.code() == Errc::deadline_exceeded;
  return is_stopped || is_transient(failure.code()) || is_timeout(failure.code()) || was_not_sent(failure);
}

Failure failure_of_refusal(const EtcdRefusal& refusal, std::string_view what, int status) {
  Failure failure(code_of(refusal), fmt::format("{}: etcd says: {}", what, refusal.message));
  failure.with_last_status(status).with_phase(Phase::response);
  if (failure.code() == Errc::unauthenticated) failure.with_hint("look at the lease's user and password file");
  if (failure.code() == Errc::permission_denied) failure.with_hint("grant the lease's user a role that reads and writes the key");
  if (failure.code() == Errc::limit_exceeded)
    failure.with_hint("compact and defragment etcd, raise its --quota-backend-bytes, then disarm the alarm");
  return failure;
}

}  // namespace

EtcdServers::EtcdServers(EtcdLeaseOptions options, std::vector<Url> roots)
    : options_(std::move(options)), roots_(std::move(roots)), access_(options_.files, "the lease") {}

Result<std::unique_ptr<EtcdServers>> EtcdServers::make(EtcdLeaseOptions options) {
  if (options.endpoints.empty() || options.endpoints.size() > max_etcd_servers)
    return Failure(Errc::invalid_argument, fmt::format("the lease needs one to {} addresses of etcd servers", max_etcd_servers));
  if (options.user.empty() != options.password_file.empty())
    return Failure(Errc::invalid_argument, "the lease needs both a user and the file of the password, or neither");
  if (options.files.certificate.empty() && !options.files.key.empty())
    return Failure(Errc::invalid_argument, "the lease has the key of a client certificate, but no certificate");
  std::vector<Url> roots;
  for (const std::string& endpoint : options.endpoints) {
    Result<Url> root = parse_api_root("the lease", endpoint, "the address of an etcd server");
    if (!root) return root.error();
    // Replicas connect to the address in the record: on the way it must not be changed.
    if (!root->is_https && !is_loopback(root->host))
      return Failure(Errc::invalid_argument, fmt::format("the lease: what the services share{} would go to {} without encryption",
                                                         options.user.empty() ? "" : ", and a password,", root->origin()))
          .with_hint("use https; plain http is for addresses of this machine only (127.0.0.0/8, ::1)");
    roots.push_back(std::move(*root));
  }
  return std::make_unique<EtcdServers>(std::move(options), std::move(roots));
}

asio::awaitable<Result<std::string>> EtcdServers::ask(Call& call, const EtcdQuestion& question) {
  if (options_.user.empty()) co_return co_await ask_servers(call, question);
  const bool had_token = token_.has_value();
  Result<void> known;
  if (!had_token) known = co_await sign_in(call);
  if (!known) co_return known.error();
  Result<std::string> answer = co_await ask_servers(call, question);
  // Tokens end after some minutes without use, and with the server that gave them.
  if (answer || answer.error().code() != Errc::unauthenticated) co_return answer;
  token_.reset();
  if (!had_token) co_return answer;
  known = co_await sign_in(call);
  if (!known) co_return known.error();
  co_return co_await ask_servers(call, question);
}

// Also for a question that its call gives up.
class EtcdServers::Asked {
 public:
  Asked(EtcdServers& servers, std::size_t server) : servers_(servers), server_(server) {}
  ~Asked() {
    if (!has_answered && servers_.current_ == server_) servers_.leave_server();
  }
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;
  bool has_answered = false;

 private:
  EtcdServers& servers_;
  const std::size_t server_;
};

asio::awaitable<Result<std::string>> EtcdServers::ask_servers(Call& call, const EtcdQuestion& question) {
  for (std::size_t tried = 1;; ++tried) {
    const std::size_t server = current_;
    const bool is_last = tried == roots_.size();
    const Duration left = saturating_difference(call.deadline(), impl_of(call).time->now());
    Asked asked(*this, server);
    Result<std::string> answer = co_await ask_server(call, question, server, is_last ? left : left / 2);
    asked.has_answered = answer.has_value() || !is_fault_of_server(answer.error());
    if (asked.has_answered) co_return answer;
    Failure failure = answer.error();
    const bool is_stopped = failure.code() == Errc::cancelled || impl_of(call).time->now() >= call.deadline();
    const bool is_worth_another = question.is_repeatable || was_not_sent(failure);
    if (is_last || is_stopped || !is_worth_another) {
      if (tried > 1) failure.with_what(fmt::format("{} (the last of {} servers)", failure.what(), tried));
      co_return failure.with_attempts(static_cast<int>(tried));
    }
  }
}

asio::awaitable<Result<std::string>> EtcdServers::ask_server(Call& call, const EtcdQuestion& question, std::size_t server,
                                                             Duration patience) {
  Runtime::Impl& impl = impl_of(call);
  ApiRequest request(roots_[server]);
  request.http.method = HttpMethod::post;
  request.http.url.target.pop_back();
  request.http.url.target.append(question.path);
  request.http.headers.add("Content-Type", "application/json");
  request.http.body = question.body;
  request.http.is_repeatable = question.is_repeatable;
  if (token_ && !token_->empty()) {
    request.http.headers.add("Authorization", token_->reveal());
    request.secrets.push_back(*token_);
  }
  Result<std::shared_ptr<const ServerAccess>> by = access_.read(impl);
  if (!by) co_return by.error();
  request.http.access = std::move(*by);
  request.is_probe = true;  // the next server is for ask_servers()
  request.counts_against_limit = false;
  request.what = fmt::format("{} at {}", question.what, roots_[server].origin());
  if (!question.secret.empty()) request.secrets.push_back(question.secret);
  const ParseLimits limits = parse_limits(impl);
  std::optional<EtcdRefusal> refused;
  request.on_refusal = [&refused, &limits](const HttpResponse& answer) { refused = parse_etcd_refusal(answer.body, limits); };
  request.exchange.resolve_timeout = std::min(request.exchange.resolve_timeout, patience);
  request.exchange.connect_timeout = std::min(request.exchange.connect_timeout, patience);
  request.exchange.handshake_timeout = std::min(request.exchange.handshake_timeout, patience);
  request.exchange.response_timeout = question.is_repeatable ? patience : saturating_difference(call.deadline(), impl.time->now());
  Result<HttpResponse> answer = co_await api_send(call, request);
  if (answer) co_return std::move(answer->body);
  Failure failure = answer.error();
  if (refused) {
    failure = failure_of_refusal(*refused, request.what, failure.last_status());
    hide_secrets(request, failure);
  }
  co_return failure;
}

asio::awaitable<Result<void>> EtcdServers::sign_in(Call& call) {
  Result<std::string> file = read_settings_file(impl_of(call), options_.password_file, "the lease's password");
  if (!file) co_return file.error();
  const Secret<std::string> text(std::move(*file));
  const std::string_view first_line = text.reveal();
  const std::string_view password = trim(first_line.substr(0, first_line.find('\n')));
  const Secret<std::string> document = render_password(options_.user, password);
  EtcdQuestion question("/v3/auth/authenticate", std::string(document.reveal()), "signing in as " + quoted(options_.user, 64));
  question.secret = Secret<std::string>(std::string(password));
  question.is_repeatable = true;
  Result<std::string> answer = co_await ask_servers(call, question);
  if (!answer) {
    // As etcd's own clients: a user that is named before users are switched on is let in.
    const bool needs_none = answer.error().code() == Errc::failed_precondition &&
                            answer.error().what().find("authentication is not enabled") != std::string::npos;
    if (!needs_none) co_return answer.error();
    token_.emplace();
    co_return Result<void>();
  }
  Result<Secret<std::string>> token = parse_password_answer(*answer, parse_limits(impl_of(call)));
  if (!token) co_return token.error();
  token_ = std::move(*token);
  co_return Result<void>();
}

}  // namespace rollcall::lease
