#include "resolvers/kubernetes/chain/chain_request.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "base/url.hpp"
#include "readiness/follow.hpp"

namespace rollcall {

ApiRequest chain_request(const ChainSource& source, std::string path, std::string what) {
  ApiRequest request = source.make_request(std::move(path), std::move(what));
  request.is_probe = true;
  return request;
}

asio::awaitable<Result<std::string>> get_object(Call& call, const ChainSource& source, std::string path, std::string what) {
  ApiRequest request = chain_request(source, std::move(path), std::move(what));
  Result<HttpResponse> answer = co_await api_send(call, request);
  if (!answer) co_return answer.error();
  co_return std::move(answer->body);
}

asio::awaitable<Result<void>> in_layer_time(Call& call, std::string name, std::function<asio::awaitable<Result<void>>(Call&)> script) {
  CallOptions options = question_options(call);
  options.timeout(std::min(options.timeout(), time_per_layer));
  return run_call<void>(impl_of(call).shared_from_this(), std::move(options), CallSubject(std::move(name)), std::move(script));
}

std::string namespace_path(std::string_view namespace_name) {
  return namespace_name.empty() ? std::string() : fmt::format("namespaces/{}/", percent_encode_path_segment(namespace_name));
}

std::string unread_note(const ChainLayer& layer, const Failure& failure) {
  switch (failure.code()) {
    case Errc::permission_denied: return fmt::format("{} may not be read: {}", layer.name, layer.right);
    case Errc::deadline_exceeded:
    case Errc::response_timeout:
    case Errc::cancelled: return fmt::format("{} were not read within {} s", layer.name, time_per_layer / std::chrono::seconds(1));
    default: return fmt::format("{} could not be read: {}", layer.name, printable(failure.what(), 300));
  }
}

}  // namespace rollcall
