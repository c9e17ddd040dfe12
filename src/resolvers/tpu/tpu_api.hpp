// Looking a node up in the Cloud TPU API: where the API is, what it is asked, which strategy is used.
#pragma once

#include <asio/awaitable.hpp>

#include "call/api_client.hpp"
#include "resolvers/tpu/tpu_plan.hpp"
#include "resolvers/tpu/wire/tpu_node.hpp"

namespace rollcall {

/// Where requests go.
class TpuApiRoot {
 public:
  TpuApiRoot() {}
  Url url;                        ///< `https://tpu.googleapis.com/v2/`: a path follows
  bool is_token_allowed = true;  ///< false: named by a discovery document, not Google's, nor allowed by the user, nor both on this machine
};

/// A node, and which question it answers: for whatever turns out to be wrong with it.
class TpuAnswer : public TpuNode {
 public:
  TpuAnswer(TpuNode node, Url url, int http_status) : TpuNode(std::move(node)), asked(std::move(url)), status(http_status) {}
  Failure with_origin(Failure failure) const;
  Url asked;
  int status;
};

/// The URL of the zone's nodes, as a list; a node's is below it.
Url nodes_url(const TpuPlan& plan, TpuApiRoot root);

/// Where the API is: options.endpoint, CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU, where the discovery document of TPU_API_DISCOVERY_URL or
/// options.discovery_url (fetched without a token) says, or Google's, in this order. Errors: invalid_argument, and those of the fetch.
asio::awaitable<Result<TpuApiRoot>> find_tpu_api(Call& call, const TpuOptions& options);

/// The node as the API describes it: completes the plan, finds the API, and asks by nodes.get, or by the call's shared nodes.list
/// (CallOptions::tpu_lookup). Errors: not_found, permission_denied, …, malformed_response, and those of the steps before.
asio::awaitable<Result<TpuAnswer>> ask_tpu(Call& call, TpuPlan plan, const TpuOptions& options);

}  // namespace rollcall
