#include "resolvers/tpu/worker_versions.hpp"

#include <fmt/format.h>

#include "async/group.hpp"
#include "base/text.hpp"
#include "base/url.hpp"
#include "call/api_client.hpp"
#include "call/parser_sink.hpp"
#include "call/runtime_impl.hpp"
#include "json/json_dom.hpp"

namespace rollcall {
namespace {

constexpr std::uint16_t switcher_port = 8475;

Result<ApiRequest> switcher_request(const std::string& host, std::string_view path) {
  Result<Url> url = Url::parse(fmt::format("http://{}/requestversion{}", Endpoint(host, switcher_port).to_text(), path));
  if (!url) return url.error();
  ApiRequest request(std::move(*url));
  request.exchange.allow_proxy = false;
  request.what = fmt::format("version of worker {}", printable(host, 80));
  return request;
}

asio::awaitable<Result<void>> configure_one(Call& call, std::string host, std::string version, std::string restart_type) {
  Result<ApiRequest> request = switcher_request(
      host, fmt::format("/{}?restartType={}", percent_encode_path_segment(version), percent_encode_path_segment(restart_type)));
  if (!request) co_return request.error();
  request->http.method = HttpMethod::post;
  Result<HttpResponse> response = co_await api_send(call, *request);
  if (response) co_return Result<void>();
  Failure failure = response.error();
  if (failure.last_status() == 404) failure.with_what(fmt::format("TPU version {} does not exist", quoted(version)));
  co_return failure;
}

// The switcher's answer: `{"currentVersion": "2.12.0"}`. None if `currentVersion` is absent or null.
Result<std::optional<std::string>> parse_worker_version(std::string_view json, const ParseLimits& limits) {
  const Result<JsonDocument> document = JsonDocument::parse("the worker's version", json, limits);
  if (!document) return document.error();
  if (!document->root().is_object()) return Failure(Errc::malformed_response, "the worker's version is no JSON object");
  const boost::json::value* version = find(document->root(), "currentVersion");
  if (!version) return std::optional<std::string>();
  if (!version->is_string()) return Failure(Errc::malformed_response, "the worker's currentVersion is no text");
  return std::optional<std::string>(std::string(version->get_string()));
}

}  // namespace

asio::awaitable<Result<std::optional<std::string>>> ask_worker_version(Call& call, std::string host) {
  Result<ApiRequest> request = switcher_request(host, "");
  if (!request) co_return request.error();
  Result<HttpResponse> response = co_await api_send(call, *request);
  if (!response) {
    if (response.error().last_status() == 404) co_return std::optional<std::string>();
    co_return response.error();
  }
  Result<std::optional<std::string>> version = parse_worker_version(response->body, parse_limits(impl_of(call)));
  if (!version) {
    Failure failure = version.error();
    failure.with_target(request->http.url.without_query());
    co_return failure;
  }
  co_return version;
}

asio::awaitable<Result<void>> configure_worker_versions(Call& call, const std::vector<Endpoint>& workers, std::string version,
                                                        std::string restart_type) {
  std::vector<asio::awaitable<Result<void>>> orders;
  for (const Endpoint& worker : workers) orders.push_back(configure_one(call, worker.host, version, restart_type));
  co_return co_await join(std::move(orders));
}

}  // namespace rollcall
