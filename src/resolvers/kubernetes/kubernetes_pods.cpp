#include "resolvers/kubernetes/kubernetes_pods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/page_cursor.hpp"
#include "base/text.hpp"
#include "base/url.hpp"
#include "call/api_client.hpp"
#include "call/parser_sink.hpp"
#include "call/runtime_impl.hpp"
#include "resolvers/kubernetes/access/kubernetes_request.hpp"

namespace rollcall {
namespace {

// Keeps the data that a task needs of each pod, as soon as the pod is read.
class PodSink final : public BodySink {
 public:
  PodSink(ParseLimits limits, const KubernetesOptions& options, PodDetail detail, const PodPredicate& is_kept, FoundPods& found)
      : limits_(std::move(limits)), options_(options), detail_(detail), is_kept_(is_kept), found_(found), start_(found.pods.size()),
        parser_(make_parser()) {}

  void restart() override {
    parser_ = make_parser();
    found_.pods.resize(start_);
    found_.memory.give_back(std::exchange(charged_, 0));
    bytes_ = 0;
  }
  Result<void> take(std::string_view piece) override {
    bytes_ += piece.size();
    return parser_.feed(piece);
  }
  PodListParser& parser() { return parser_; }
  std::size_t bytes() const { return bytes_; }

 private:
  PodListParser make_parser() {
    return PodListParser([this](Pod& pod) { return keep(pod); }, detail_, limits_);
  }
  Result<void> keep(Pod& pod) {
    if (pod.is_leaving && (detail_ == PodDetail::address || pod.phase == "Succeeded" || pod.phase == "Failed")) return {};
    if (found_.pods.size() >= limits_.max_nodes) return Failure(Errc::limit_exceeded, "the list of pods has too many pods");
    FoundPod found = found_pod(pod, options_.address(), options_.family());
    if (is_kept_ && !is_kept_(found)) return {};
    const std::size_t cost = memory_of(found);
    if (!found_.memory.charge(cost)) return too_much_memory("the list of pods", found_.memory);
    charged_ += cost;
    found_.pods.push_back(std::move(found));
    return {};
  }

  ParseLimits limits_;
  const KubernetesOptions& options_;
  PodDetail detail_;
  const PodPredicate& is_kept_;
  FoundPods& found_;
  std::size_t start_;
  std::size_t charged_ = 0;  // for the pods of this answer
  PodListParser parser_;
  std::size_t bytes_ = 0;
};

std::string role_that_helps(const std::string& namespace_name, std::string_view rules) {
  if (namespace_name.empty()) {
    return fmt::format(
        "name one namespace, or bind the account to {{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {{name: "
        "rollcall}}, {}}}",
        rules);
  }
  return fmt::format(
      "bind the account to {{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {{name: rollcall, namespace: {}}}, {}}}",
      printable(namespace_name, 64), rules);
}

std::string pods_path(const PodScope& scope, const std::string& selector) {
  std::string path = "api/v1/";
  if (!scope.namespace_name.empty()) path += fmt::format("namespaces/{}/", percent_encode_path_segment(scope.namespace_name));
  return path + "pods?labelSelector=" + percent_encode_path_segment(selector);
}

}  // namespace

std::string of_namespace(const std::string& namespace_name) {
  return namespace_name.empty() ? "in all namespaces" : "in namespace " + quoted(namespace_name, 64);
}

ApiRequest pods_request(const PodScope& scope, const std::string& selector) {
  const std::string what = selector.empty() ? "pods" : fmt::format("pods with {}", quoted(selector, 200));
  return kubernetes_request(scope.server, pods_path(scope, selector), fmt::format("{} {}", what, of_namespace(scope.namespace_name)));
}

Failure explained_pods(Failure failure, const PodScope& scope, std::string_view verb) {
  constexpr std::string_view rules = R"(rules: [{apiGroups: [""], resources: [pods], verbs: [list, watch]}])";
  return explained_refusal(std::move(failure), scope, fmt::format("{} pods", verb), rules);
}

Failure explained_refusal(Failure failure, const PodScope& scope, std::string_view wanted, std::string_view rules) {
  if (failure.code() != Errc::permission_denied) return failure;
  // The Role helps only an identity that the server recognises. For an anonymous request the hint of the failure stays.
  const bool is_known = failure.what().find("system:anonymous") == std::string::npos;
  failure.with_what(fmt::format("{} (wanted: {} {})", failure.what(), wanted, of_namespace(scope.namespace_name)));
  if (is_known) failure.with_hint(role_that_helps(scope.namespace_name, rules));
  const bool has_identity = scope.server.credentials || (scope.server.access && !scope.server.access->certificate.empty());
  if (!has_identity && is_known) failure.with_hint(failure.hint() + "; nothing was presented, neither a token nor a client certificate");
  return failure;
}

asio::awaitable<Result<FoundPods>> list_pods(Call& call, const PodScope& scope, const std::string& selector, PodDetail detail,
                                             PodPredicate is_kept) {
  constexpr std::string_view page_size = "&limit=500";  // client-go's
  const Limits& limits = impl_of(call).limits;
  FoundPods found(impl_of(call).memory);
  PageCursor cursor(pods_request(scope, selector).what, limits.max_pages);
  std::size_t bytes_left = limits.max_stream_bytes;
  bool in_pages = true;
  for (;;) {
    ApiRequest request = pods_request(scope, selector);
    if (in_pages) request.http.url.target += page_size;
    if (!cursor.token().empty()) request.http.url.target += "&continue=" + percent_encode_path_segment(cursor.token());
    PodSink sink(parse_limits(impl_of(call)), scope.options, detail, is_kept, found);
    const Result<HttpResponse> response = co_await api_stream(call, request, sink, bytes_left);
    if (!response) {
      const Failure failure = response.error();
      constexpr int gone = 410;
      if (failure.last_status() != gone || cursor.token().empty() || !in_pages) {
        co_return explained_pods(failure, scope, "list");
      }
      // The token has expired. The token inside the answer would continue at a later version, which mixes two lists. Hence the list starts
      // again and, as in client-go, in one piece, which cannot expire.
      in_pages = false;
      found = FoundPods(impl_of(call).memory);
      cursor = PageCursor(request.what, limits.max_pages);
      bytes_left = limits.max_stream_bytes;
      continue;
    }
    const Result<void> complete = sink.parser().finish();
    if (!complete) {
      Failure failure = complete.error();
      failure.with_what(fmt::format("{}: {}", request.what, failure.what()));
      failure.with_target(request.http.url.without_query()).with_last_status(response->status);
      co_return failure;
    }
    bytes_left -= std::min(bytes_left, sink.bytes());
    const Result<bool> goes_on = cursor.advance(sink.parser().next_page());
    if (!goes_on) co_return goes_on.error().with_target(request.http.url.without_query());
    found.resource_version = sink.parser().resource_version();
    if (!*goes_on) co_return found;
  }
}

}  // namespace rollcall
