// /v1/prometheus: the members of clusters, as Prometheus discovers targets (http_sd_configs).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "fleet/http/page.hpp"

namespace rollcall::fleet {

/// After an answer other than 200 Prometheus keeps its targets. So an unknown target is answered by 503 and not by an empty list.
class ScrapePage final : public Page {
 public:
  explicit ScrapePage(ServiceEntry& entry) : entry_(entry) {}
  asio::awaitable<void> answer(PageRequest request) override;

 private:
  using Topics = std::vector<std::shared_ptr<Topic>>;
  asio::awaitable<void> send(ServerExchange& exchange, ClientPtr client, StreamSlotPtr slot, Topics topics,
                             std::optional<std::uint16_t> port, bool are_named);
  std::optional<Refusal> refusal_of(const Topic& topic, const Client& client, bool is_named) const;

  ServiceEntry& entry_;
};

}  // namespace rollcall::fleet
