#include "resolvers/kubernetes/wire/pod_list_builder.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "cluster/service_address.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_addresses = 16;  // of one pod; Kubernetes has two
constexpr std::size_t max_trouble = 128;
constexpr std::size_t max_node = 253;  // a name of the domain name system
constexpr std::size_t max_message = 512;

// Lists of objects, or of texts: what stands in them has no key.
bool is_list(PodPlace place) {
  switch (place) {
    case PodPlace::items:
    case PodPlace::addresses:
    case PodPlace::conditions:
    case PodPlace::containers:
    case PodPlace::pod_containers:
    case PodPlace::claims:
    case PodPlace::claim_uses:
    case PodPlace::terms:
    case PodPlace::expressions:
    case PodPlace::values: return true;
    default: return false;
  }
}

}  // namespace

void PodListBuilder::enter(PodPlace place) {
  place_ = place;
  is_in_object_ = place != PodPlace::outside && !is_list(place);
  field_ = place == PodPlace::values ? PodField::expression_value : PodField::skipped;
}

bool PodListBuilder::open_kept(bool is_array) {
  switch (place_) {
    case PodPlace::outside:
      if (is_array) return refuse(Errc::malformed_response, "is an array, not an object");
      outer_places_.push_back(place_);
      enter(PodPlace::list);
      return true;
    case PodPlace::items:
      if (++pod_count_ > limits_.max_nodes) return refuse(Errc::limit_exceeded, "has too many pods");
      return open_entry(is_array, PodPlace::pod);
    case PodPlace::addresses: return open_entry(is_array, PodPlace::address);
    case PodPlace::conditions: return open_entry(is_array, PodPlace::condition);
    case PodPlace::containers: return open_entry(is_array, PodPlace::container);
    case PodPlace::pod_containers: pod_.resources.begin_container(); return open_entry(is_array, PodPlace::pod_container);
    case PodPlace::claims: return open_entry(is_array, PodPlace::claim);
    case PodPlace::claim_uses: return open_entry(is_array, PodPlace::claim_use);
    case PodPlace::terms: ++terms_; return open_entry(is_array, PodPlace::term);
    case PodPlace::expressions: return open_entry(is_array, PodPlace::expression);
    default: break;
  }
  const PodFieldRow& row = *row_of(field_);
  if (row.inside == plain_text) return wrong_type("a text");
  if (is_array != row.is_array) return wrong_type(is_array ? "an object" : "an array");
  if (field_ == PodField::items) {
    if (has_items_) return refuse(Errc::malformed_response, "has items twice");
    has_items_ = true;
  }
  if (field_ == PodField::host_ips || field_ == PodField::pod_ips) addresses_ = field_;
  if (row.inside == PodPlace::claims) pod_.claims.begin_list(place_ == PodPlace::status);
  if (row.inside == PodPlace::pod_containers) pod_.resources.begin_list(field_ == PodField::init_containers);
  outer_places_.push_back(place_);
  enter(row.inside);
  return true;
}

bool PodListBuilder::open_entry(bool is_array, PodPlace entry) {
  if (is_array) return refuse(Errc::malformed_response, fmt::format("is malformed: an entry of items[{}] is an array", pod_count_ - 1));
  outer_places_.push_back(place_);
  enter(entry);
  return true;
}

bool PodListBuilder::close_kept() {
  const PodPlace closed = place_;
  enter(outer_places_.back());
  outer_places_.pop_back();
  if (closed == PodPlace::pod) return end_pod();
  if (closed == PodPlace::pod_container) pod_.resources.end_container();
  if (closed == PodPlace::claim) pod_.claims.end_claim();
  if (closed == PodPlace::claim_use) pod_.claims.end_use();
  if (closed == PodPlace::expression) end_expression();
  if (closed == PodPlace::condition) {
    if (condition_type_ == "PodScheduled" && condition_status_ == "False") {
      note_trouble(condition_reason_);
      pod_.message = condition_message_;
    }
    if (condition_type_ == "Ready") pod_.is_ready = condition_status_ == "True";
    condition_type_.clear();
    condition_status_.clear();
    condition_reason_.clear();
    condition_message_.clear();
  }
  return true;
}

