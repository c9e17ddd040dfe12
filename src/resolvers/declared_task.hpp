// What resolvers have in common whose surroundings tell one process its cluster and its own task in it: TF_CONFIG, SageMaker.
#pragma once

#include <memory>

#include "readiness/fixed_members.hpp"
#include "rollcall/resolver.hpp"

namespace rollcall {

/// The surroundings, parsed. Whether they are fine is said by each value when it is asked for: invalid_argument, failed_precondition.
class DeclaredTask {
 public:
  virtual ~DeclaredTask() = default;
  virtual Result<ClusterSpec> cluster() const = 0;
  virtual Result<std::optional<std::string>> task_type() const = 0;
  virtual Result<std::optional<int>> task_id() const = 0;
  virtual Result<std::optional<std::string>> rpc_layer() const;       ///< default: none
  virtual Result<std::optional<std::string>> session_master() const;  ///< the master as it is, whatever the cluster; default: none
  virtual Failure no_task() const;                                    ///< neither these nor the caller name the task
};

/// Values that the user gave go before those of the surroundings, which are read anew, and once, by each call.
class DeclaredTaskResolver : public ClusterResolver, public FixedMembers {
 public:
  asio::awaitable<Result<ClusterSpec>> do_cluster_spec(Call& call) override;
  asio::awaitable<Result<ClusterStatus>> do_cluster_status(Call& call) override;
  asio::awaitable<Result<std::string>> do_master(Call& call, std::optional<std::string> task_type, std::optional<int> task_id,
                                                 std::optional<std::string> rpc_layer) override;
  asio::awaitable<Result<AcceleratorCounts>> do_num_accelerators(Call& call, std::optional<std::string> task_type,
                                                                 std::optional<int> task_id) override;
  Result<std::optional<std::string>> do_task_type() const override;
  Result<std::optional<int>> do_task_id() const override;
  Result<std::optional<std::string>> do_rpc_layer() const override;
  Result<std::optional<std::string>> do_environment() const override { return environment_; }
  bool has_fixed_members() const override { return true; }

 protected:
  /// Of TfConfigOptions and the like.
  template <class Options>
  DeclaredTaskResolver(Runtime runtime_handle, const Options& options)
      : ClusterResolver(std::move(runtime_handle)), environment_(options.environment()) {
    task_type_ = options.task_type();
    task_id_ = options.task_id();
    rpc_layer_ = options.rpc_layer();
  }

  virtual std::unique_ptr<DeclaredTask> read() const = 0;

 private:
  Result<void> fill_in_from(const DeclaredTask& own, std::optional<std::string>& task_type, std::optional<int>& task_id,
                            std::optional<std::string>& rpc_layer) const;
  Result<std::string> find_master(std::optional<std::string> task_type, std::optional<int> task_id,
                                  std::optional<std::string> rpc_layer) const;

  std::optional<std::string> environment_;
};

}  // namespace rollcall
