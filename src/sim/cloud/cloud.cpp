#include "rollcall/sim/cloud.hpp"

#include <array>
#include <list>

#include "base/ip.hpp"
#include "base/saturating.hpp"
#include "base/timestamp.hpp"
#include "sim/cloud/faults.hpp"
#include "sim/compute/compute_api.hpp"
#include "sim/file/file.hpp"
#include "sim/kubernetes/k8s_api.hpp"
#include "sim/metadata/metadata.hpp"
#include "sim/replay/replay.hpp"
#include "sim/sign_in/sign_in.hpp"
#include "sim/slurm/restd_api.hpp"
#include "sim/slurm/slurmd.hpp"
#include "sim/tpu/tpu_api.hpp"
#include "sim/wire/responses.hpp"
#include "sim/wire/state.hpp"
#include "sim/workers/workers.hpp"

namespace rollcall::sim {

std::string_view to_string(FaultKind kind) noexcept {
  // clang-format off
  constexpr std::array<std::string_view, 11> names = {"none",    "refuse",       "reset",        "stall",         "trickle", "truncate", "wrong_length",
                                                      "corrupt", "endless_body", "endless_header", "endless_chunk_extension"};
  // clang-format on
  return names[static_cast<std::size_t>(kind)];
}

class Cloud::Impl {
 public:
  Model model;
  State state;
  std::optional<SteadyTime> started_at;
  WallTime started_on{};
  std::uint64_t version = 0;
  std::shared_ptr<std::list<std::function<void()>>> listeners = std::make_shared<std::list<std::function<void()>>>();

