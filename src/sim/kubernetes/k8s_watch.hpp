// What watches of all resources share.
#pragma once

#include <functional>
#include <string_view>

#include "sim/kubernetes/k8s_api.hpp"

namespace rollcall::sim {

/// The objects of a watch.
class KubeWatchSource {
 public:
  using Send = std::function<void(std::string_view type, boost::json::object object)>;
  virtual ~KubeWatchSource() = default;
  /// All that are there now, by name.
  virtual void send_present(const Send& send) const = 0;
  /// What the event with this version changed.
  virtual void send_change(std::uint64_t version, const KubeEvent& event, const Send& send) const = 0;
  /// The object of a bookmark.
  virtual boost::json::object bookmark(boost::json::object metadata) const = 0;
};

Reply kube_watch(const KubeQuestion& question, const KubeListOptions& options, const KubeWatchSource& source);

}  // namespace rollcall::sim
