#include "resolvers/kubernetes/wire/pod_list_builder.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace rollcall {

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
    case PodPlace::owners: return open_entry(is_array, PodPlace::owner);
    case PodPlace::addresses: return open_entry(is_array, PodPlace::address);
    case PodPlace::conditions: return open_entry(is_array, PodPlace::condition);
    case PodPlace::containers: return open_entry(is_array, PodPlace::container);
    case PodPlace::gates: return open_entry(is_array, PodPlace::gate);
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
  if (row.inside == PodPlace::pod_containers) pod_.resources.begin_list(field_ == PodField::asked_init_containers);
  if (row.inside >= PodPlace::containers && row.inside <= PodPlace::state) state_.begin(field_);
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
  switch (closed) {
    case PodPlace::pod: return end_pod();
    case PodPlace::container: state_.end_container(); break;
    case PodPlace::condition: state_.end_condition(pod_); break;
    case PodPlace::owner: end_owner(); break;
    case PodPlace::claim: pod_.claims.end_claim(); break;
    case PodPlace::claim_use: pod_.claims.end_use(); break;
    case PodPlace::expression: end_expression(); break;
    case PodPlace::pod_container:
      state_.end_asked_container(pod_.resources.is_sidecar());
      pod_.resources.end_container();
      break;
    default: break;
  }
  return true;
}

bool PodListBuilder::end_pod() {
  if (pod_.name.empty())
    return refuse(Errc::malformed_response, fmt::format("is malformed: items[{}].metadata.name is missing", pod_count_ - 1));
  pod_.is_detailed = detail_ == PodDetail::readiness;
  if (terms_ > 0) end_affinity();
  state_.finish(pod_, pod_.is_detailed);
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
  if (scalar.kind != JsonScalar::Kind::text || !pod_text_fields.has(field_)) return other_value(scalar);
  keep(scalar.text);
  if (place_ != PodPlace::values) field_ = PodField::skipped;
  return true;
}

bool PodListBuilder::other_value(const JsonScalar& scalar) {
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
  switch (row.scalar) {
    case PodScalar::quantity:
      if (scalar.kind != Kind::integer && scalar.kind != Kind::text) return wrong_type("a text");
      return keep_quantity(scalar);
    case PodScalar::boolean:
      if (scalar.kind != Kind::boolean) return wrong_type("a boolean");
      if (field == PodField::owner_controller) is_controller_ = scalar.boolean;
      state_.keep_flag(field, scalar.boolean);
      field_ = PodField::skipped;
      return true;
    case PodScalar::integer:
      if (scalar.kind != Kind::integer) return wrong_type("a whole number");
      state_.keep_number(field, scalar.integer);
      field_ = PodField::skipped;
      return true;
    case PodScalar::text: break;
  }
  if (scalar.kind != Kind::text) return wrong_type("a text");
  if (scalar.text != "PodList" && scalar.text != "List")  // the kind: other texts are kept at once
    return refuse(Errc::malformed_response, fmt::format("is a {}, not a PodList", quoted(scalar.text, 64)));
  field_ = PodField::skipped;
  return true;
}

// A pod with a long message must not make the list fail: texts that are only displayed are cut, and no address is that long.
bool PodListBuilder::text_too_long() {
  switch (field_) {
    case PodField::host_ip:
    case PodField::pod_ip:
    case PodField::ip:
    case PodField::reason:
    case PodField::message:
    case PodField::state_reason:
    case PodField::state_message:
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
