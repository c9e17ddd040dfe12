// The root URL of the Cloud TPU API: from options and variables, else a discovery document, else Google's of the credentials' universe.
#pragma once

#include <asio/awaitable.hpp>
#include <optional>
#include <string>

#include "base/url.hpp"
#include "call/runtime_impl.hpp"
#include "rollcall/call.hpp"
#include "rollcall/tpu_resolver.hpp"

namespace rollcall {

/// The address for requests.
class TpuApiRoot {
 public:
  TpuApiRoot() {}
  Url url;                        ///< `https://tpu.googleapis.com/v2/`: a path follows
  bool is_token_allowed =
      true;  ///< false: a discovery document names a host that is not Google's, not allowed by the user, and not local like the document
};

/// The API's root, as far as it is known without a request for a discovery document or for the metadata server's universe.
class ConfiguredApi {
 public:
  TpuApiRoot root;
  bool is_settled = false;
  bool is_default = false;  ///< not configured: Google's root, or that of another universe
};
Result<ConfiguredApi> configured_api(Runtime::Impl& impl, const TpuOptions& options);
/// The universe of a root that is not configured. None if the root is configured, or if a request must find it.
std::optional<std::string> universe_of_default(Runtime::Impl& impl, const TpuOptions& options);

/// options.endpoint, CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU, the root in the discovery document of TPU_API_DISCOVERY_URL or
/// options.discovery_url (fetched without a token), or Google's root of the credentials' universe, in this order. Errors: invalid_argument,
/// those of the fetch and of find_universe.
asio::awaitable<Result<TpuApiRoot>> find_tpu_api(Call& call, const TpuOptions& options);

}  // namespace rollcall
