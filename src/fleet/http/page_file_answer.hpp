// /page/NAME: the files of the overview page.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "fleet/http/body.hpp"
#include "fleet/http/page.hpp"

namespace rollcall::fleet {

class PageFileAnswer final : public Page {
 public:
  explicit PageFileAnswer(ServiceEntry& entry) : entry_(entry) {}
  asio::awaitable<void> answer(PageRequest request) override;

 private:
  asio::awaitable<void> send(ServerExchange& exchange, std::string_view name);

  ServiceEntry& entry_;
  std::map<std::string, Body, std::less<>> bodies_;  // by name; compressed when they are asked for first
};

}  // namespace rollcall::fleet