bool PodListBuilder::end_pod() {
  if (pod_.name.empty())
    return refuse(Errc::malformed_response, fmt::format("is malformed: items[{}].metadata.name is missing", pod_count_ - 1));
  pod_.is_detailed = detail_ == PodDetail::readiness;
  if (terms_ > 0) end_affinity();
  Result<void> taken = consumer_(pod_);
  pod_.clear();
  if (!taken) failure_ = taken.error();
  return taken.has_value();
}

bool PodListBuilder::label_key(std::string_view name) {
  label_ = pod_label(name);
  field_ = label_ ? PodField::label : PodField::skipped;
  return true;
}

bool PodListBuilder::spec_key(std::string_view name) {
  field_ = PodField::skipped;
  if (place_ == PodPlace::node_selector) {
    if (const std::optional<NodeLabel> label = node_label(name)) {
      node_label_ = *label;
      field_ = PodField::node_label;
    }
  } else if (const std::optional<PodResource> resource = pod_resource(name)) {
    resource_ = *resource;
    field_ = PodField::quantity;
  }
  return true;
}

bool PodListBuilder::value_kept(const JsonScalar& scalar) {
  using Kind = JsonScalar::Kind;
  if (place_ == PodPlace::outside) return refuse(Errc::malformed_response, "is not an object");
  if (is_list(place_) && place_ != PodPlace::values) {
    if (place_ == PodPlace::items) ++pod_count_;
    return refuse(Errc::malformed_response,
                  fmt::format("is malformed: {} is not an object", place_ == PodPlace::items
                                                                       ? fmt::format("items[{}]", pod_count_ - 1)
                                                                       : fmt::format("an entry of a list in items[{}]", pod_count_ - 1)));
  }
  const PodField field = field_;
  const PodFieldRow& row = *row_of(field);
  if (scalar.kind == Kind::null) {
    if (field == PodField::items) has_items_ = true;
    field_ = PodField::skipped;
    return true;
  }
  if (row.inside != plain_text) return wrong_type(row.is_array ? "an array" : "an object");
  if (field == PodField::quantity && scalar.kind == Kind::integer) return keep_quantity(scalar);
  if (scalar.kind != Kind::text) return wrong_type("a text");
  if (field == PodField::quantity) return keep_quantity(scalar);
  if (field == PodField::kind && scalar.text != "PodList" && scalar.text != "List")
    return refuse(Errc::malformed_response, fmt::format("is a {}, not a PodList", quoted(scalar.text, 64)));
  keep(scalar.text);
  if (place_ != PodPlace::values) field_ = PodField::skipped;
  return true;
}

void PodListBuilder::keep(std::string_view text) {
  switch (field_) {
    case PodField::next_page: next_page.assign(text); break;
    case PodField::name: pod_.name.assign(text); break;
    case PodField::list_version: resource_version.assign(text); break;
    case PodField::uid: pod_.uid.assign(text.substr(0, max_trouble)); break;
    case PodField::version: pod_.resource_version.assign(text.substr(0, max_trouble)); break;
    case PodField::condition_message: condition_message_.assign(text.substr(0, max_message)); break;
    case PodField::namespace_name: pod_.namespace_name.assign(text); break;
    case PodField::deletion: pod_.is_leaving = !text.empty(); break;
    case PodField::label: keep_label(text); break;
    case PodField::phase: pod_.phase.assign(text); break;
    case PodField::host_ip:
    case PodField::pod_ip:
    case PodField::ip: keep_address(text); break;
    case PodField::reason:
    case PodField::waiting_reason: note_trouble(text); break;
    case PodField::node_name: pod_.node.assign(text.substr(0, max_node)); break;
    case PodField::claim_name:
    case PodField::claim_use_name: pod_.claims.note_name(text); break;
    case PodField::claim_object: pod_.claims.note_object(text); break;
    case PodField::claim_use_request: pod_.claims.note_request(text); break;
    case PodField::node_label: keep_node_label(node_label_, text); break;
    case PodField::restart_policy: pod_.resources.note_restart_policy(text); break;
    case PodField::expression_key: expression_label_ = node_label(text); break;
    case PodField::expression_operator: is_expression_in_ = text == "In"; break;
    case PodField::expression_value:
      if (++expression_values_ == 1) expression_value_.assign(text.substr(0, max_trouble));
      break;
    case PodField::condition_type: condition_type_.assign(text.substr(0, max_trouble)); break;
    case PodField::condition_status: condition_status_.assign(text.substr(0, max_trouble)); break;
    case PodField::condition_reason: condition_reason_.assign(text.substr(0, max_trouble)); break;
    default: break;
  }
}

