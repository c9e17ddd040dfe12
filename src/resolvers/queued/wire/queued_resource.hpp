// Parses queued resources of the Cloud TPU API (v2 and v2alpha1): one (queuedResources.get), or a page of the list, chunk by chunk.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "json/json_fields.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// Absent texts are empty.
class QueuedResource {
 public:
  /// One requested node, or several identical slices.
  class NodeSpec {
   public:
    NodeSpec() {}
    std::string parent;        ///< projects/{project}/locations/{zone}
    std::string node_id;       ///< of a single node
    bool is_multislice = false;
    std::int64_t count = 0;    ///< of slices
    std::string prefix;        ///< of the slices' names; empty: the request's id is the prefix
    std::string accelerator_type;
    std::string runtime_version;
    friend bool operator==(const NodeSpec&, const NodeSpec&) = default;
  };
  QueuedResource() {}

  std::string name;  ///< projects/{project}/locations/{zone}/queuedResources/{id}
  std::string id;    ///< last segment of name
  std::string create_time;
  std::vector<NodeSpec> node_specs;
  std::string tier;              ///< spot, guaranteed, bestEffort; empty: not given
  std::string reservation_name;
  std::string state;             ///< WAITING_FOR_RESOURCES, …; unknown ones too
  std::string state_initiator;   ///< USER, SERVICE
  std::int64_t error_code = 0;   ///< google.rpc.Code of failedData
  std::string error_message;
  std::string error_reason;      ///< of its first ErrorInfo: STOCKOUT

  friend bool operator==(const QueuedResource&, const QueuedResource&) = default;
};

/// Unknown fields and enum names are skipped; null counts as absent; of a repeated key the last wins. Errors: malformed_response
/// naming the field (wrong type, fewer than 0 or more than 65,536 slices, not JSON, HTML, cut short); limit_exceeded.
Result<QueuedResource> parse_queued_resource(std::string_view json, const ParseLimits& limits = {});

/// The ids of the request's nodes in the order of slices: `node_id`, or `PREFIX-0` … `PREFIX-(n-1)` [facts: queued-node-ids].
std::vector<std::string> node_ids(const QueuedResource& request);
/// The number of these ids.
std::size_t node_count(const QueuedResource& request);

class QueuedResourcePage {
 public:
  QueuedResourcePage() {}
  std::vector<QueuedResource> requests;
  std::string next_page_token;           ///< empty: the last page
  std::vector<std::string> unreachable;  ///< locations that did not answer
  friend bool operator==(const QueuedResourcePage&, const QueuedResourcePage&) = default;
};

extern const JsonForm<QueuedResourcePage> queued_resource_list_form;
using QueuedResourceListParser = PageParser<QueuedResourcePage, queued_resource_list_form>;

/// A page that is already in memory.
Result<QueuedResourcePage> parse_queued_resource_list(std::string_view json, const ParseLimits& limits = {});

}  // namespace rollcall
