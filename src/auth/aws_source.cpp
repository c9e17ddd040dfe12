// An AWS machine as the source of an identity: a signed GetCallerIdentity request, which only Google's token service sends. Keys come from
// the environment, the container's server, or the instance metadata server. Source: google.aip.dev/auth/4117.
#include <fmt/format.h>

#include "auth/aws_signature.hpp"
#include "auth/rules/token_service.hpp"
#include "auth/subject_token.hpp"
#include "auth/unused_identities.hpp"
#include "auth/wire/aws_keys.hpp"
#include "base/field_text.hpp"
#include "base/ip.hpp"
#include "base/path_text.hpp"
#include "base/text.hpp"
#include "base/url.hpp"
#include "base/wiped_buffer.hpp"
#include "call/api_client.hpp"
#include "call/file_reading.hpp"
#include "call/runtime_impl.hpp"
#include "json/json_text.hpp"

namespace rollcall {
namespace {

constexpr std::string_view container_host = "http://169.254.170.2";
constexpr std::string_view no_instance_hint =
    "is this a machine of AWS, and may it reach its metadata server? Elsewhere set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";
constexpr std::string_view instance_hint =
    "AWS's instance metadata server refuses: it is switched off, wants a session token (imdsv2_session_token_url), or is farther away than "
    "its hop limit: aws ec2 modify-instance-metadata-options";
constexpr std::string_view role_hint = "give the instance a role (an instance profile), or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";
constexpr std::string_view container_hint =
    "AWS's container server gives this task or pod no keys: check its role (ECS: taskRoleArn; EKS: the Pod Identity association), and "
    "AWS_CONTAINER_AUTHORIZATION_TOKEN or its _FILE";
constexpr std::string_view no_container_hint =
    "AWS_CONTAINER_CREDENTIALS_FULL_URI, or _RELATIVE_URI, names that server: outside of a task of ECS or a pod of EKS, unset it";
constexpr std::string_view caller_identity = "/?Action=GetCallerIdentity&Version=2011-06-15";

bool is_aws_host(std::string_view host) {
  return host.starts_with("sts.") && (host.ends_with(".amazonaws.com") || host.ends_with(".amazonaws.com.cn"));
}

// One request to a server of this machine, which answers at once or does not exist. The answer may be a token or a key.
asio::awaitable<Result<Secret<std::string>>> ask_machine(Call& call, Url url, std::string what, HttpMethod method, HeaderList headers,
                                                         std::string_view refusal_hint,
                                                         std::string_view absent_server_hint = no_instance_hint) {
  ApiRequest request(std::move(url));
  request.service = &token_service;
  request.what = std::move(what);
  request.http.method = method;
  request.http.is_repeatable = true;
  request.http.headers = std::move(headers);
  request.http.headers.each([&request](std::string_view, std::string_view value) { request.secrets.emplace_back(std::string(value)); });
  request.refusal_hint = refusal_hint;
  request.absent_server_hint = absent_server_hint;
  request.exchange.allow_proxy = false;
  request.exchange.connect_timeout = std::chrono::seconds(1);
  request.exchange.response_timeout = std::chrono::seconds(3);
  request.max_connect_retries = 2;
  Result<HttpResponse> response = co_await api_send(call, request);
  if (!response) co_return response.error();
  constexpr std::size_t max_answer = 64 * 1024;  // used in headers and paths
  Secret<std::string> answer(std::move(response->body));
  if (answer.reveal().size() > max_answer) {
    co_return Failure(Errc::malformed_response, fmt::format("{}: the answer has {} bytes", request.what, answer.reveal().size()))
        .with_target(request.http.url.without_query());
  }
  co_return answer;
}

Secret<std::string> secret_variable(const Environment& environment, std::string_view name) {
  return Secret<std::string>(environment.get(name).value_or(""));
}

Result<Url> container_url(const Environment& environment) {
  const std::string relative = environment.get("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI").value_or("");
  const std::string full = environment.get("AWS_CONTAINER_CREDENTIALS_FULL_URI").value_or("");
  const std::string_view variable = relative.empty() ? "AWS_CONTAINER_CREDENTIALS_FULL_URI" : "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI";
  Result<Url> url = Url::parse(relative.empty() ? full : std::string(container_host) + relative);
  if (!url) return Failure(Errc::invalid_argument, fmt::format("{} is not a URL: {}", variable, url.error().what()));
  if (url->is_https || is_near_host(url->host)) return url;
  return Failure(Errc::refused_by_policy,
                 fmt::format("{} is {}: over plain http only this machine's own server is asked", variable, url->origin()));
}

class AwsIdentity final : public SubjectTokenSource {
 public:
  AwsIdentity(AwsSource source, std::string audience) : source_(std::move(source)), audience_(std::move(audience)) {}
  std::string describe() const override { return "this AWS machine"; }

