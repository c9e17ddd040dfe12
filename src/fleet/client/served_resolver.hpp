// The resolver that asks a service for the cluster, and the resolver behind it for everything else.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fleet/client/served_cluster.hpp"
#include "rollcall/resolver.hpp"

namespace rollcall {

/// `Base` is the public class of the resolver behind it: ClusterResolver, or a class that has more members.
template <class Base>
class Served : public Base {
 public:
  Served(std::shared_ptr<RemoteServers> servers, std::shared_ptr<ClusterResolver> local, Target target)
      : Base(local->runtime()), cluster_(std::move(servers), local, std::move(target)), first_type_(local->do_task_type().value()) {
    this->task_type_ = first_type_;
    this->task_id_ = local->do_task_id().value();
    this->rpc_layer_ = local->do_rpc_layer().value();
  }

  std::string describe() const override { return cluster_.local().describe(); }

  asio::awaitable<Result<ClusterSpec>> do_cluster_spec(Call& call) override { return cluster_.spec(call, updated_job()); }
  asio::awaitable<Result<ClusterStatus>> do_cluster_status(Call& call) override { return cluster_.status(call, updated_job()); }
  bool supports_watch() const override { return true; }
  asio::awaitable<Result<void>> do_follow(Call& call, StatusObserver& observer) override {
    return cluster_.follow(call, updated_job(), observer);
  }
  Result<std::optional<std::string>> do_environment() const override { return cluster_.local().do_environment(); }
  Result<void> check_task_type(const std::optional<std::string>& value) const override { return cluster_.local().check_task_type(value); }

 protected:
  /// The resolver behind this one, with the same properties.
  ClusterResolver& local() const {
    ClusterResolver& behind = cluster_.local();
    if (behind.do_task_type().value() != this->task_type_) (void)behind.set_task_type(this->task_type_);
    (void)behind.set_task_id(this->task_id_);
    (void)behind.set_rpc_layer(this->rpc_layer_);
    return behind;
  }
  /// The task type before a setter changed it.
  const std::optional<std::string>& first_type() const { return first_type_; }
  /// The name of the job that the service is asked for, where it is not the target's.
  virtual std::optional<std::string> job() const { return std::nullopt; }

 private:
  // The resolver behind this one may be asked next.
  std::optional<std::string> updated_job() const {
    (void)local();
    return job();
  }

  ServedCluster cluster_;
  std::optional<std::string> first_type_;
};

}  // namespace rollcall
