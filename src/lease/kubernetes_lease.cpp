// Source: coordination.k8s.io/v1; client-go's leader election.
#include "lease/kubernetes_lease.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/ip.hpp"
#include "base/text.hpp"
#include "call/parser_sink.hpp"
#include "lease/wire/lease_object.hpp"
#include "resolvers/kubernetes/access/kubernetes_request.hpp"

namespace rollcall::lease {
namespace {

class KubernetesLease final : public LeaseEngine, public std::enable_shared_from_this<KubernetesLease> {
 public:
  explicit KubernetesLease(KubernetesLeaseOptions options) : options_(std::move(options)) {
    kubernetes_.context(options_.context);
    name_ = "the Lease " + quoted(options_.name, 80);
    if (!options_.namespace_name.empty()) name_ += " in namespace " + quoted(options_.namespace_name, 80);
  }

  asio::awaitable<Result<LeaseRecord>> read(Call& call) override;
  asio::awaitable<Result<std::optional<LeaseRecord>>> write(Call& call, LeaseRecord seen, LeaseRecord next) override;
  std::string name() const override { return name_; }

 private:
  class Place {
   public:
    Place(KubernetesServer of, std::string space) : server(std::move(of)), namespace_name(std::move(space)) {}
    KubernetesServer server;
    std::string namespace_name;
  };
  asio::awaitable<Result<Place>> find_place(Call& call) const;
  ApiRequest request(const Place& place, HttpMethod method) const;
  Result<LeaseRecord> taken(Call& call, const HttpResponse& answer);
  Failure explained(const Failure& failure, const Place& place, HttpMethod method) const;

  const KubernetesLeaseOptions options_;
  KubernetesOptions kubernetes_;
  std::string name_;
  LeaseObject latest_;  // as read or written last
};

asio::awaitable<Result<KubernetesLease::Place>> KubernetesLease::find_place(Call& call) const {
  Result<KubernetesServer> server = co_await find_kubernetes(call, kubernetes_);
  if (!server) co_return server.error();
  // Replicas connect to the address in the record: on the way it must not be changed.
  if (!server->root.is_https && !is_loopback(server->root.host)) {
    co_return Failure(Errc::refused_by_policy, fmt::format("{}: {} is asked without encryption", name_, server->root.origin()))
        .with_hint("use https; plain http is for addresses of this machine only");
  }
  Result<std::string> space = options_.namespace_name.empty() ? server->own_namespace() : Result<std::string>(options_.namespace_name);
  if (!space) co_return space.error();
  co_return Place(std::move(*server), std::move(*space));
}

// One attempt: the elector asks again, and a write happens once.
ApiRequest KubernetesLease::request(const Place& place, HttpMethod method) const {
  std::string path = fmt::format("apis/coordination.k8s.io/v1/namespaces/{}/leases", place.namespace_name);
  if (method != HttpMethod::post) path += '/' + options_.name;
  ApiRequest request = kubernetes_request(place.server, std::move(path), name_);
  request.http.method = method;
  request.is_probe = true;
  request.counts_against_limit = false;
  if (method != HttpMethod::get) request.http.headers.add("Content-Type", "application/json");
  return request;
}

Failure KubernetesLease::explained(const Failure& failure, const Place& place, HttpMethod method) const {
  Failure said = failure;
  const std::string_view verb = method == HttpMethod::get ? "get" : method == HttpMethod::put ? "update" : "create";
  if (failure.last_status() == 403)
    said.with_hint(
        fmt::format("give the account the verb {} on leases of coordination.k8s.io in namespace {}", verb, place.namespace_name));
  if (failure.last_status() == 404) said.with_hint(fmt::format("there may be no namespace {}", place.namespace_name));
  return said;
}

Result<LeaseRecord> KubernetesLease::taken(Call& call, const HttpResponse& answer) {
  Result<LeaseObject> object = parse_lease_object(answer.body, parse_limits(impl_of(call)));
  if (!object) {
    Failure failure = object.error();
    failure.with_what(fmt::format("{}: {}", name_, failure.what()));
    return failure;
  }
  latest_ = std::move(*object);
  return latest_.record;
}

asio::awaitable<Result<LeaseRecord>> KubernetesLease::read(Call& call) {
  const auto self = shared_from_this();
  const Result<Place> place = co_await find_place(call);
  if (!place) co_return place.error();
  ApiRequest asked = request(*place, HttpMethod::get);
  const Result<HttpResponse> answer = co_await api_send(call, asked);
  if (answer) co_return taken(call, *answer);
  if (answer.error().last_status() != 404) co_return explained(answer.error(), *place, HttpMethod::get);
  latest_ = LeaseObject();
  co_return latest_.record;
}

asio::awaitable<Result<std::optional<LeaseRecord>>> KubernetesLease::write(Call& call, LeaseRecord seen, LeaseRecord next) {
  const auto self = shared_from_this();
  if (seen.version != latest_.record.version) co_return std::optional<LeaseRecord>();
  const Result<Place> place = co_await find_place(call);
  if (!place) co_return place.error();
  const HttpMethod method = seen.version.empty() ? HttpMethod::post : HttpMethod::put;
  ApiRequest asked = request(*place, method);
  asked.http.body = render_lease_object(latest_.whole, seen, next, options_.name, place->namespace_name, impl_of(call).time->wall_now());
  const Result<HttpResponse> answer = co_await api_send(call, asked);
  if (answer) {
    Result<LeaseRecord> record = taken(call, *answer);
    if (!record) co_return record.error();
    co_return std::optional<LeaseRecord>(std::move(*record));
  }
  const int status = answer.error().last_status();
  const bool is_conflict = status == 409 || (status == 404 && method == HttpMethod::put);
  if (is_conflict) co_return std::optional<LeaseRecord>();
  co_return explained(answer.error(), *place, method);
}

bool is_object_name(std::string_view name) {
  const auto is_fine = [](char c) { return is_lower(c) || is_digit(c) || c == '-' || c == '.'; };
  const auto is_end = [](char c) { return is_lower(c) || is_digit(c); };
  return !name.empty() && name.size() <= 253 && std::all_of(name.begin(), name.end(), is_fine) && is_end(name.front()) &&
         is_end(name.back()) && name.find("..") == std::string_view::npos;
}

}  // namespace

Result<std::shared_ptr<LeaseEngine>> make_kubernetes_lease(KubernetesLeaseOptions options) {
  if (!is_object_name(options.name)) {
    return Failure(Errc::invalid_argument, fmt::format("{} is no name of a Lease", quoted(options.name, 80)))
        .with_hint("names are of lower-case letters, digits, hyphens and dots");
  }
  if (!options.namespace_name.empty() && !is_namespace(options.namespace_name)) {
    return Failure(Errc::invalid_argument, fmt::format("{} is not a namespace", quoted(options.namespace_name, 80)))
        .with_hint("namespaces are of lower-case letters, digits and hyphens");
  }
  return std::shared_ptr<LeaseEngine>(std::make_shared<KubernetesLease>(std::move(options)));
}

}  // namespace rollcall::lease