  asio::awaitable<Result<Secret<std::string>>> subject_token(Call& call) override {
    HeaderList session;
    const Environment& environment = *impl_of(call).environment;
    const std::vector<std::string> unused = unused_aws_variables(environment);
    if (!unused.empty()) {
      impl_of(call).warn_once(call.id(), "identity of AWS", unused_identity_text(unused, words_of(aws_keys_from(environment))));
    }
    const bool needs_server = !has_keys(environment) || region_of(environment).empty();
    if (needs_server && source_.session_token_url && !has_container(environment)) {
      HeaderList lifetime;
      lifetime.add("X-aws-ec2-metadata-token-ttl-seconds", "300");
      const Result<Secret<std::string>> answer =
          co_await ask_machine(call, *source_.session_token_url, "AWS session token", HttpMethod::put, std::move(lifetime), instance_hint);
      if (!answer) co_return answer.error();
      const std::string_view token = trim(answer->reveal());
      if (!is_graphic(token)) co_return Failure(Errc::malformed_response, "AWS session token: the answer is no token");
      session.add("X-aws-ec2-metadata-token", token);
    }
    const Result<std::string> region = co_await find_region(call, session);
    if (!region) co_return region.error();
    const Result<AwsKeys> keys = co_await find_keys(call, session);
    if (!keys) co_return keys.error();
    co_return signed_request(*keys, *region, impl_of(call).time->wall_now());
  }

 private:
  static bool has_keys(const Environment& environment) { return aws_keys_from(environment) == AwsKeysFrom::environment; }
  static bool has_container(const Environment& environment) {
    return !environment.get("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI").value_or("").empty() ||
           !environment.get("AWS_CONTAINER_CREDENTIALS_FULL_URI").value_or("").empty();
  }
  static std::string region_of(const Environment& environment) {
    std::string region = environment.get("AWS_REGION").value_or("");
    return region.empty() ? environment.get("AWS_DEFAULT_REGION").value_or("") : region;
  }

  asio::awaitable<Result<std::string>> find_region(Call& call, const HeaderList& session) const {
    std::string region = region_of(*impl_of(call).environment);
    if (region.empty()) {
      if (!source_.region_url) {
        co_return Failure(Errc::failed_precondition, "the AWS region is not known").with_hint("set AWS_REGION");
      }
      const Result<Secret<std::string>> zone =
          co_await ask_machine(call, *source_.region_url, "AWS region", HttpMethod::get, session, instance_hint);
      if (!zone) co_return zone.error();
      region = std::string(trim(zone->reveal()));
      if (!region.empty() && is_alpha(region.back())) region.pop_back();  // us-east-1a: a zone of the region
      if (!is_aws_region(region))  // not quoted: the server received a token, and may repeat it
        co_return Failure(Errc::invalid_argument,
                          fmt::format("AWS region: an answer of {} bytes is not an AWS region", zone->reveal().size()));
    }
    if (!is_aws_region(region)) co_return Failure(Errc::invalid_argument, fmt::format("{} is not an AWS region", quoted(region, 40)));
    co_return region;
  }

