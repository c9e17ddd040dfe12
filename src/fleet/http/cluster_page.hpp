// /v1/clusters/TARGET: parses the question, finds its group, and has it answered once or as a stream.
#pragma once

#include "fleet/http/cluster_answer.hpp"
#include "fleet/http/cluster_stream.hpp"
#include "fleet/http/page.hpp"

namespace rollcall::fleet {

class ClusterPage final : public Page {
 public:
  explicit ClusterPage(ServiceEntry& entry) : entry_(entry), answer_(entry), stream_(entry) {}
  asio::awaitable<void> answer(PageRequest request) override;

 private:
  ServiceEntry& entry_;
  ClusterAnswer answer_;
  ClusterStream stream_;
};

}  // namespace rollcall::fleet
