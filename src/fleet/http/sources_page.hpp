// /v1/sources: the sources that the service polls, for clients that may read the metrics.
#pragma once

#include "fleet/http/page.hpp"

namespace rollcall::fleet {

class SourcesPage final : public Page {
 public:
  explicit SourcesPage(ServiceEntry& entry) : entry_(entry) {}
  asio::awaitable<void> answer(PageRequest request) override;

 private:
  ServiceEntry& entry_;
};

}  // namespace rollcall::fleet
