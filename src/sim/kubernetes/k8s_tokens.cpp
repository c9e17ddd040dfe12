// Tokens of service accounts: the signer's documents, requests for tokens (TokenRequest), and checks of tokens (TokenReview).
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "sim/kubernetes/k8s_api.hpp"
#include "sim/wire/issuer.hpp"
#include "sim/wire/k8s_names.hpp"
#include "sim/wire/signed_in.hpp"

namespace rollcall::sim {

namespace json = boost::json;

namespace {

constexpr std::string_view authentication_version = "authentication.k8s.io/v1";

std::int64_t unix_seconds(WallTime time) { return std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count(); }

const json::object* sub_object(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  return value ? value->if_object() : nullptr;
}

std::string sub_text(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

// The texts of a list, or a single text in its place.
std::vector<std::string> audiences_of(const json::object& object, std::string_view key) {
  std::vector<std::string> texts;
  const json::value* const value = object.if_contains(key);
  if (value && value->is_string()) texts.emplace_back(value->get_string());
  if (value && value->is_array()) {
    for (const json::value& one : value->get_array()) {
      if (one.is_string()) texts.emplace_back(one.get_string());
    }
  }
  if (texts.empty()) texts.emplace_back(kubernetes_issuer);
  return texts;
}

// The pod's current uid; empty if it does not exist.
std::string uid_of_pod(const Context& context, std::string_view namespace_name, std::string_view name) {
  const KubernetesModel& model = *context.model.kubernetes;
  const std::uint64_t version = kube_version_at(model, context.now);
  const auto found = std::find_if(model.pods.begin(), model.pods.end(),
                                  [&](const KubePod& pod) { return pod.namespace_name == namespace_name && pod.name == name; });
  const KubePodState* const state = found == model.pods.end() ? nullptr : kube_state_at(*found, version);
  if (!state || state->is_gone) return {};
  return sub_text(kube_pod_json(model, *found, *state, version).at("metadata").as_object(), "uid");
}

Reply created(json::object object, std::string_view kind, const KubeView& view) {
  Reply reply = kube_object_reply(kube_with_kind(std::move(object), kind, authentication_version), view);
  reply.status = 201;
  return reply;
}

bool has_account(const KubernetesModel& model, std::string_view namespace_name, std::string_view name) {
  if (!std::binary_search(model.namespaces.begin(), model.namespaces.end(), namespace_name)) return false;
  return name == "default" || std::any_of(model.pods.begin(), model.pods.end(), [&](const KubePod& pod) {
           return pod.namespace_name == namespace_name && pod.set->service_account == name;
         });
}

Reply give_token(const Context& context, const Route& route, const json::object& sent, const KubeView& view) {
  constexpr std::int64_t min_seconds = 600;
  const std::string& name = route.item;
  if (!has_account(*context.model.kubernetes, route.location, name)) return kube_not_found("serviceaccounts", name);
  const json::object empty;
  const json::object* const given = sub_object(sent, "spec");
  const json::object& spec = given ? *given : empty;
  const json::value* const wanted = spec.if_contains("expirationSeconds");
  const std::int64_t seconds = wanted && wanted->is_int64() ? wanted->get_int64() : 3600;
  if (seconds < min_seconds || seconds > std::int64_t{1} << 32) {
    return kube_error(
        kube_status(422, "Invalid",
                    fmt::format("TokenRequest.authentication.k8s.io \"\" is invalid: spec.expirationSeconds: Invalid value: {}: "
                                "may not specify a duration less than 10 minutes",
                                seconds)));
  }
  json::object place{{"namespace", route.location},
                     {"serviceaccount", json::object{{"name", name}, {"uid", uuid_of(fmt::format("{} {}", route.location, name))}}}};
  if (const json::object* const bound = sub_object(spec, "boundObjectRef")) {
    const std::string pod = sub_text(*bound, "name");
    const std::string uid = uid_of_pod(context, route.location, pod);
    if (sub_text(*bound, "kind") != "Pod" || uid.empty()) return kube_not_found("pods", pod);
    place["pod"] = json::object{{"name", pod}, {"uid", uid}};
  }
  const std::int64_t now = unix_seconds(context.date());
  const std::vector<std::string> audiences = audiences_of(spec, "audiences");
  const json::object claims{{"aud", json::array(audiences.begin(), audiences.end())},
                            {"exp", now + seconds},
                            {"iat", now},
                            {"iss", kubernetes_issuer},
                            {"jti", uuid_of(fmt::format("token {}", context.state.total))},
                            {"kubernetes.io", std::move(place)},
                            {"nbf", now},
                            {"sub", fmt::format("system:serviceaccount:{}:{}", route.location, name)}};
  json::object shown = spec;
  shown["audiences"] = json::array(audiences.begin(), audiences.end());
  shown["expirationSeconds"] = seconds;
  const json::object status{{"token", signed_token(Issuer::kubernetes, claims)},
                            {"expirationTimestamp", format_rfc3339(WallTime(std::chrono::seconds(now + seconds)))}};
  return created({{"metadata", json::object{{"name", name}, {"namespace", route.location}, {"creationTimestamp", nullptr}}},
                  {"spec", std::move(shown)},
                  {"status", status}},
                 "TokenRequest", view);
}

json::object refused_token(std::string_view why) {
  return json::object{{"user", json::object()}, {"error", fmt::format("[invalid bearer token, {}]", why)}};
}

json::object review(const Context& context, const json::object& spec) {
  const std::optional<json::object> claims = verified_claims(Issuer::kubernetes, sub_text(spec, "token"));
  if (!claims) return json::object{{"user", json::object()}, {"error", "invalid bearer token"}};
  const json::value* const end = claims->if_contains("exp");
  if (!end || !end->is_int64() || end->get_int64() <= unix_seconds(context.date()))
    return refused_token("service account token has expired");
  const std::vector<std::string> has = audiences_of(*claims, "aud");
  json::array common;
  for (const std::string& one : audiences_of(spec, "audiences")) {
    if (std::find(has.begin(), has.end(), one) != has.end()) common.emplace_back(one);
  }
  if (common.empty()) return refused_token("token audiences do not match");
  const json::object* const place = sub_object(*claims, "kubernetes.io");
  const json::object* const pod = place ? sub_object(*place, "pod") : nullptr;
  json::object extra;
  if (pod) {
    const std::string uid = uid_of_pod(context, sub_text(*place, "namespace"), sub_text(*pod, "name"));
    if (uid.empty() || uid != sub_text(*pod, "uid")) return refused_token("service account token has been invalidated");
    extra["authentication.kubernetes.io/pod-name"] = json::array{pod->at("name")};
    extra["authentication.kubernetes.io/pod-uid"] = json::array{pod->at("uid")};
  }
  const std::string namespace_name = place ? sub_text(*place, "namespace") : std::string();
  json::object user{{"username", sub_text(*claims, "sub")},
                    {"groups", json::array{"system:serviceaccounts", "system:serviceaccounts:" + namespace_name, "system:authenticated"}}};
  if (const json::object* const account = place ? sub_object(*place, "serviceaccount") : nullptr) user["uid"] = account->at("uid");
  if (!extra.empty()) user["extra"] = std::move(extra);
  return json::object{{"authenticated", true}, {"user", std::move(user)}, {"audiences", std::move(common)}};
}

}  // namespace

bool is_token_question(const Route& route) { return route.name == "tokenreviews.create" || route.name == "serviceaccounts.token"; }

Reply kube_token_question(const Context& context, const Request& request, const Route& route, const KubeView& view) {
  const bool is_review = route.name == "tokenreviews.create";
  const std::string_view kind = is_review ? "TokenReview" : "TokenRequest";
  std::error_code error;
  const bool is_small = request.body.size() <= max_sign_in_question;
  const json::value sent = is_small ? json::parse(request.body, error) : json::value();
  if (error || !sent.is_object()) return kube_bad_request(fmt::format("the object provided is unrecognized (must be of type {})", kind));
  if (!is_review) return give_token(context, route, sent.get_object(), view);
  const json::object* const spec = sub_object(sent.get_object(), "spec");
  if (!spec || sub_text(*spec, "token").empty()) return kube_bad_request("token is required for TokenReview in authentication");
  return created({{"metadata", json::object{{"creationTimestamp", nullptr}}}, {"spec", *spec}, {"status", review(context, *spec)}}, kind,
                 view);
}

Reply kube_issuer(const Request& request, const Route& route) {
  Reply reply;
  const bool is_of_keys = route.name == "openid.keys";
  const std::string_view media_type = is_of_keys ? "application/jwk-set+json" : "application/json";
  const std::string_view accepted = request.headers.get("Accept").value_or("*/*");
  const std::vector<std::string_view> ranges = split(accepted, ',');
  // This part of the server produces only its own media type [facts: k8s-issuer].
  const auto takes = [media_type](std::string_view range) {
    const std::string_view type = trim(range.substr(0, range.find(';')));
    return type == media_type || type == "*/*";
  };
  if (std::none_of(ranges.begin(), ranges.end(), takes))
    return kube_text(406, fmt::format("406: Not Acceptable\n\nAvailable representations: {}", media_type));
  if (is_of_keys) {
    reply.headers.add("Content-Type", "application/jwk-set+json");
    reply.body = json::serialize(key_set(Issuer::kubernetes));
    return reply;
  }
  const json::object document{{"issuer", kubernetes_issuer},
                              {"jwks_uri", fmt::format("https://{}/openid/v1/jwks", request.host)},
                              {"response_types_supported", json::array{"id_token"}},
                              {"subject_types_supported", json::array{"public"}},
                              {"id_token_signing_alg_values_supported", json::array{"RS256"}}};
  reply.headers.add("Content-Type", "application/json");
  reply.body = json::serialize(document);
  return reply;
}

}  // namespace rollcall::sim
