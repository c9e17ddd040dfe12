// A preflight: the members of a cluster meet, probe each other at their own ports, and end with one verdict.
#pragma once

#include <asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rollcall/barrier_progress.hpp"
#include "rollcall/call.hpp"
#include "rollcall/cluster_spec.hpp"
#include "rollcall/launch.hpp"
#include "rollcall/preflight_evidence.hpp"
#include "rollcall/preflight_verdict.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall {

class PreflightOptions {
 public:
  PreflightOptions() {}
  static constexpr std::size_t max_members = 4096;
  // clang-format off
  /// Which run of the job this is: members of another run are not let in. The same for all members.
  PreflightOptions& run(std::string name) { run_ = std::move(name); return *this; }
  /// The file whose first line, of 16 bytes at least, is the secret that all members share, and prove to each other. Empty: the one that
  /// ROLLCALL_SECRET_FILE names, if any.
  PreflightOptions& secret_file(std::string path) { secret_file_ = std::move(path); return *this; }
  /// How long members that are missing are waited for. Default: 5 minutes. Once one member waits no longer, none does.
  PreflightOptions& timeout(std::chrono::nanoseconds t) { timeout_ = t; return *this; }
  /// Where members listen and are probed, the same for all. Default 0: the port of each one's address.
  PreflightOptions& port(std::uint16_t number) { port_ = number; return *this; }
  /// The name of this host, which findings show.
  PreflightOptions& host(std::string name) { host_ = std::move(name); return *this; }
  /// Facts of this host, which are compared with those of others, and what its own checks found.
  PreflightOptions& facts(std::vector<EvidenceFact> of_host) { facts_ = std::move(of_host); return *this; }
  PreflightOptions& findings(std::vector<Finding> of_host) { findings_ = std::move(of_host); return *this; }
  /// The packages of this host's Python, as HostReport::packages: reported where the fact `packages` differs from that of other hosts.
  PreflightOptions& packages(std::vector<std::string> of_host) { packages_ = std::move(of_host); return *this; }
  /// An id that is new after each start of the machine: tasks of one host are compared with others once.
  PreflightOptions& boot_id(std::string id) { boot_id_ = std::move(id); return *this; }
  /// What this host is on, such as a switch or a rack: hosts that fail together are named by it. Empty: not known.
  PreflightOptions& block(std::string name) { block_ = std::move(name); return *this; }
  /// The same of each task, `worker:3`, where the cluster's service knows it, such as slices: it comes before what hosts say themselves.
  PreflightOptions& blocks(std::map<std::string, std::string> by_task) { blocks_ = std::move(by_task); return *this; }
  /// What could not be found out about this host.
  PreflightOptions& unknown(std::vector<PreflightUnknown> of_host) { unknown_ = std::move(of_host); return *this; }
  /// False: something that must be known of this host is not, and the cluster does not pass.
  PreflightOptions& is_host_known(bool b) { is_host_known_ = b; return *this; }
  /// Bandwidth is measured in rounds, one flow of 0.8 s between two hosts at a time. The same for all members.
  PreflightOptions& bandwidth(bool b) { bandwidth_ = b; return *this; }
  /// Called on the Runtime's executor at each change, with a line for people.
  PreflightOptions& on_progress(std::function<void(std::string_view)> f) { on_progress_ = std::move(f); return *this; }
  /// Called on the Runtime's executor at each change while members are waited for, before on_progress(): which are there.
  PreflightOptions& on_attendance(std::function<void(const BarrierProgress&)> f) { on_attendance_ = std::move(f); return *this; }
  /// Called on the Runtime's executor where this process has judged: with what it has judged by.
  PreflightOptions& on_evidence(std::function<void(const PreflightEvidence&)> f) { on_evidence_ = std::move(f); return *this; }
  // clang-format on
  const std::string& run() const noexcept { return run_; }
  const std::string& secret_file() const noexcept { return secret_file_; }
  std::chrono::nanoseconds timeout() const noexcept { return timeout_; }
  std::uint16_t port() const noexcept { return port_; }
  const std::string& host() const noexcept { return host_; }
  const std::vector<EvidenceFact>& facts() const noexcept { return facts_; }
  const std::vector<std::string>& packages() const noexcept { return packages_; }
  const std::vector<Finding>& findings() const noexcept { return findings_; }
  const std::string& boot_id() const noexcept { return boot_id_; }
  const std::string& block() const noexcept { return block_; }
  const std::map<std::string, std::string>& blocks() const noexcept { return blocks_; }
  const std::vector<PreflightUnknown>& unknown() const noexcept { return unknown_; }
  bool is_host_known() const noexcept { return is_host_known_; }
  bool bandwidth() const noexcept { return bandwidth_; }
  const std::function<void(std::string_view)>& on_progress() const noexcept { return on_progress_; }
  const std::function<void(const BarrierProgress&)>& on_attendance() const noexcept { return on_attendance_; }
  const std::function<void(const PreflightEvidence&)>& on_evidence() const noexcept { return on_evidence_; }

 private:
  std::string run_;
  std::string secret_file_;
  std::chrono::nanoseconds timeout_ = std::chrono::minutes(5);
  std::uint16_t port_ = 0;
  std::string host_;
  std::vector<EvidenceFact> facts_;
  std::vector<std::string> packages_;
  std::vector<Finding> findings_;
  std::string boot_id_;
  std::string block_;
  std::map<std::string, std::string> blocks_;
  std::vector<PreflightUnknown> unknown_;
  bool is_host_known_ = true;
  bool bandwidth_ = false;
  std::function<void(std::string_view)> on_progress_;
  std::function<void(const BarrierProgress&)> on_attendance_;
  std::function<void(const PreflightEvidence&)> on_evidence_;
};

/// Runs on each host of `spec`, which all call it with the same spec and run. Each member listens at the port of its address, over plain
/// HTTP, until the verdict, and leaves the port free, without connections in TIME_WAIT. With a secret nothing is believed that does not
/// prove that it knows it; nothing is encrypted. Without one a program that reaches that port and knows the whole list of addresses can
/// say that it is a member, so use it in a network that you trust.
///
/// What is wrong with the cluster is in the verdict, which is the same for all that a gatherer of reports reached, and not an error. A
/// member that reached none judges by what it saw itself, and does not pass.
///
/// May suspend; cancellable. Errors: invalid_argument: `own` is no task of the cluster, two tasks have one address, or are to listen at one
/// port of a host, an address without a port, more than PreflightOptions::max_members, a secret that is too short.
asio::awaitable<Result<PreflightVerdict>> try_preflight_cluster(Runtime runtime, ClusterSpec spec, LaunchedTask own,
                                                                PreflightOptions options = {});
/// The same; throws ResolveError.
asio::awaitable<PreflightVerdict> preflight_cluster(Runtime runtime, ClusterSpec spec, LaunchedTask own, PreflightOptions options = {});

}  // namespace rollcall
