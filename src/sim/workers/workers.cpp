#include "sim/workers/workers.hpp"

#include <algorithm>
#include <tuple>

#include "sim/model/model.hpp"

namespace rollcall::sim {

namespace {

std::optional<Endpoint> address_of(const std::string& ip, int port) {
  if (ip.empty() || port < 0 || port > 65535) return std::nullopt;
  return Endpoint(ip, port == 0 ? default_worker_port : static_cast<std::uint16_t>(port));
}

bool is_at(const NodeEndpoint& endpoint, const Endpoint& address) {
  if (endpoint.ip != address.host && endpoint.external_ip != address.host) return false;
  return address_of(address.host, endpoint.port) == address;
}

std::optional<Duration> sooner(std::optional<Duration> a, std::optional<Duration> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

// The time since when the timeline satisfies `is_on` without a break.
template <class Moment, class IsOn>
Duration since(const std::vector<Moment>& timeline, Duration now, IsOn is_on) {
  Duration out = now;
  for (auto at = timeline.rbegin(); at != timeline.rend(); ++at) {
    if (at->at > now) continue;
    if (!is_on(*at)) break;
    out = at->at;
  }
  return out;
}

// The number of workers below `index` with the same job.
int task_of(const NodeWorkers& workers, std::size_t index) {
  const std::string& job = workers.at(index).job;
  const bool is_usual = job == workers.usual.job;
  std::size_t same = is_usual ? index : 0;
  for (auto other = workers.others.begin(); other != workers.others.end() && other->first < index; ++other) {
    const bool has_job = other->second.job == job;
    if (is_usual && !has_job) --same;
    if (!is_usual && has_job) ++same;
  }
  return static_cast<int>(same);
}

bool is_running(const WorkerMoment& moment) { return moment.is_running; }

bool ever_runs(const WorkerModel& worker) { return std::any_of(worker.timeline.begin(), worker.timeline.end(), is_running); }

}  // namespace

std::optional<WorkerPlace> find_worker(const Model& model, const Endpoint& address, Duration now) {
  for (std::size_t i = 0; i < model.workers.size(); ++i) {
    if (model.workers[i].address == address) return WorkerPlace{nullptr, i};
  }
  for (const NodeModel& node : model.nodes) {
    const NodeMoment* const moment = node.workers ? moment_at(node.timeline, now) : nullptr;
    if (!moment) continue;
    const auto found = std::find_if(moment->endpoints.begin(), moment->endpoints.end(),
                                    [&](const NodeEndpoint& endpoint) { return is_at(endpoint, address); });
    if (found != moment->endpoints.end()) return WorkerPlace{&node, static_cast<std::size_t>(found - moment->endpoints.begin())};
  }
  return std::nullopt;
}

WorkerNow worker_at(const Model& model, const WorkerPlace& place, Duration now) {
  WorkerNow out;
  if (!place.node) {
    const FreeWorker& free = model.workers[place.index];
    out.address = free.address;
    out.job = free.worker.job;
    out.task = free.task;
    out.is_alone = free.worker.is_alone;
    out.moment = moment_at(free.worker.timeline, now);
    out.running_since = since(free.worker.timeline, now, is_running);
    out.next_change = next_moment(free.worker.timeline, now);
  } else {
    const NodeMoment* const node = moment_at(place.node->timeline, now);
    const WorkerModel& worker = place.node->workers->at(place.index);
    const NodeEndpoint& endpoint = node->endpoints[place.index];
    out.address = address_of(endpoint.ip, endpoint.port).value_or(Endpoint());
    out.job = worker.job;
    out.task = task_of(*place.node->workers, place.index);
    out.is_alone = worker.is_alone;
    if (node->state == "READY") out.moment = moment_at(worker.timeline, now);
    const Duration node_since = since(place.node->timeline, now, [](const NodeMoment& moment) { return moment.state == "READY"; });
    out.running_since = std::max(node_since, since(worker.timeline, now, is_running));
    out.next_change = sooner(next_moment(worker.timeline, now), next_moment(place.node->timeline, now));
  }
  if (out.moment && !out.moment->is_running) out.moment = nullptr;
  return out;
}

std::vector<WorkerPlace> cluster_of(const Model& model, const WorkerPlace& place, Duration now) {
  std::vector<WorkerPlace> out;
  if (place.node) {
    const std::size_t count = moment_at(place.node->timeline, now)->endpoints.size();
    for (std::size_t i = 0; i < count; ++i) out.push_back(WorkerPlace{place.node, i});
  } else {
    const std::string& cluster = model.workers[place.index].cluster;
    for (std::size_t i = 0; i < model.workers.size(); ++i) {
      if (model.workers[i].cluster == cluster) out.push_back(WorkerPlace{nullptr, i});
    }
  }
  return out;
}

std::vector<Endpoint> worker_addresses(const Model& model) {
  std::vector<Endpoint> out;
  const auto add = [&out](std::optional<Endpoint> address) {
    if (address) out.push_back(*std::move(address));
  };
  for (const FreeWorker& worker : model.workers) {
    if (ever_runs(worker.worker)) add(worker.address);
  }
  for (const NodeModel& node : model.nodes) {
    if (!node.workers) continue;
    for (const NodeMoment& moment : node.timeline) {
      for (std::size_t i = 0; i < moment.endpoints.size(); ++i) {
        const NodeEndpoint& endpoint = moment.endpoints[i];
        if (!ever_runs(node.workers->at(i))) continue;
        add(address_of(endpoint.ip, endpoint.port));
        add(address_of(endpoint.external_ip, endpoint.port));
      }
    }
  }
  const auto before = [](const Endpoint& a, const Endpoint& b) { return std::tie(a.host, a.port) < std::tie(b.host, b.port); };
  std::sort(out.begin(), out.end(), before);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::optional<Duration> next_worker_change(const Model& model, Duration now) {
  std::optional<Duration> out;
  for (const FreeWorker& worker : model.workers) out = sooner(out, next_moment(worker.worker.timeline, now));
  for (const NodeModel& node : model.nodes) {
    if (!node.workers) continue;
    out = sooner(out, sooner(next_moment(node.timeline, now), next_moment(node.workers->usual.timeline, now)));
    for (const auto& [number, worker] : node.workers->others) out = sooner(out, next_moment(worker.timeline, now));
  }
  return out;
}

}  // namespace rollcall::sim