  asio::awaitable<Result<AwsKeys>> find_keys(Call& call, const HeaderList& session) const {
    const Environment& environment = *impl_of(call).environment;
    if (has_keys(environment)) {
      AwsKeys keys;
      keys.access_key_id = environment.get("AWS_ACCESS_KEY_ID").value_or("");
      keys.secret_access_key = secret_variable(environment, "AWS_SECRET_ACCESS_KEY");
      keys.session_token = secret_variable(environment, "AWS_SESSION_TOKEN");
      if (!is_graphic(keys.access_key_id) || field_value_fault(keys.session_token.reveal())) {
        co_return Failure(Errc::invalid_argument, "AWS_ACCESS_KEY_ID or AWS_SESSION_TOKEN is no key");
      }
      co_return keys;
    }
    Result<Secret<std::string>> answer =
        Failure(Errc::failed_precondition, "there are no AWS keys").with_hint("set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
    if (has_container(environment)) {
      answer = co_await ask_container(call);
    } else if (source_.credentials_url) {
      answer = co_await ask_instance(call, session);
    }
    if (!answer) co_return answer.error();
    Result<AwsKeys> keys = parse_aws_keys(answer->reveal());
    co_return keys;
  }

  asio::awaitable<Result<Secret<std::string>>> ask_container(Call& call) const {
    const Environment& environment = *impl_of(call).environment;
    Result<Url> url = container_url(environment);
    if (!url) co_return url.error();
    HeaderList headers;
    Secret<std::string> token = secret_variable(environment, "AWS_CONTAINER_AUTHORIZATION_TOKEN");
    const Result<std::string> file = path_variable(environment, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
    if (!file) co_return file.error();
    if (!file->empty()) {
      constexpr std::size_t max_bytes = 64 * 1024;
      Result<std::string> text = co_await read_token_file(call, *file, max_bytes);
      if (!text) co_return text.error();
      warn_of_open_file(call, *file);
      token = Secret<std::string>(std::string(trim(*text)));
      wipe(text->data(), text->size());
    }
    if (!token.empty()) headers.add("Authorization", token.reveal());
    Result<Secret<std::string>> answer = co_await ask_machine(call, std::move(*url), "AWS container credentials", HttpMethod::get,
                                                              std::move(headers), container_hint, no_container_hint);
    co_return answer;
  }

  asio::awaitable<Result<Secret<std::string>>> ask_instance(Call& call, const HeaderList& session) const {
    const Result<Secret<std::string>> role =
        co_await ask_machine(call, *source_.credentials_url, "AWS role", HttpMethod::get, session, role_hint);
    if (!role) co_return role.error();
    Url url = *source_.credentials_url;
    url.target += "/" + percent_encode_path_segment(trim(role->reveal()));
    co_return co_await ask_machine(call, std::move(url), "AWS role credentials", HttpMethod::get, session, role_hint);
  }

  // As JSON, percent-encoded: Google's token service sends it to identify the signer.
  Result<Secret<std::string>> signed_request(const AwsKeys& keys, const std::string& region, WallTime now) const {
    std::string address = source_.verification_url;
    constexpr std::string_view placeholder = "{region}";
    if (const std::size_t at = address.find(placeholder); at != std::string::npos) address.replace(at, placeholder.size(), region);
    Result<Url> url = Url::parse(address);
    if (!url || !url->is_https) {
      return Failure(Errc::invalid_argument, "regional_cred_verification_url is not an https URL");
    }
    // Any holder of a signed request can send it: no other AWS action is ever signed.
    if (!is_aws_host(url->host) || url->target != caller_identity) {
      return Failure(Errc::refused_by_policy,
                     fmt::format("regional_cred_verification_url is {}, which does not ask AWS for the caller's identity",
                                 printable(url->without_query(), 200)))
          .with_hint("it is https://sts.{region}.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15");
    }
    HttpRequest request(std::move(*url));
    request.method = HttpMethod::post;
    request.headers.add("x-goog-cloud-target-resource", audience_);
    sign_aws_request(request, keys, region, "sts", now);
    std::string text = R"({"headers":[)";
    const auto add = [&text](std::string_view name, std::string_view value) {
      reserve_and_wipe(text, text.size() + 6 * (name.size() + value.size()) + 32);  // upper bound including escapes
      text += text.back() == '[' ? "{" : ",{";
      append_json_field(text, "key", name);
      append_json_field(text, "value", value);
      text += "}";
    };
    add("host", request.url.authority());
    request.headers.each([&add](std::string_view name, std::string_view value) { add(to_lower(name), value); });
    append_and_wipe(text, R"(],"method":"POST")");
    reserve_and_wipe(text, text.size() + 6 * address.size() + 16);
    append_json_field(text, "url", address);
    append_and_wipe(text, "}");
    Secret<std::string> token(percent_encode_path_segment(text));
    clear_and_wipe(text);
    return token;
  }

  const AwsSource source_;
  const std::string audience_;
};

}  // namespace

std::unique_ptr<SubjectTokenSource> subject_token_aws(AwsSource source, const ExternalAccount& account) {
  return std::make_unique<AwsIdentity>(std::move(source), account.audience);
}

}  // namespace rollcall
