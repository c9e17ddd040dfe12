// Where the Cloud TPU API is: what options and variables say, else a discovery document, else Google's of the credentials' universe.
#pragma once

#include <asio/awaitable.hpp>
#include <optional>
#include <string>

#include "base/url.hpp"
#include "call/runtime_impl.hpp"
#include "rollcall/call.hpp"
#include "rollcall/tpu_resolver.hpp"

namespace rollcall {

/// Where requests go.
class TpuApiRoot {
 public:
  TpuApiRoot() {}
  Url url;                        ///< `https://tpu.googleapis.com/v2/`: a path follows
  bool is_token_allowed = true;  ///< false: named by a discovery document, not Google's, nor allowed by the user, nor both on this machine
};

/// Where the API is as far as nobody has to be asked: a discovery document, or the metadata server about its universe.
class ConfiguredApi {
 public:
  TpuApiRoot root;
  bool is_settled = false;
  bool is_default = false;  ///< nobody names it: it is Google's, or that of another universe
};
Result<ConfiguredApi> configured_api(Runtime::Impl& impl, const TpuOptions& options);
/// The universe in which an API is that nobody names; none: somebody does, or has to be asked.
std::optional<std::string> universe_of_default(Runtime::Impl& impl, const TpuOptions& options);

/// options.endpoint, CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU, where the discovery document of TPU_API_DISCOVERY_URL or
/// options.discovery_url (fetched without a token) says, or Google's of the credentials' universe, in this order. Errors: invalid_argument,
/// those of the fetch and of find_universe.
asio::awaitable<Result<TpuApiRoot>> find_tpu_api(Call& call, const TpuOptions& options);

}  // namespace rollcall
