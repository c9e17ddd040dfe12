// The Kubernetes API: pods (list, get, watch), namespaces, version, health, discovery, reviews of access; its headers, Status objects and
// chunks. Read-only.
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "rollcall/sim/cloud.hpp"
#include "sim/kubernetes/k8s_options.hpp"
#include "sim/model/k8s_model.hpp"
#include "sim/wire/route.hpp"
#include "sim/wire/state.hpp"

namespace rollcall::sim {

Reply answer_kubernetes(const Context& context, const Request& request, const Route& route, const ParsedTarget& target, SteadyTime now);

/// The answer of a fault rule with a status but no body.
Reply kube_scripted(const Context& context, const FaultRule& rule, const Route& route, const ParsedTarget& target);

/// The representation that the client requests.
struct KubeView {
  bool is_pretty = false;
  bool is_metadata_only = false;
};

/// One request for pods.
struct KubeQuestion {
  const Context& context;
  const KubernetesModel& model;
  const Request& request;
  const Route& route;
  KubeView view;
  SteadyTime now;
  std::uint64_t current;  // version
};

Reply list_pods(const KubeQuestion& question, const KubeListOptions& options);
Reply get_pod(const KubeQuestion& question, const ParsedTarget& target);
Reply watch_pods(const KubeQuestion& question, const KubeListOptions& options);
Reply kube_discovery(const KubernetesModel& model, const Route& route, const ParsedTarget& target, const KubeView& view);
Reply kube_namespaces(const KubeQuestion& question, const KubeListOptions& options);

/// A held reply for at most three seconds while a version is in the future; none once it is reached. After three seconds sets `is_late`.
std::optional<Reply> wait_for_version(const KubeQuestion& question, std::uint64_t wanted, bool& is_late);

/// The object with `kind` and `apiVersion` at the front, or its metadata alone.
boost::json::object kube_shown(boost::json::object object, std::string_view kind, const KubeView& view);
/// True if a pod of the model is in the requested namespace.
bool is_in_scope(const KubePod& pod, const Route& route);
/// A single object as an answer.
Reply kube_object_reply(const boost::json::object& object, const KubeView& view);

/// The caller of a request.
struct KubeCaller {
  std::string name;
  bool is_anonymous = false;
  const std::vector<KubeRule>* rules = nullptr;  // null: all rights
};

/// The owner of the bearer token. None: 401.
std::optional<KubeCaller> kube_caller(const Context& context, const Request& request);

/// The refusal of a request for which the caller lacks the rights.
std::optional<Reply> kube_refusal(const KubeCaller& caller, const Route& route, const ParsedTarget& target);

/// Requests that every authenticated caller may send: reviews of its own identity and rights.
bool is_review(const Route& route);
Reply kube_review(const KubeCaller& caller, const Request& request, const Route& route, const KubeView& view);

/// TokenReview, and TokenRequest of a service account.
bool is_token_question(const Route& route);
Reply kube_token_question(const Context& context, const Request& request, const Route& route, const KubeView& view);
/// The discovery document for service accounts' tokens, and the keys.
Reply kube_issuer(const Request& request, const Route& route);

/// The kubeconfig for this server.
std::string kubeconfig_text(const KubernetesModel& model, std::string_view server, std::string_view ca_pem);

/// A pod without kind and apiVersion, as in a list. `version` is shown as its resourceVersion.
boost::json::object kube_pod_json(const KubernetesModel& model, const KubePod& pod, const KubePodState& state, std::uint64_t version);

/// The UID of an object of that name, unless the file gives it another one; of a pod, in this life.
std::string kube_uid(std::string_view namespace_name, std::string_view kind, std::string_view name);
std::string kube_pod_uid(const KubePod& pod, const KubePodState& state);
boost::json::array kube_owner_references(std::string_view api_version, std::string_view kind, std::string_view name, std::string_view uid);
/// What the file has written, with this version, without kind and apiVersion.
boost::json::object kube_written_json(const boost::json::object& written, std::uint64_t version);
/// Changes a pod's JSON into what the scheduler and the kubelet show of its cause.
void show_kube_cause(boost::json::object& pod_json, const KubernetesModel& model, const KubePod& pod, const KubePodState& state);
/// Events that say why the pod is not ready, as its cause has them.
boost::json::array kube_cause_events(const KubernetesModel& model, const KubePod& pod, const KubePodState& state);

/// `first` with kind and apiVersion at the front.
boost::json::object kube_with_kind(boost::json::object first, std::string_view kind, std::string_view api_version = "v1");

/// managedFields: the writer of each field of a pod.
boost::json::array kube_managed_fields(const boost::json::object& pod, std::string_view created, std::string_view changed);

/// A time of the script as a date.
std::string kube_date(const KubernetesModel& model, Duration at);

struct KubeCause {
  std::string reason;
  std::string message;
  std::string field;
};

/// A Status of kind Failure. `details` is omitted if absent.
boost::json::object kube_status(int code, std::string_view reason, std::string_view message,
                                std::optional<boost::json::object> details = std::nullopt);

/// name, group, kind, causes, retryAfterSeconds, in this order; empty ones are omitted.
boost::json::object kube_details(std::string_view name, std::string_view kind, const std::vector<KubeCause>& causes = {},
                                 std::string_view group = {}, int retry_after_seconds = 0);

/// The Status as a reply, with `Retry-After` if its details have it.
Reply kube_error(const boost::json::object& status);
Reply kube_bad_request(std::string_view message);
/// 422 for list options: each cause is `field: message` in the text.
Reply kube_invalid_options(const std::vector<KubeCause>& causes);
/// 404 `pods "x" not found`.
Reply kube_not_found(std::string_view kind, std::string_view name);
/// 404 for a resource that does not exist; 405.
Reply kube_no_resource();
Reply kube_no_method();
Reply kube_text(int status, std::string_view text);
/// 504: the version has not been reached.
boost::json::object kube_too_large_version(std::uint64_t wanted, std::uint64_t current);

/// JSON as Go writes it, with `<`, `>` and `&` escaped.
std::string kube_json_text(const boost::json::value& value);

/// Chunk sizes of a body that is written in these pieces through a buffer of 2,048 bytes. Empty if it fits and is sent with its length.
std::vector<std::size_t> kube_chunks(const std::vector<std::size_t>& writes);

}  // namespace rollcall::sim
