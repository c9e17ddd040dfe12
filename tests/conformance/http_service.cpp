#include "conformance/http_service.hpp"

#include <stdexcept>

#include "async/async_event.hpp"
#include "base/text.hpp"

namespace rollcall::conformance {
namespace {

std::uint16_t port_of(const Result<std::uint16_t>& listening) {
  if (!listening) throw std::runtime_error(listening.error().message());
  return *listening;
}

std::uint64_t id_of(const ServerRequest& request) {
  return parse_decimal<std::uint64_t>(request.headers.get(traffic_header).value_or("")).value_or(0);
}

HttpResponse unmatched_answer() {
  HttpResponse response;
  response.status = 400;  // final: a retry would not help
  response.headers.add("Content-Type", "text/plain");
  response.body = "no entry of the case matches this request";
  return response;
}

}  // namespace

HttpService::HttpService(asio::any_io_executor executor, HttpScript& script, Traffic& traffic, TimerQueue& timers, Authority& authority,
                         std::vector<std::string> tls_addresses)
    : script_(script), traffic_(traffic), timers_(timers), server_(executor, [this](ServerExchange& exchange) { return serve(exchange); }) {
  http_port_ = port_of(server_.listen("127.0.0.1", 0));
  https_port_ = port_of(server_.listen("127.0.0.1", 0, [&authority, addresses = std::move(tls_addresses)](std::string_view name) {
    return name.empty() ? authority.context_for_addresses(addresses) : authority.context_for(name);
  }));
}

asio::awaitable<void> HttpService::serve(ServerExchange& exchange) {
  const std::optional<HttpScript::Pick> pick = script_.take(SeenRequest::from(exchange.request()));
  if (!pick) {
    const HttpResponse refusal = unmatched_answer();
    co_await exchange.reply(refusal);
    co_return;
  }
  if (pick->delay.count() > 0) {
    const Traffic::Mark mark(traffic_.delayed(), id_of(exchange.request()));
    const bool is_over = co_await sleep_until(timers_, timers_.now() + pick->delay);
    if (!is_over) co_return;
  }
  if (pick->answer->fault != Fault::none) {
    // A refused connection or an unknown name is arranged before the connection is made; if the entries have changed since, a reset is the
    // closest equivalent.
    exchange.reset();
    co_return;
  }
  co_await exchange.reply(pick->answer->response);
}

}  // namespace rollcall::conformance
