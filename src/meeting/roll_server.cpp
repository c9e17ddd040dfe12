#include "meeting/roll_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "meeting/run_identity.hpp"

namespace rollcall::meeting {
namespace {

constexpr Duration max_connect_patience = std::chrono::seconds(3);

}  // namespace

RollServer::RollServer(std::shared_ptr<MemberCaller> caller, std::size_t place, std::string_view task, Endpoint at)
    : caller_(std::move(caller)) {
  request_.to = place;
  request_.at = std::move(at);
  request_.what = fmt::format("the barrier at {}", task);
}

asio::awaitable<Result<RollAnswer>> RollServer::ask(Call& call, std::string path, const Hello& hello, Duration patience) const {
  if (service_) return ask_service(call, std::move(path), hello, patience);
  return ask_task(call, std::move(path), hello, patience);
}

asio::awaitable<Result<RollAnswer>> RollServer::ask_task(Call& call, std::string path, const Hello& hello, Duration patience) const {
  MemberRequest request = request_;
  request.path = std::move(path);
  request.body = write_hello(hello);
  request.connect_patience = std::min(patience, max_connect_patience);
  request.resolve_patience = request.connect_patience;
  request.patience = patience;
  request.max_segment = small_segment;
  const Result<HttpResponse> response = co_await caller_->ask(call, request);
  if (!response) co_return response.error();
  if (response->status == 410) co_return Failure(Errc::not_ready, fmt::format("{}: the meeting is over", request.what));
  if (response->status == 409) co_return Failure(Errc::conflict, printable(response->body, 64));
  co_return read_answer(response->body);
}

asio::awaitable<Result<RollAnswer>> RollServer::ask_service(Call& call, std::string path, const Hello& hello, Duration patience) const {
  ServerAnswer refused;
  Result<ApiRequest> request = service_->request_of_path(call, server_, path, refused);
  if (!request) co_return request.error();
  request->http.method = HttpMethod::put;
  request->http.body = write_hello(hello);
  request->http.headers.add("Content-Type", "application/json");
  request->counts_against_limit = false;
  request->is_probe = true;
  request->exchange.connect_timeout = std::min(patience, max_connect_patience);
  request->exchange.resolve_timeout = request->exchange.connect_timeout;
  request->exchange.response_timeout = patience;
  request->exchange.max_body_bytes = 64 * 1024;
  const Result<HttpResponse> response = co_await api_send(call, *request);
  if (response) co_return read_answer(response->body);
  const ServerAnswer answer = RemoteServers::judge(response.error(), std::move(refused));
  // In the words of the service, where it sent some.
  const bool is_of_service = answer.sent == SentState::failure || answer.sent == SentState::patience || answer.sent == SentState::refusal;
  if (is_of_service && response.error().code() != Errc::cancelled) co_return answer.failure;
  co_return response.error();
}

}  // namespace rollcall::meeting
