// The tasks of a job in a cluster's specification: of the pods of one selector, or of several one after the other. Pure.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/saturating.hpp"
#include "resolvers/kubernetes/rules/found_pod.hpp"
#include "rollcall/cluster_spec.hpp"

namespace rollcall {

class SelectedTasks {
 public:
  SelectedTasks() {}
  SelectedTasks(const PodPointers& pods, const KubernetesOptions& options, bool has_all_places) : addresses_(pod_addresses(pods, options)) {
    if (has_all_places) {
      places_ = static_cast<int>(addresses_.size());
      return;
    }
    const TaskNumbers numbers(pods, options.order() != PodOrder::name);
    if (!pods.empty()) places_ = numbers.all_places(saturating_sum(numbers.of(*pods.back(), static_cast<int>(pods.size()) - 1), 1));
    if (numbers.has_numbers() && numbers.of(*pods.back(), 0) >= static_cast<int>(pods.size())) {  // otherwise they are 0, 1, 2 …
      for (const FoundPod* const pod : pods) numbers_.push_back(numbers.of(*pod, 0));
    }
  }

  void append(SelectedTasks more) {
    const int places = std::exchange(places_, saturating_sum(places_, more.places_));
    if (addresses_.empty()) {
      *this = std::move(more);
      return;
    }
    if (!numbers_.empty() || !more.numbers_.empty() || places > static_cast<int>(addresses_.size())) {
      for (int i = static_cast<int>(numbers_.size()); i < static_cast<int>(addresses_.size()); ++i) numbers_.push_back(i);
      for (std::size_t i = 0; i < more.addresses_.size(); ++i)
        numbers_.push_back(saturating_sum(places, more.numbers_.empty() ? static_cast<int>(i) : more.numbers_[i]));
    }
    std::move(more.addresses_.begin(), more.addresses_.end(), std::back_inserter(addresses_));
  }

  Result<void> add_to(ClusterSpec& spec, const std::string& job) && {
    if (numbers_.empty()) {
      spec.set_job(job, std::move(addresses_));
      return {};
    }
    ClusterSpec::Tasks tasks;
    for (std::size_t i = 0; i < numbers_.size(); ++i) tasks.emplace(numbers_[i], std::move(addresses_[i]));
    return spec.set_job(job, std::move(tasks));
  }

 private:
  std::vector<std::string> addresses_;
  std::vector<int> numbers_;  // ascending; empty: 0, 1, 2 …
  int places_ = 0;            // of these and of the pods that are missing among them
};

}  // namespace rollcall
