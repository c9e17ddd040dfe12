// A pod as the API shows it.
#pragma once

#include <boost/json.hpp>
#include <string_view>

#include "sim/model/k8s_model.hpp"

namespace rollcall::sim {

/// Without kind and apiVersion, as in a list. `version`: shown as its resourceVersion.
boost::json::object kube_pod_json(const KubernetesModel& model, const KubePod& pod, const KubePodState& state, std::uint64_t version);

/// `first` with kind and apiVersion in front.
boost::json::object kube_with_kind(boost::json::object first, std::string_view kind, std::string_view api_version = "v1");

/// Who set which fields of a pod: managedFields.
boost::json::array kube_managed_fields(const boost::json::object& pod, std::string_view created, std::string_view changed);

/// A time of the script as a date.
std::string kube_date(const KubernetesModel& model, Duration at);

/// Merges `patch` into `into`: objects key by key, null removes, everything else replaces.
void kube_merge(boost::json::object& into, const boost::json::object& patch);

}  // namespace rollcall::sim
