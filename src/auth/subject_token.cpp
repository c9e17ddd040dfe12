#include "auth/subject_token.hpp"

#include <fmt/format.h>

#include "auth/rules/token_service.hpp"
#include "auth/unused_identities.hpp"
#include "auth/wire/subject_token.hpp"
#include "base/ip.hpp"
#include "base/path_text.hpp"
#include "base/text.hpp"
#include "call/api_client.hpp"
#include "call/file_reading.hpp"
#include "call/runtime_impl.hpp"

namespace rollcall {
namespace {

class TokenInFile final : public SubjectTokenSource {
 public:
  explicit TokenInFile(FileSource source) : source_(std::move(source)) {}
  std::string describe() const override { return "the subject token file " + path_text(source_.path); }

  asio::awaitable<Result<Secret<std::string>>> subject_token(Call& call) override {
    constexpr std::size_t max_bytes = 256 * 1024;
    Result<std::string> text = co_await read_token_file(call, source_.path, max_bytes);
    if (!text) {
      Failure failure = text.error();
      failure.with_what("subject token file: " + failure.what());
      co_return failure;
    }
    warn_of_open_file(call, source_.path);
    Result<Secret<std::string>> token = parse_subject_token(describe(), *text, source_.format);
    wipe(text->data(), text->size());
    co_return token;
  }

 private:
  const FileSource source_;
};

class TokenAtUrl final : public SubjectTokenSource {
 public:
  explicit TokenAtUrl(UrlSource source) : source_(std::move(source)) {}
  std::string describe() const override { return "the subject token at " + source_.url.without_query(); }

  asio::awaitable<Result<Secret<std::string>>> subject_token(Call& call) override {
    ApiRequest request(source_.url);
    request.service = &token_service;
    request.what = describe();
    request.refusal_hint = "what the credential file's credential_source.url names refuses to give the identity: its words say why";
    if (!source_.url.is_https)
      request.absent_server_hint = "is this one of the machines whose identity service the credential file's credential_source.url names?";
    request.http.headers = source_.headers;
    source_.headers.each([&request](std::string_view, std::string_view value) { request.secrets.emplace_back(std::string(value)); });
    // The identity service of a machine: on the machine or its link, over plain http, and never through a proxy.
    request.exchange.allow_proxy = source_.url.is_https;
    const std::vector<std::string> unused = unused_azure_variables(*impl_of(call).environment, source_.url);
    if (!unused.empty())
      impl_of(call).warn_once(call.id(), "identity of Azure",
                              unused_identity_text(unused, "the machine, which the credential file asks for"));
    if (!source_.url.is_https && !is_near_host(source_.url.host)) {
      const std::string origin = source_.url.origin();
      impl_of(call).warn_once(call.id(), origin,
                              fmt::format("the subject token is requested from {}, over plain http and not on this machine: a machine in "
                                          "between can read it, and the request",
                                          origin));
    }
    Result<HttpResponse> response = co_await api_send(call, request);
    if (!response) co_return response.error();
    Result<Secret<std::string>> token = parse_subject_token(describe(), response->body, source_.format);
    wipe(response->body.data(), response->body.size());
    if (token) co_return token;
    Failure failure = token.error();
    hide_secrets(request, failure);
    co_return failure;
  }

 private:
  const UrlSource source_;
};

}  // namespace

std::unique_ptr<SubjectTokenSource> subject_token_file(FileSource source) { return std::make_unique<TokenInFile>(std::move(source)); }
std::unique_ptr<SubjectTokenSource> subject_token_url(UrlSource source) { return std::make_unique<TokenAtUrl>(std::move(source)); }

}  // namespace rollcall
