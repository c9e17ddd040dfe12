// Keeps the values of a pod, each bounded.
#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "cluster/service_address.hpp"
#include "resolvers/kubernetes/wire/pod_list_builder.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_addresses = 16;  // of one pod; Kubernetes has two
constexpr std::size_t max_word_size = 128;
constexpr std::size_t max_node = 253;  // a name of the domain name system

}  // namespace

void PodListBuilder::keep(std::string_view text) {
  switch (field_) {
    case PodField::next_page: next_page.assign(text); break;
    case PodField::name: pod_.name.assign(text); break;
    case PodField::list_version: resource_version.assign(text); break;
    case PodField::uid: pod_.uid.assign(text.substr(0, max_word_size)); break;
    case PodField::version: pod_.resource_version.assign(text.substr(0, max_word_size)); break;
    case PodField::namespace_name: pod_.namespace_name.assign(text); break;
    case PodField::deletion:
      pod_.is_leaving = !text.empty();
      state_.keep_text(field_, text);
      break;
    case PodField::label: keep_label(*label_, text); break;
    case PodField::group_name: keep_label(PodLabel::native_group, text.substr(0, max_node)); break;
    case PodField::owner_version: keep_owner(1, owner_.api_version, text.substr(0, max_node)); break;
    case PodField::owner_kind: keep_owner(2, owner_.kind, text.substr(0, max_word_size)); break;
    case PodField::owner_name: keep_owner(4, owner_.name, text.substr(0, max_node)); break;
    case PodField::owner_uid: keep_owner(8, owner_.uid, text.substr(0, max_word_size)); break;
    case PodField::phase: pod_.phase.assign(text); break;
    case PodField::host_ip:
    case PodField::pod_ip:
    case PodField::ip: keep_address(text); break;
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
      if (++expression_values_ == 1) expression_value_.assign(text.substr(0, max_word_size));
      break;
    case PodField::created: pod_.created = parse_rfc3339(text); break;
    default: state_.keep_text(field_, text); break;
  }
}

void PodListBuilder::keep_address(std::string_view text) {
  const bool is_of_host = field_ == PodField::host_ip || (field_ == PodField::ip && addresses_ == PodField::host_ips);
  // The list nearly always begins with the single address, which has been checked.
  const bool is_known = field_ == PodField::ip && text == (is_of_host ? pod_.host_ip : pod_.pod_ip);
  const std::string_view ip = is_known ? text : service_ip(text);
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
void PodListBuilder::keep_label(PodLabel label, std::string_view text) {
  if (!pod_.label(label).empty()) return;
  if (pod_.labels.empty()) pod_.labels.reserve(8);
  pod_.labels.emplace_back(label, text);
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
  if (pod_.node_label(label).empty()) pod_.node_labels.emplace_back(label, value.substr(0, max_word_size));
}

// A server lists the pods of one owner next to each other, since their names begin alike: nearly always the text is the last one's.
void PodListBuilder::keep_owner(unsigned bit, std::string& slot, std::string_view text) {
  owner_fields_ |= bit;
  if (slot == text) return;
  slot.assign(text);
  is_same_owner_ = false;
}

void PodListBuilder::end_owner() {
  if (owner_fields_ != 15) {
    unsigned bit = 1;
    for (std::string* const text : {&owner_.api_version, &owner_.kind, &owner_.name, &owner_.uid}) {
      if ((owner_fields_ & bit) == 0 && !text->empty()) {
        text->clear();
        is_same_owner_ = false;
      }
      bit *= 2;
    }
  }
  if (is_controller_ && !pod_.owner) {
    if (!last_owner_ || (!is_same_owner_ && *last_owner_ != owner_)) last_owner_ = owner_;
    pod_.owner = last_owner_;
    is_same_owner_ = true;
  }
  is_controller_ = false;
  owner_fields_ = 0;
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

}  // namespace rollcall
