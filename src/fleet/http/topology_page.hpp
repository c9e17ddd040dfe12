// /v1/topology/TYPE: the shape of an accelerator, for the drawings of the overview page.
#pragma once

#include "fleet/http/page.hpp"

namespace rollcall::fleet {

class TopologyPage final : public Page {
 public:
  explicit TopologyPage(ServiceEntry& entry) : entry_(entry) {}
  asio::awaitable<void> answer(PageRequest request) override;

 private:
  ServiceEntry& entry_;
};

}  // namespace rollcall::fleet
