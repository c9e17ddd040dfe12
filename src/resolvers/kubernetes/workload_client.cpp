#include "resolvers/kubernetes/workload_client.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "base/url.hpp"
#include "call/parser_sink.hpp"
#include "call/runtime_impl.hpp"
#include "json/json_dom.hpp"
#include "resolvers/kubernetes/access/kubernetes_request.hpp"

namespace rollcall {
namespace {

Failure no_such_kind(const WorkloadType& type, std::string_view detail) {
  return Failure(Errc::failed_precondition, fmt::format("the cluster has no {} ({}){}", type.name, full_resource(type), detail))
      .with_hint("its controller is not installed there, or the context is of another cluster: kubectl api-resources lists the kinds");
}

std::string role_for(const WorkloadType& type, std::string_view namespace_name) {
  return fmt::format(
      "bind the account to {{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {{name: rollcall-workloads, namespace: {}}}, "
      "rules: [{{apiGroups: [{}], resources: [{}], verbs: [get]}}]}}",
      printable(namespace_name, 64), type.group, type.resource);
}

std::vector<std::string> known_versions(const WorkloadType& type) {
  std::vector<std::string> versions;
  for (const std::string_view version : split(type.versions, ' ')) versions.emplace_back(version);
  return versions;
}

// A server without the path answers with a text, or with a Status that names no object; one without the object names it.
bool names_absent_object(std::string_view body) {
  const Result<JsonDocument> status = JsonDocument::parse("the answer", body);
  const boost::json::value* const details = status ? find(status->root(), "details") : nullptr;
  return details && !find_text(*details, "name").value_or("").empty();
}

// The version of `GROUP/VERSION`, if it can be part of a path.
std::string version_in(std::string_view api_version, const WorkloadType& type) {
  const std::size_t slash = api_version.find('/');
  if (slash == std::string_view::npos || api_version.substr(0, slash) != type.group) return {};
  const std::string_view version = api_version.substr(slash + 1);
  const bool is_fine = version.size() <= 64 && std::all_of(version.begin(), version.end(), is_alnum);
  return is_fine ? std::string(version) : std::string();
}

}  // namespace

std::string shown_workload(const WorkloadType& type, std::string_view namespace_name, std::string_view name) {
  return fmt::format("{} {} in namespace {}", type.name, quoted(name, 253), quoted(namespace_name, 64));
}

std::string missing_rule(const WorkloadType& type, std::string_view namespace_name) {
  return fmt::format("get {} in namespace {}", full_resource(type), quoted(namespace_name, 64));
}

asio::awaitable<WorkloadClient::Answer> WorkloadClient::ask(Call& call, std::string path, std::string what) {
  ApiRequest request = kubernetes_request(scope_.server, std::move(path), std::move(what));
  Answer answer;
  bool is_absent = false;
  request.on_refusal = [&answer, &is_absent](const HttpResponse& refusal) {
    constexpr int absent = 404;
    is_absent = refusal.status == absent;
    answer.has_no_path = is_absent && !names_absent_object(refusal.body);
  };
  Result<HttpResponse> response = co_await api_send(call, request);
  if (response) {
    answer.body = std::move(response->body);
  } else {
    answer.failure = response.error();
    // An object that is not there is a 404. A 410 means that the server's own view is too old: a later attempt may find it.
    constexpr int gone = 410;
    if (answer.failure->last_status() == gone) answer.failure->with_code(Errc::unavailable);
    // Nor does what the credentials lack say anything of the object.
    if (answer.failure->code() == Errc::not_found && !is_absent) answer.failure->with_code(Errc::unauthenticated);
  }
  co_return answer;
}

asio::awaitable<Result<std::vector<std::string>>> WorkloadClient::versions_of(Call& call, const WorkloadType& type) {
  if (type.is_built_in) co_return known_versions(type);
  const auto known = versions_.find(type.group);
  if (known != versions_.end()) co_return known->second;
  Answer answer = co_await ask(call, fmt::format("apis/{}", type.group), fmt::format("the API group {}", type.group));
  if (answer.has_no_path) co_return no_such_kind(type, fmt::format(": the group {} is not there", type.group));
  if (answer.failure) {
    const bool is_refused = answer.failure->code() == Errc::permission_denied || answer.failure->code() == Errc::not_found;
    if (is_refused) co_return known_versions(type);
    co_return std::move(*answer.failure);
  }
  Result<std::vector<std::string>> versions = parse_api_versions(answer.body, parse_limits(impl_of(call)));
  if (versions) versions_.emplace(type.group, *versions);
  co_return versions;
}

// A user without rights is refused a kind that does not exist in the same words as one that does. The list of kinds needs no right.
asio::awaitable<bool> WorkloadClient::lacks_kind(Call& call, const WorkloadType& type, const std::string& version) {
  if (type.is_built_in) co_return false;
  const Answer answer = co_await ask(call, fmt::format("apis/{}/{}", type.group, version), fmt::format("the kinds of {}", type.group));
  if (answer.has_no_path) co_return true;
  if (answer.failure) co_return false;
  const Result<bool> has = has_api_resource(answer.body, type.resource, parse_limits(impl_of(call)));
  co_return has && !*has;
}

asio::awaitable<Result<const WorkloadType*>> WorkloadClient::only_one_of(Call& call, std::vector<const WorkloadType*> types) {
  std::vector<const WorkloadType*> there;
  std::string names;
  std::string served;
  for (const WorkloadType* const type : types) {
    names += (names.empty() ? "" : ", ") + full_resource(*type);
    const Result<std::vector<std::string>> versions = co_await versions_of(call, *type);
    if (!versions && versions.error().code() != Errc::failed_precondition) co_return versions.error();
    if (!versions) continue;
    bool has_it = false;
    for (const std::string& version : *versions) {
      if (has_it) break;
      const bool is_absent = co_await lacks_kind(call, *type, version);
      has_it = !is_absent;
    }
    if (!has_it) continue;
    there.push_back(type);
    served += (served.empty() ? "" : ", ") + full_resource(*type);
  }
  if (there.size() == 1) co_return there.front();
  const std::string_view kind = types.front()->name;
  if (there.empty()) {
    co_return Failure(Errc::failed_precondition, fmt::format("the cluster has no {} ({})", kind, names))
        .with_hint("no scheduler that places pods together is installed there, or the context is of another cluster");
  }
  co_return Failure(Errc::failed_precondition, fmt::format("the cluster has several kinds called {}: {}", kind, served))
      .with_hint(fmt::format("KIND.GROUP says which: {}.{}", to_lower(kind), there.front()->group));
}

asio::awaitable<Result<Workload>> WorkloadClient::get(Call& call, const WorkloadType& type, const std::string& namespace_name,
                                                      const std::string& name, const std::string& api_version) {
  std::vector<std::string> versions;
  const std::string given = version_in(api_version, type);
  bool is_asked = given.empty();
  if (is_asked) {
    Result<std::vector<std::string>> had = co_await versions_of(call, type);
    if (!had) co_return had.error();
    versions = std::move(*had);
  } else {
    versions.push_back(given);
  }
  const std::string shown = shown_workload(type, namespace_name, name);
  std::optional<Failure> refusal;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    std::string path = fmt::format("apis/{}/{}/namespaces/{}/{}/{}", type.group, versions[i], percent_encode_path_segment(namespace_name),
                                   type.resource, percent_encode_path_segment(name));
    Answer answer = co_await ask(call, std::move(path), shown);
    if (!answer.failure) {
      Result<Workload> read = parse_workload(type, answer.body, parse_limits(impl_of(call)));
      if (!read) {
        Failure failure = read.error();
        failure.with_what(fmt::format("{}: {}", shown, failure.what()));
        co_return failure;
      }
      if (read->namespace_name.empty()) read->namespace_name = namespace_name;
      const bool is_it = read->name == name && read->namespace_name == namespace_name;
      if (!is_it) {
        co_return Failure(Errc::malformed_response,
                          fmt::format("{}: the answer is {} in {}", shown, quoted(read->name), quoted(read->namespace_name)));
      }
      co_return read;
    }
    if (answer.failure->code() == Errc::permission_denied) {
      const bool is_absent = co_await lacks_kind(call, type, versions[i]);
      if (!is_absent) {
        Failure failure = std::move(*answer.failure);
        failure.with_what(fmt::format("{} (wanted: {})", failure.what(), missing_rule(type, namespace_name)));
        if (failure.what().find("system:anonymous") == std::string::npos) failure.with_hint(role_for(type, namespace_name));
        co_return failure;
      }
    } else if (!answer.has_no_path) {
      if (answer.failure->code() == Errc::not_found) {
        Failure absent(Errc::not_found, fmt::format("{} does not exist", shown));
        absent.with_hint(fmt::format("kubectl get {} -n {} lists those that are there; --for-existence waits for it", type.resource,
                                     printable(namespace_name, 64)));
        absent.with_last_status(answer.failure->last_status());
        co_return absent;
      }
      co_return std::move(*answer.failure);
    }
    if (i + 1 < versions.size() || is_asked) continue;
    is_asked = true;  // the version of a reference is not served any more: another one may be
    Result<std::vector<std::string>> had = co_await versions_of(call, type);
    if (!had) co_return had.error();
    for (std::string& version : *had) {
      if (version != given) versions.push_back(std::move(version));
    }
  }
  co_return no_such_kind(type, {});
}

asio::awaitable<Result<Workload>> WorkloadClient::get_pod(Call& call, const std::string& namespace_name, const std::string& name) {
  std::string path =
      fmt::format("api/v1/namespaces/{}/pods/{}", percent_encode_path_segment(namespace_name), percent_encode_path_segment(name));
  Answer answer = co_await ask(call, std::move(path), fmt::format("pod {} in namespace {}", quoted(name, 253), quoted(namespace_name, 64)));
  if (answer.failure) co_return std::move(*answer.failure);
  co_return parse_owner(answer.body, parse_limits(impl_of(call)));
}

}  // namespace rollcall
