// Builds pods from the JSON events of a pod list.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/json_scalar.hpp"
#include "json/limits.hpp"
#include "resolvers/kubernetes/wire/pod_field_sets.hpp"
#include "resolvers/kubernetes/wire/pod_labels.hpp"
#include "resolvers/kubernetes/wire/pod_list.hpp"
#include "resolvers/kubernetes/wire/pod_list_fields.hpp"
#include "resolvers/kubernetes/wire/pod_state_builder.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

class PodListBuilder {
 public:
  PodListBuilder(PodListParser::Consumer consumer, PodDetail detail, const ParseLimits& limits)
      : consumer_(std::move(consumer)), detail_(detail), limits_(limits) {}

  // Most fields of a pod are skipped: these functions are inline.
  bool skips() const { return skip_depth_ > 0; }
  bool open(bool is_array) {
    if (skip_depth_ == 0 && !is_passed_over()) return open_kept(is_array);
    ++skip_depth_;
    return true;
  }
  bool close() {
    if (skip_depth_ == 0) return close_kept();
    --skip_depth_;
    return true;
  }
  bool key(std::string_view name) {
    if (place_ == PodPlace::labels) return label_key(name);
    if (place_ >= PodPlace::limits && place_ <= PodPlace::node_selector) return spec_key(name);
    field_ = name.empty() ? PodField::skipped : pod_field(place_, name);
    if (pod_optional_fields.has(field_) && is_unneeded()) field_ = PodField::skipped;
    return true;
  }
  bool value(const JsonScalar& scalar) { return is_passed_over() || value_kept(scalar); }
  bool wants_text() const { return field_ != PodField::skipped; }
  bool text_too_long();

  const std::optional<Failure>& failure() const { return failure_; }
  /// After the end of the document. Errors: malformed_response.
  Result<void> check_complete() const;

  std::string next_page;
  std::string resource_version;  // of the list

 private:
  // Of pod_optional_fields. True for those that a spec does not need, and for what does not matter once a pod runs, or is ready: the
  // conditions stand before the containers.
  bool is_unneeded() const {
    if (field_ == PodField::containers || field_ == PodField::init_containers)
      return pod_.is_ready || (detail_ == PodDetail::address && pod_.phase == "Running");
    if (detail_ == PodDetail::readiness)
      return (field_ == PodField::condition_since && state_.is_time_unneeded(pod_)) ||
             (field_ == PodField::asked_name && !pod_.resources.is_of_init());
    return field_ == PodField::uid || field_ == PodField::version || field_ == PodField::spec || field_ == PodField::claims ||
           (field_ == PodField::conditions && pod_.phase == "Running");
  }
  // True for the value of a key that is not needed. Values in lists of objects, and at the top level, are always read.
  bool is_passed_over() const { return field_ == PodField::skipped && is_in_object_; }
  // A list of objects, or of texts: what stands in it has no key.
  static bool is_list(PodPlace place) { return (pod_lists >> static_cast<unsigned>(place) & 1) != 0; }
  void enter(PodPlace place) {
    place_ = place;
    is_in_object_ = place != PodPlace::outside && !is_list(place);
    field_ = place == PodPlace::values ? PodField::expression_value : PodField::skipped;
  }
  bool label_key(std::string_view name);
  bool spec_key(std::string_view name);  // of a resource or of a node's label
  bool value_kept(const JsonScalar& scalar);
  bool other_value(const JsonScalar& scalar);  // of a field that has no text, or of the wrong type
  bool open_kept(bool is_array);
  bool close_kept();
  bool open_entry(bool is_array, PodPlace entry);
  bool end_pod();
  void keep(std::string_view text);
  void keep_address(std::string_view text);
  void keep_label(PodLabel label, std::string_view text);
  bool keep_quantity(const JsonScalar& scalar);
  void keep_node_label(NodeLabel label, std::string_view value);
  void keep_owner(unsigned bit, std::string& slot, std::string_view text);
  void end_owner();
  void end_affinity();
  void end_expression();
  bool wrong_type(std::string_view wanted);
  bool refuse(Errc code, std::string_view what);

  PodListParser::Consumer consumer_;
  PodDetail detail_;
  ParseLimits limits_;
  std::vector<PodPlace> outer_places_;
  PodPlace place_ = PodPlace::outside;
  bool is_in_object_ = false;
  PodField field_ = PodField::skipped;  // the field of the next value
  PodField addresses_ = PodField::pod_ips;  // the list of addresses that is being read
  std::optional<PodLabel> label_;
  PodResource resource_ = PodResource::other;
  NodeLabel node_label_ = NodeLabel::gpu_model;
  std::size_t skip_depth_ = 0;
  std::size_t pod_count_ = 0;
  bool has_items_ = false;
  Pod pod_;
  PodOwner owner_;  // that is being read, or that was read last
  unsigned owner_fields_ = 0;  // those that have been read: a bit each
  bool is_same_owner_ = true;  // they are the same as before
  bool is_controller_ = false;
  SharedValue<PodOwner> last_owner_;  // of an earlier pod: equals owner_ while the same one is read
  PodStateBuilder state_;
  // Of node affinity.
  std::optional<NodeLabel> expression_label_;
  bool is_expression_in_ = false;  // the label must have one of the values
  int expression_values_ = 0;
  std::string expression_value_;
  std::vector<std::pair<NodeLabel, std::string>> affinity_labels_;
  int terms_ = 0;  // any of several terms suffices: then none says where the pod runs
  std::optional<Failure> failure_;
};

}  // namespace rollcall
