// One request to the API server for a chain of causes. Such a request is optional: one attempt, and its failure is no trouble of the call.
#pragma once

#include <asio/awaitable.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "call/api_client.hpp"
#include "call/call_scope.hpp"
#include "resolvers/kubernetes/chain/wire/object_parts.hpp"
#include "resolvers/kubernetes/chain/wire/pod_group.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall {

/// The time that each layer of a chain may take.
constexpr Duration time_per_layer = std::chrono::seconds(1);

/// The API server that is asked, and the namespace of the cluster.
class ChainSource {
 public:
  /// A GET of a path, which begins after the server's root: `api/v1/nodes/g1`; and what it is, for messages.
  using Request = std::function<ApiRequest(std::string path, std::string what)>;
  ChainSource(Request by, std::string within) : make_request(std::move(by)), namespace_name(std::move(within)) {}
  Request make_request;
  std::string namespace_name;  ///< empty: all namespaces
  /// What makes the pods, as far as it is known without any pod: with kind and name; a uid is not needed.
  std::vector<KubeObject> roots;
  /// What else is known by now of what makes them.
  std::function<std::vector<KubeObject>()> made_by;
  /// Why pods that have to end before there are members have not ended.
  std::function<asio::awaitable<Result<std::vector<Cause>>>(Call&)> ask_stages;
  std::vector<PodGroupName> groups;  ///< the cluster is one of these: the word of a target may mean several kinds
};

ApiRequest chain_request(const ChainSource& source, std::string path, std::string what);
/// The body of its answer.
asio::awaitable<Result<std::string>> get_object(Call& call, const ChainSource& source, std::string path, std::string what);

/// The same `script` within the time of a layer. `script` must own, or be outlived by, what it refers to.
asio::awaitable<Result<void>> in_layer_time(Call& call, std::string name, std::function<asio::awaitable<Result<void>>(Call&)> script);

/// `namespaces/train/` or nothing, percent-encoded.
std::string namespace_path(std::string_view namespace_name);

/// A layer: how it is named, and the right that opens it.
class ChainLayer {
 public:
  ChainLayer(std::string named, std::string needs) : name(std::move(named)), right(std::move(needs)) {}
  std::string name;   ///< `events`
  std::string right;  ///< `list events in namespace 'train'`
};
/// Why the layer is not known: `events may not be read: list events in namespace 'train'`.
std::string unread_note(const ChainLayer& layer, const Failure& failure);

}  // namespace rollcall
