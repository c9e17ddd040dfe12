#include "resolvers/kubernetes/kubernetes_identities.hpp"

#include <algorithm>

#include "call/runtime_impl.hpp"

namespace rollcall {

std::shared_ptr<ExecPlugin> KubernetesIdentities::plugin(const ExecPlan& plan, const std::shared_ptr<const ServerAccess>& access) {
  constexpr std::size_t most = 64;
  const auto is_wanted = [&](const std::shared_ptr<ExecPlugin>& known) {
    const bool is_reached_alike = known->access() == access || (known->access() && access && *known->access() == *access);
    return is_reached_alike && known->plan() == plan;
  };
  const auto found = std::find_if(plugins_.begin(), plugins_.end(), is_wanted);
  if (found != plugins_.end()) {
    plugins_.splice(plugins_.begin(), plugins_, found);
  } else {
    plugins_.push_front(std::make_shared<ExecPlugin>(plan, access));
    if (plugins_.size() > most) plugins_.pop_back();
  }
  return plugins_.front();
}

KubernetesIdentities& kubernetes_identities(Runtime::Impl& impl) {
  if (!impl.kubernetes_identities) impl.kubernetes_identities = std::make_shared<KubernetesIdentities>();
  return *impl.kubernetes_identities;
}

}  // namespace rollcall
