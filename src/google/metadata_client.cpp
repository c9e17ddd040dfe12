#include "google/metadata_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/ip.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "call/runtime_impl.hpp"
#include "call/single_flight.hpp"
#include "google/rules/metadata_service.hpp"
#include "google/wire/metadata_value.hpp"

namespace rollcall {
namespace {

constexpr std::string_view default_host = "metadata.google.internal";

// The first override that is set and not empty, in an order that agrees with google-auth, Go and TensorFlow [facts: metadata-override].
std::pair<std::string, std::string_view> metadata_host(const Environment& environment) {
  for (const std::string_view name : {"GCE_METADATA_HOST", "GCE_METADATA_ROOT", "GCE_METADATA_IP"}) {
    std::optional<std::string> value = environment.get(name);
    if (value && !value->empty()) return {std::move(*value), name};
  }
  return {std::string(default_host), {}};
}

// Whether a server that does not answer should be waited for: off the cloud a quick failure is preferred, but on a new VM or pod the server
// starts late. A simulation does not: it listens before it publishes its address.
bool is_server_expected(Runtime::Impl& impl, std::string_view override_name, const Url& url) {
  if (impl.environment->get("KUBERNETES_SERVICE_HOST")) return true;
  return override_name.empty() ? is_google_machine(impl) : !is_loopback(url.host);
}

std::string misdirection_hint(std::string_view override_name, std::string_view host, const Url& url) {
  if (override_name.empty()) return {};
  return fmt::format("{} names {}: {}", override_name, printable(host),
                     is_loopback(url.host) ? "is that simulation over? unset it and its other variables (GCE_METADATA_*, "
                                             "CLOUDSDK_API_ENDPOINT_OVERRIDES_*, TPU_API_DISCOVERY_URL, KUBECONFIG), or open a new shell"
                                           : "correct it, or unset it");
}

// The values that google-auth accepts: whole numbers, or its defaults [facts: metadata-patience].
std::optional<int> number_in(const Environment& environment, std::string_view name, int min) {
  constexpr int max = 24 * 3600;
  const std::optional<std::string> text = environment.get(name);
  return text ? parse_decimal<int>(trim(*text), min, max) : std::nullopt;
}

// How long the server may take to answer, if the user set it.
std::optional<Duration> given_patience(const Environment& environment) {
  const std::optional<int> seconds = number_in(environment, "GCE_METADATA_TIMEOUT", 1);
  return seconds ? std::optional<Duration>(std::chrono::seconds(*seconds)) : std::nullopt;
}

std::string_view without_scheme(std::string_view text) {
  if (text.starts_with("http://")) text.remove_prefix(7);
  while (text.ends_with('/')) text.remove_suffix(1);
  return text;
}

}  // namespace

class MetadataCache {
 public:
  class Entry {
   public:
    std::optional<std::string> value;
    SingleFlight<std::string> flight;
  };
  std::map<std::string, Entry, std::less<>> entries;
  /// By the request's path: the time limit of the next request, after one that exceeded its limit.
  std::map<std::string, Duration, std::less<>> patience;
};

MetadataPolicy metadata_policy(const Environment& environment) {
  if (environment.get("TPU_SKIP_MDS_QUERY")) return MetadataPolicy("TPU_SKIP_MDS_QUERY is set");
  if (environment.get("NO_GCE_CHECK") == "true") return MetadataPolicy("NO_GCE_CHECK is true");
  const std::string detection = environment.get("METADATA_SERVER_DETECTION").value_or("");
  if (detection == "none" || detection == "bios-only") return MetadataPolicy("METADATA_SERVER_DETECTION is " + detection);
  return {};
}

bool is_google_machine(const Runtime::Impl& impl) {
  const Result<std::string> product = impl.files->read("/sys/class/dmi/id/product_name", 4096);
  return product && product->starts_with("Google");
}

Result<ApiRequest> metadata_request(Runtime::Impl& impl, std::string_view path) {
  const auto [host, override_name] = metadata_host(*impl.environment);
  std::string_view bare = without_scheme(host);
  const bool is_bare_v6 = !bare.starts_with('[') && std::count(bare.begin(), bare.end(), ':') > 1;
  Result<Url> url =
      Url::parse(fmt::format("http://{}{}{}/computeMetadata/v1/{}", is_bare_v6 ? "[" : "", bare, is_bare_v6 ? "]" : "", path));
  if (!url) {
    Failure failure = url.error();
    return Failure(Errc::invalid_argument, fmt::format("{} is not a host[:port]: {}", override_name, quoted(host)))
        .with_hint(failure.what());
  }
  ApiRequest request(std::move(*url));
  request.http.headers.add("Metadata-Flavor", "Google");
  request.service = &metadata_service;
  request.needs_metadata_flavor = true;
  request.exchange.allow_proxy = false;
  const std::optional<Duration> patience = given_patience(*impl.environment);
  request.exchange.connect_timeout = patience.value_or(std::chrono::seconds(1));
  request.exchange.resolve_timeout = patience.value_or(std::chrono::seconds(2));
  request.exchange.response_timeout = patience.value_or(std::chrono::seconds(3));
  if (!is_server_expected(impl, override_name, request.http.url)) {
    request.max_connect_retries = std::max(number_in(*impl.environment, "GCE_METADATA_DETECT_RETRIES", 0).value_or(3) - 1, 0);
  }
  request.absent_server_hint = misdirection_hint(override_name, host, request.http.url);
  request.what = fmt::format("metadata {}", path);
  return request;
}

asio::awaitable<Result<HttpResponse>> metadata_send(Call& call, ApiRequest& request) {
  Runtime::Impl& impl = impl_of(call);
  if (!impl.metadata_cache) impl.metadata_cache = std::make_shared<MetadataCache>();
  const std::shared_ptr<MetadataCache> cache = impl.metadata_cache;
  const std::string path = request.http.url.target;
  Duration& patience = request.exchange.response_timeout;
  const auto learned = cache->patience.find(path);
  if (learned != cache->patience.end()) patience = std::max(patience, learned->second);
  const Duration asked_with = patience;
  Result<HttpResponse> response = co_await api_send(call, request);
  if (response) {
    cache->patience.erase(path);
  } else if (response.error().code() == Errc::response_timeout) {
    cache->patience[path] = std::min<Duration>(2 * asked_with, std::max<Duration>(asked_with, ExchangeOptions().response_timeout));
  }
  co_return response;
}

asio::awaitable<Result<std::string>> metadata_value(Call& call, std::string path) {
  Result<ApiRequest> request = metadata_request(impl_of(call), path);
  if (!request) co_return request.error();
  Result<HttpResponse> response = co_await metadata_send(call, *request);
  if (!response) co_return response.error();
  Result<std::string> value = parse_metadata_value(path, response->body);
  if (value && value->empty()) value = Failure(Errc::malformed_response, request->what + ": the value is empty");
  if (!value) {
    Failure failure = value.error();
    failure.with_target(request->http.url.without_query());
    co_return failure;
  }
  co_return value;
}

asio::awaitable<Result<std::optional<std::string>>> metadata_document(Call& call, std::string path) {
  Result<ApiRequest> request = metadata_request(impl_of(call), path);
  if (!request) co_return request.error();
  Result<HttpResponse> response = co_await metadata_send(call, *request);
  if (!response && response.error().code() == Errc::not_found) co_return std::optional<std::string>();
  if (!response) co_return response.error();
  if (trim(response->body).empty()) co_return std::optional<std::string>();
  co_return std::optional<std::string>(std::move(response->body));
}

Runtime::Impl::~Impl() = default;  // here, where the cache is a complete type

namespace {

asio::awaitable<Result<std::string>> keep_metadata_value(Call& call, std::shared_ptr<MetadataCache> cache, std::string path) {
  Result<std::string> value = co_await metadata_value(call, path);
  if (value) cache->entries[path].value = *value;
  co_return value;
}

}  // namespace

asio::awaitable<Result<std::string>> fixed_metadata_value(Call& call, std::string path) {
  const std::shared_ptr<Runtime::Impl> impl = impl_of(call).shared_from_this();
  if (!impl->metadata_cache) impl->metadata_cache = std::make_shared<MetadataCache>();
  MetadataCache::Entry& entry = impl->metadata_cache->entries[path];
  if (entry.value) co_return *entry.value;
  auto script = [cache = impl->metadata_cache, path](Call& inner) { return keep_metadata_value(inner, cache, path); };
  co_return co_await entry.flight.run(call, CallSubject("metadata " + path), std::move(script));
}

asio::awaitable<Result<bool>> probe_metadata(Call& call, Duration budget) {
  Result<ApiRequest> request = metadata_request(impl_of(call), "");
  if (!request) co_return request.error();
  budget = given_patience(*impl_of(call).environment).value_or(budget);
  request->http.url.target = "/computeMetadata/v1/";
  request->exchange.deadline = saturating_sum(impl_of(call).time->now(), budget);
  request->counts_against_limit = false;
  request->is_probe = true;
  request->what = "metadata probe";
  // An error status counts as no server, as upstream has it.
  const Result<HttpResponse> response = co_await api_send(call, *request);
  co_return response.has_value();
}

}  // namespace rollcall
