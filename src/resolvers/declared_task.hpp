// The common base of resolvers whose environment declares the cluster and the process's own task: TF_CONFIG, SageMaker.
#pragma once

#include <memory>

#include "readiness/fixed_members.hpp"
#include "rollcall/resolver.hpp"

namespace rollcall {

/// The parsed environment. Each value reports its own faults when it is read: invalid_argument, failed_precondition.
class DeclaredTask {
 public:
  virtual ~DeclaredTask() = default;
  virtual Result<ClusterSpec> cluster() const = 0;
  virtual Result<std::optional<std::string>> task_type() const = 0;
  virtual Result<std::optional<int>> task_id() const = 0;
  virtual Result<std::optional<std::string>> rpc_layer() const;       ///< default: none
  virtual Result<std::optional<std::string>> session_master()
      const;  ///< a master that is used as it is, regardless of the cluster; default: none
  virtual Failure no_task() const;  ///< the error when neither the environment nor the caller names the task
};

/// Values of the user take precedence over those of the environment. Each call reads the environment once.
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
  /// From TfConfigOptions and similar classes.
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
