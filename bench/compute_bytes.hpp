// Answers of Compute Engine about an instance group of a thousand members: its pages, its members one by one, and lists by a filter.
#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace bench {

inline constexpr int group_page = 500;

inline std::string instance_answer(int i) {
  return fmt::format(R"({{"name":"worker-{}","networkInterfaces":[{{"name":"nic0","networkIP":"10.{}.{}.7"}}]}})", i, i / 250, i % 250);
}

inline std::string compute_answer(std::string_view target) {
  const std::string_view path = target.substr(0, target.find('?'));
  std::string items;
  if (path.ends_with("/listInstances")) {
    const int first = target.find("pageToken=") == std::string_view::npos ? 0 : group_page;
    for (int i = first; i < first + group_page; ++i) {
      items += fmt::format(R"({}{{"instance":"https://c/compute/v1/projects/p/zones/z/instances/worker-{}","status":"RUNNING"}})",
                           i == first ? "" : ",", i);
    }
    return fmt::format(R"({{"items":[{}]{}}})", items, first == 0 ? R"(,"nextPageToken":"2")" : "");
  }
  if (!path.ends_with("/instances")) return instance_answer(std::atoi(path.data() + path.rfind('-') + 1));
  // The filter's names stand between `worker-` and an encoded quote.
  for (std::size_t at = target.find("worker-"); at != std::string_view::npos; at = target.find("worker-", at + 1)) {
    items += (items.empty() ? "" : ",") + instance_answer(std::atoi(target.data() + at + 7));
  }
  return fmt::format(R"({{"items":[{}]}})", items);
}

}  // namespace bench
