// One cluster that a service knows: its target in the service's form, one question with all its tries, and following it.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <string>

#include "fleet/client/remote_servers.hpp"
#include "rollcall/resolver.hpp"
#include "rollcall/target.hpp"

namespace rollcall {

class TargetScheme;

class ServedCluster {
 public:
  /// `local` asks the cloud itself; `target` is one that check_served() accepts.
  ServedCluster(std::shared_ptr<RemoteServers> servers, std::shared_ptr<ClusterResolver> local, Target target)
      : servers_(std::move(servers)), local_(std::move(local)), target_(std::move(target)) {}

  ClusterResolver& local() const noexcept { return *local_; }
  const Target& target() const noexcept { return target_; }

  // As ClusterResolver's do_ members. `job`: the name of the job of a TPU's workers, where it differs from the target's.
  // Errors: the service's, in the local resolver's words; unreachable while no server answers.
  asio::awaitable<Result<ClusterSpec>> spec(Call& call, std::optional<std::string> job);
  asio::awaitable<Result<ClusterStatus>> status(Call& call, std::optional<std::string> job);
  asio::awaitable<Result<void>> follow(Call& call, std::optional<std::string> job, StatusObserver& observer);

 private:
  std::shared_ptr<RemoteServers> servers_;
  std::shared_ptr<ClusterResolver> local_;
  Target target_;
};

/// The target as every client of the same cluster writes it: with project and zone, keys in order, without keys that only concern the
/// client. Errors: as complete_place.
asio::awaitable<Result<Target>> common_target(Call& call, Target target, std::optional<std::string> job);

/// The question is repeated while the data are too old: `the service's data is 45 s old`.
Failure too_old(Duration age);

/// Follows `target` by streams until it is cancelled or has a final failure; while no server answers, by `local`, at the times of
/// ServerLoss.
asio::awaitable<Result<void>> follow_served(Call& call, std::shared_ptr<RemoteServers> servers, std::shared_ptr<ClusterResolver> local,
                                            Target target, StatusObserver& observer);

/// A resolver of the scheme that asks the Runtime's servers, if it has any, with `local` behind it. `local` itself where no service answers
/// for the target. Errors: invalid_argument, of the servers' options.
Result<std::shared_ptr<ClusterResolver>> make_served_resolver(std::shared_ptr<ClusterResolver> local, const Target& target,
                                                              const TargetScheme& scheme);

}  // namespace rollcall