  void count(const std::string& route);
  Duration since_start(SteadyTime now) const { return started_at ? now - *started_at : Duration(0); }
  Reply normal_reply(const Context& context, const Request& request, const Route& route, const ParsedTarget& target, SteadyTime now);
  void changed();
};

Cloud::Cloud(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Cloud::~Cloud() = default;

Result<std::shared_ptr<Cloud>> Cloud::parse(std::string_view text, std::string_view file_name) {
  auto model = parse_file(text, file_name);
  if (!model) return model.error();
  auto impl = std::make_unique<Impl>();
  impl->model = *std::move(model);
  impl->state.metadata = impl->model.metadata;
  impl->state.fault_uses.resize(impl->model.faults.size());
  return std::shared_ptr<Cloud>(new Cloud(std::move(impl)));
}

void Cloud::start(SteadyTime now, std::optional<WallTime> date) {
  if (impl_->started_at) return;
  impl_->started_at = now;
  impl_->started_on = date ? *date : parse_rfc3339(impl_->model.start_time).value_or(*parse_rfc3339("2026-01-01T00:00:00Z"));
}

Reply Cloud::Impl::normal_reply(const Context& context, const Request& request, const Route& route, const ParsedTarget& target,
                                SteadyTime now) {
  if (model.recorded) {
    if (auto recorded = replay(context, request, route, target, now)) return *std::move(recorded);
  }
  switch (route.service) {
    case Service::metadata: {
      Reply no_answer;
      no_answer.fault.kind = FaultKind::refuse;
      if (!model.has_metadata_server) return no_answer;
      MetadataAnswer answer = answer_metadata(context, request, target, now);
      if (answer.has_changed) changed();
      return std::move(answer.reply);
    }
    case Service::tpu: return answer_tpu(context, request, route, target);
    case Service::discovery: return answer_discovery(request, route);
    case Service::compute: return answer_compute(context, request, route, target);
    case Service::kubernetes:
      if (model.kubernetes) return answer_kubernetes(context, request, route, target, now);
      break;
    case Service::slurm:
      if (model.slurm) return answer_slurm(context, request, route, target);
      break;
    case Service::oauth: return answer_oauth(context, request, route);
    case Service::iam: return answer_iam(context, request, route, target);
    case Service::imds:
      if (model.sign_in.aws) return answer_imds(context, request, route, target);
      break;
    case Service::none: break;
  }
  return html_not_found(target.path);
}

void Cloud::Impl::count(const std::string& route) {
  // Clients choose metadata paths and methods freely, so the number of counters is bounded.
  constexpr std::size_t max_routes = 10'000;
  const bool is_known = state.counts.size() < max_routes || state.counts.contains(route);
  ++state.counts[is_known ? route : "others"];
  ++state.total;
}

Reply Cloud::handle(const Request& request, SteadyTime now) {
  start(now);
  const Context context{impl_->model, impl_->state, impl_->since_start(now), impl_->started_on};
  const ParsedTarget target = parse_target(request.target);
  const Route route = find_route(request.method, request.is_https, request.host, target);
  FaultDecision faults;
  if (!request.held) {
    impl_->count(route.name);
    faults = decide_faults(context, request, route, target);
  }
  Reply reply;
  if (faults.final && faults.final->expires_token) expire_token(context, request);
  const FaultKind kind = faults.final ? faults.final->fault.kind : FaultKind::none;
  if (faults.final && faults.final->status) {
    reply = scripted_reply(context, *faults.final, route, target);
  } else if (kind != FaultKind::refuse && kind != FaultKind::reset) {
    reply = impl_->normal_reply(context, request, route, target, now);
  }
  if (kind != FaultKind::none) {
    reply.fault = faults.final->fault;
    reply.hold.reset();
    if (kind != FaultKind::corrupt) reply.more.reset();
  }
  reply.delay += faults.delay;
  const auto accepted = request.headers.get("Accept-Encoding");
  const bool may_gzip = impl_->model.api.gzips && (route.service == Service::tpu || route.service == Service::compute) && accepted &&
                        accepted->find("gzip") != std::string_view::npos;
  reply.is_gzip = reply.is_gzip || faults.is_gzip || may_gzip;
  reply.is_chunked = reply.is_chunked || !reply.chunks.empty() || faults.is_chunked;
  return reply;
}

RpcReply Cloud::handle_rpc(const RpcRequest& request, SteadyTime now, const std::optional<RpcHeld>& held) {
  start(now);
  const Context context{impl_->model, impl_->state, impl_->since_start(now), impl_->started_on};
  const auto address = Endpoint::parse(request.address);
  const auto place = address && address->port ? find_worker(impl_->model, *address, context.now) : std::nullopt;
  if (!place) {
    const bool is_ip = address && (is_ipv4_literal(address->host) || is_ipv6_literal(address->host, true));
    return RpcReply(held ? RpcEnd::reset : is_ip ? RpcEnd::refuse : RpcEnd::unknown_host);
  }
  bool has_changed = false;
  RpcReply reply = answer_rpc(context, request, now, *place, held, has_changed);
  if (!held && reply.end == RpcEnd::answer) impl_->count(rpc_route(request.method));
  if (has_changed) impl_->changed();
  return reply;
}

std::vector<Endpoint> Cloud::worker_addresses() const { return rollcall::sim::worker_addresses(impl_->model); }

bool Cloud::is_worker_running(const Endpoint& address, SteadyTime now) const {
  const Duration at = impl_->since_start(now);
  if (impl_->model.slurm && is_slurmd_running(*impl_->model.slurm, address, at)) return true;
  const auto place = find_worker(impl_->model, address, at);
  return place && worker_at(impl_->model, *place, at).moment;
}

std::vector<Endpoint> Cloud::slurmd_addresses() const {
  return impl_->model.slurm ? rollcall::sim::slurmd_addresses(*impl_->model.slurm) : std::vector<Endpoint>();
}

SteadyTime Cloud::next_worker_change(SteadyTime now) const {
  std::optional<Duration> next = rollcall::sim::next_worker_change(impl_->model, impl_->since_start(now));
  const auto slurmd = impl_->model.slurm ? next_slurmd_change(*impl_->model.slurm, impl_->since_start(now)) : std::nullopt;
  if (slurmd && (!next || *slurmd < *next)) next = slurmd;
  return next ? saturating_sum(now, *next - impl_->since_start(now)) : SteadyTime::max();
}

std::size_t Cloud::open_sessions() const noexcept { return impl_->state.sessions.size(); }

const std::map<std::string, std::uint64_t, std::less<>>& Cloud::counts() const noexcept { return impl_->state.counts; }
std::uint64_t Cloud::total() const noexcept { return impl_->state.total; }
std::uint64_t Cloud::version() const noexcept { return impl_->version; }
std::string Cloud::kubeconfig(std::string_view server, std::string_view ca_pem) const {
  if (impl_->model.kubernetes) return kubeconfig_text(*impl_->model.kubernetes, server, ca_pem);
  const RecordedModel* const recorded = impl_->model.recorded.get();
  if (!recorded || !recorded->has_cluster) return {};
  KubernetesModel cluster;
  if (!recorded->namespace_name.empty()) cluster.default_namespace = recorded->namespace_name;
  KubeUser& user = cluster.users.emplace_back();
  user.name = recorded->context.empty() ? "recorded" : recorded->context;
  user.token = "recorded-token";
  return kubeconfig_text(cluster, server, ca_pem);
}
std::shared_ptr<const MembersModel> Cloud::members() const { return impl_->model.members; }
std::vector<std::string> Cloud::recorded_targets() const {
  return impl_->model.recorded ? impl_->model.recorded->targets : std::vector<std::string>();
}
std::string Cloud::slurm_token(WallTime now) const {
  return impl_->model.slurm ? make_slurm_token(*impl_->model.slurm, now) : std::string();
}
const std::string& Cloud::project() const noexcept { return impl_->model.project; }

void Cloud::Impl::changed() {
  ++version;
  const auto copy = *listeners;  // a listener may unsubscribe itself
  for (const auto& listener : copy) listener();
}

void Cloud::set_metadata(std::string_view path, std::optional<std::string> value) {
  std::optional<MetadataValue> shown;
  if (value) {
    const auto known = impl_->state.metadata.find(path);
    const bool has_kind = known != impl_->state.metadata.end() && !known->second.empty() && known->second.front().value;
    shown = MetadataValue{has_kind ? known->second.front().value->kind : MetadataKind::text, *std::move(value)};
  }
  impl_->state.metadata.insert_or_assign(std::string(path), always(std::move(shown)));
  impl_->changed();
}

std::shared_ptr<void> Cloud::subscribe(std::function<void()> changed) {
  impl_->listeners->push_back(std::move(changed));
  const auto at = std::prev(impl_->listeners->end());
  return std::shared_ptr<void>(impl_->listeners.get(), [listeners = impl_->listeners, at](void*) { listeners->erase(at); });
}

}  // namespace rollcall::sim
