// A Runtime over the test's own transport, and one call on it.
#pragma once

#include <memory>
#include <utility>

#include "call/call_scope.hpp"

namespace rollcall::testing {

inline RuntimeOptions options_with(std::shared_ptr<HttpTransport> http) {
  RuntimeOptions options;
  options.http = std::move(http);
  options.environment = fixed_environment({});
  options.credentials = static_token(Secret<std::string>("t"));
  return options;
}

inline asio::awaitable<Result<HttpResponse>> fetch_once(Call& call) {
  HttpRequest request(*Url::parse("https://api.test/"));
  Result<HttpResponse> answer = co_await call.fetch(std::move(request), true);
  co_return answer;
}

/// Ends with the answer to one request with the token.
inline asio::awaitable<Result<HttpResponse>> call_on(const Runtime& runtime) {
  return run_call<HttpResponse>(shared_impl_of(runtime), CallOptions(), "test", fetch_once);
}

}  // namespace rollcall::testing