void PodListBuilder::keep_address(std::string_view text) {
  const std::string_view ip = service_ip(text);
  const bool is_of_host = field_ == PodField::host_ip || (field_ == PodField::ip && addresses_ == PodField::host_ips);
  std::string& refused = is_of_host ? pod_.refused_host_ip : pod_.refused_pod_ip;
  if (ip.empty() && !text.empty() && refused.empty()) refused = quoted(text, 64);
  if (field_ != PodField::ip) {
    (is_of_host ? pod_.host_ip : pod_.pod_ip).assign(ip);
    return;
  }
  std::vector<std::string>& list = is_of_host ? pod_.host_ips : pod_.pod_ips;
  if (!ip.empty() && list.size() < max_addresses) list.emplace_back(ip);
}

// A label and an annotation may give the same value, and a job's name may occur under its old and its new key: the first one counts.
void PodListBuilder::keep_label(std::string_view text) {
  if (!pod_.label(*label_).empty()) return;
  if (pod_.labels.empty()) pod_.labels.reserve(8);
  pod_.labels.emplace_back(*label_, text);
}

bool PodListBuilder::keep_quantity(const JsonScalar& scalar) {
  constexpr std::int64_t most = 1'000'000;
  std::optional<int> quantity;
  if (scalar.kind == JsonScalar::Kind::text) quantity = whole_quantity(scalar.text);
  if (scalar.kind == JsonScalar::Kind::integer && scalar.integer >= 0 && scalar.integer <= most)
    quantity = static_cast<int>(scalar.integer);
  pod_.resources.add(resource_, place_ == PodPlace::limits, quantity);
  field_ = PodField::skipped;
  return true;
}

// The selector and the affinity must both hold, so that the first one counts.
void PodListBuilder::keep_node_label(NodeLabel label, std::string_view value) {
  if (pod_.node_label(label).empty()) pod_.node_labels.emplace_back(label, value.substr(0, max_trouble));
}

void PodListBuilder::end_expression() {
  if (expression_label_ && is_expression_in_ && expression_values_ == 1)
    affinity_labels_.emplace_back(*expression_label_, expression_value_);
  expression_label_.reset();
  is_expression_in_ = false;
  expression_values_ = 0;
}

void PodListBuilder::end_affinity() {
  if (terms_ == 1) {
    for (const auto& [label, value] : affinity_labels_) keep_node_label(label, value);
  }
  affinity_labels_.clear();
  terms_ = 0;
}

void PodListBuilder::note_trouble(std::string_view reason) {
  if (pod_.trouble.empty()) pod_.trouble.assign(reason.substr(0, max_trouble));
}

// A pod with a long message must not make the list fail: texts that are only displayed are cut, and no address is that long.
bool PodListBuilder::text_too_long() {
  switch (field_) {
    case PodField::host_ip:
    case PodField::pod_ip:
    case PodField::ip:
    case PodField::reason:
    case PodField::waiting_reason:
    case PodField::condition_reason:
    case PodField::condition_message: return true;
    default: break;
  }
  return refuse(Errc::limit_exceeded, fmt::format("has a text of more than {} bytes", limits_.max_text));
}

bool PodListBuilder::wrong_type(std::string_view wanted) {
  const std::string_view path = row_of(field_)->path;
  const std::string where = path.starts_with('.') ? fmt::format("items[{}]{}", pod_count_ - 1, path) : std::string(path);
  return refuse(Errc::malformed_response, fmt::format("is malformed: {} is not {}", where, wanted));
}

bool PodListBuilder::refuse(Errc code, std::string_view what) {
  failure_.emplace(code, fmt::format("the list of pods {}", what));
  return false;
}

Result<void> PodListBuilder::check_complete() const {
  if (has_items_) return {};
  return Failure(Errc::malformed_response, "the list of pods has no items")
      .with_hint("check that the address is that of a Kubernetes API server");
}

}  // namespace rollcall
