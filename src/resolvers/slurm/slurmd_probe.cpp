#include "resolvers/slurm/slurmd_probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "async/group.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "call/runtime_impl.hpp"

namespace rollcall {
namespace {

constexpr std::size_t slurmd_probes_at_a_time = 64;
constexpr Duration slurmd_probe_time = std::chrono::milliseconds(400);
constexpr Duration slurmd_probe_pause = std::chrono::milliseconds(400);
constexpr int silent_enough = 2;  // a slurmd that is restarted is away for a moment

// Empty: the connection was accepted.
asio::awaitable<Result<std::string>> trouble_of_slurmd(Runtime::Impl& impl, const Endpoint& slurmd) {
  const Result<void> taken = co_await impl.tcp->connect(slurmd, saturating_sum(impl.time->now(), slurmd_probe_time));
  if (taken) co_return std::string();
  const Failure failure = taken.error();
  if (failure.code() == Errc::cancelled) co_return failure;
  if (failure.code() == Errc::connect_timeout) co_return "no answer to a connection to " + slurmd.to_text();
  co_return printable(failure.what(), 200);
}

}  // namespace

void SlurmdProbe::set_nodes(const std::vector<SlurmNodeRecord>& nodes, const ClusterStatus& status) {
  std::map<std::string, Node> kept;
  std::map<std::string_view, const SlurmNodeRecord*> records;
  for (const SlurmNodeRecord& node : nodes) records.emplace(node.name, &node);
  for (const Member& member : status.members) {
    const auto record = records.find(member.host);
    const bool has_place =
        record != records.end() && !record->second->address.empty() && record->second->port > 0 && record->second->port <= 65535;
    if (!has_place || member.state.level == MemberState::lost) continue;
    Node& node = kept[member.host];
    const auto before = nodes_.find(member.host);
    if (before != nodes_.end()) node = before->second;
    Endpoint slurmd(record->second->address, static_cast<std::uint16_t>(record->second->port));
    if (slurmd.to_text() == node.slurmd.to_text()) continue;
    node = Node();
    node.slurmd = std::move(slurmd);
  }
  if (kept.size() > max_nodes) kept.clear();
  nodes_.swap(kept);
}

Duration SlurmdProbe::pause() const { return slurmd_probe_pause + std::chrono::milliseconds(2) * nodes_.size(); }

asio::awaitable<Result<bool>> SlurmdProbe::ask(Call& call) {
  Runtime::Impl& impl = impl_of(call);
  std::vector<std::pair<std::string, Endpoint>> asked;  // a status that arrives meanwhile may change the nodes
  for (const auto& [name, node] : nodes_) asked.emplace_back(name, node.slurmd);
  auto ask_one = [&impl, &asked](std::size_t i) { return trouble_of_slurmd(impl, asked[i].second); };
  std::function<asio::awaitable<Result<std::string>>(std::size_t)> ask = std::move(ask_one);
  const Result<std::vector<std::string>> troubles =
      co_await join_bounded<std::string>(asked.size(), slurmd_probes_at_a_time, std::move(ask));
  if (!troubles) co_return troubles.error();
  bool has_changed = false;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto found = nodes_.find(asked[i].first);
    if (found == nodes_.end()) continue;
    Node& node = found->second;
    const std::string& trouble = (*troubles)[i];
    if (trouble.empty()) {
      has_changed = has_changed || node.silent >= silent_enough;
      node.has_answered = true;
      node.silent = 0;
      continue;
    }
    if (!node.has_answered) continue;
    if (node.silent == 0) node.since = impl.time->wall_now();
    node.silent = std::min(node.silent + 1, silent_enough + 1);
    if (node.silent == silent_enough) {
      node.trouble = trouble;  // kept, so that the text of a status stays the same
      has_changed = true;
    }
  }
  co_return has_changed;
}

void SlurmdProbe::describe(ClusterStatus& status) const {
  for (Member& member : status.members) {
    const auto found = nodes_.find(member.host);
    if (found == nodes_.end() || found->second.silent < silent_enough) continue;
    if (member.state.level != MemberState::ready) continue;  // Slurm itself says more
    const std::string text =
        fmt::format("its slurmd does not answer any more: {}; Slurm says {}", found->second.trouble, member.state.text);
    member.state = Condition(MemberState::waiting, text);
    Cause cause(CauseLayer::node, "UNREACHABLE", text, "node " + member.host);
    cause.since = found->second.since;
    member.causes.push_back(std::move(cause));
  }
}

}  // namespace rollcall
