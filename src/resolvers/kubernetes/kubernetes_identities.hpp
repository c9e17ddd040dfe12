// What identities keep from call to call: the credentials of plugins, and a pod's account. Configurations are read anew for each call.
#pragma once

#include <list>
#include <memory>

#include "resolvers/kubernetes/exec_plugin.hpp"
#include "resolvers/kubernetes/pod_account.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall {

class KubernetesIdentities {
 public:
  /// The same for equal plans and accesses, for as long as it is among the 64 used last.
  std::shared_ptr<ExecPlugin> plugin(const ExecPlan& plan, const std::shared_ptr<const ServerAccess>& access);
  std::shared_ptr<PodAccount> pod_account() { return pod_account_; }

 private:
  std::list<std::shared_ptr<ExecPlugin>> plugins_;  ///< the one used last comes first
  std::shared_ptr<PodAccount> pod_account_ = std::make_shared<PodAccount>();
};

/// The Runtime's.
KubernetesIdentities& kubernetes_identities(Runtime::Impl& impl);

}  // namespace rollcall
