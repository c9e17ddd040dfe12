// A Runtime in virtual time that authenticates with one credential file.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "base/url.hpp"
#include "call/call_scope.hpp"
#include "support/credential_files.hpp"
#include "support/test_runtime.hpp"

namespace rollcall::testing {

inline const std::string credentials_path = "/keys/credentials.json";
inline constexpr const char* good_token = R"({"access_token":"ya29.fresh-token","expires_in":3599,"token_type":"Bearer"})";

// A Runtime whose credentials are one file, and a service that requires a token.
class SignedIn {
 public:
  explicit SignedIn(std::string file, std::map<std::string, std::string, std::less<>> others = {},
                    std::map<std::string, std::string, std::less<>> variables = {})
      : t(std::move(variables), {}, credential_file(credentials_path), with(std::move(others), std::move(file))) {}
  TestRuntime t;

  Result<HttpResponse> fetch(std::string url = "https://tpu.googleapis.com/v2/x") { return t.run(asked(std::move(url))); }
  asio::awaitable<Result<HttpResponse>> asked(std::string url = "https://tpu.googleapis.com/v2/x") {
    auto script = [url = std::move(url)](Call& call) -> asio::awaitable<Result<HttpResponse>> {
      HttpRequest request(*Url::parse(url));
      Result<HttpResponse> answer = co_await call.fetch(std::move(request), true);
      co_return answer;
    };
    return run_call<HttpResponse>(shared_impl_of(t.runtime), CallOptions().timeout(std::chrono::minutes(5)), "test", script);
  }
  const std::vector<HttpRequest>& requests() const { return t.transport->requests; }

 private:
  static std::map<std::string, std::string, std::less<>> with(std::map<std::string, std::string, std::less<>> files, std::string file) {
    files[credentials_path] = std::move(file);
    return files;
  }
};

inline std::map<std::string, std::string> form_of(const HttpRequest& request) {
  std::map<std::string, std::string> form;
  for (const std::string_view field : split(request.body, '&')) {
    const std::size_t equals = field.find('=');
    form[std::string(field.substr(0, equals))] = percent_decode(field.substr(equals + 1)).value();
  }
  return form;
}

}  // namespace rollcall::testing
