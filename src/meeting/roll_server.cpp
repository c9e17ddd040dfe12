#include "meeting/roll_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.hpp"

namespace rollcall::meeting {
namespace {

void put_hello(ApiRequest& request, const Hello& hello, Duration patience) {
  request.http.method = HttpMethod::put;
  request.http.body = write_hello(hello);
  request.http.headers.add("Content-Type", "application/json");
  request.counts_against_limit = false;
  request.is_probe = true;
  request.exchange.connect_timeout = std::min<Duration>(patience, std::chrono::seconds(3));
  request.exchange.resolve_timeout = request.exchange.connect_timeout;
  request.exchange.response_timeout = patience;
  request.exchange.max_body_bytes = 64 * 1024;
}

}  // namespace

asio::awaitable<Result<RollAnswer>> RollServer::ask(Call& call, std::string path, const Hello& hello, Duration patience) const {
  if (service_) return ask_service(call, std::move(path), hello, patience);
  return ask_task(call, std::move(path), hello, patience);
}

asio::awaitable<Result<RollAnswer>> RollServer::ask_task(Call& call, std::string path, const Hello& hello, Duration patience) const {
  ApiRequest request{Url()};
  request.http.url.host = at_.host;
  request.http.url.port = at_.port.value_or(0);
  request.http.url.target = std::move(path);
  put_hello(request, hello, patience);
  request.exchange.allow_proxy = false;
  request.what = fmt::format("the barrier at {}", name_);
  std::optional<std::string> other_place;
  request.on_refusal = [&other_place](const HttpResponse& refused) {
    if (refused.status == 409) other_place = printable(refused.body, 64);
  };
  const Result<HttpResponse> response = co_await api_send(call, request);
  if (other_place) co_return Failure(Errc::conflict, *other_place);
  if (!response) co_return response.error();
  co_return read_answer(response->body);
}

asio::awaitable<Result<RollAnswer>> RollServer::ask_service(Call& call, std::string path, const Hello& hello, Duration patience) const {
  ServerAnswer refused;
  Result<ApiRequest> request = service_->request_of_path(call, server_, path, refused);
  if (!request) co_return request.error();
  put_hello(*request, hello, patience);
  const Result<HttpResponse> response = co_await api_send(call, *request);
  if (response) co_return read_answer(response->body);
  const ServerAnswer answer = RemoteServers::judge(response.error(), std::move(refused));
  // In the words of the service, where it sent some.
  const bool is_of_service = answer.sent == SentState::failure || answer.sent == SentState::patience || answer.sent == SentState::refusal;
  if (is_of_service && response.error().code() != Errc::cancelled) co_return answer.failure;
  co_return response.error();
}

}  // namespace rollcall::meeting
