// Fuzz target: a question to the service, from any client. An accepted question is within its bounds, and reads as the same after it is
// written.
#include "fleet/wire/fleet_question.hpp"

#include <cstdint>

#include "check.hpp"
#include "fleet/wire/position.hpp"
#include "fleet/wire/served_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) noexcept {
  using namespace rollcall;
  using namespace rollcall::fleet;
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto position = Position::parse(text)) require(position->to_text() == text);
  const Result<FleetQuestion> question = FleetQuestion::parse(text);
  require_sane(question);
  if (!question) return 0;
  require(includes(usually_ready, question->until) && question->members >= 0 && question->members <= 65536);
  require(question->wait.count() >= 0 && question->wait <= max_wait);
  require_sane(check_served(question->target));
  FleetQuestion known = *question;  // an empty item is written as none
  for (auto& [key, items] : known.target.options) {
    if (items.size() == 1 && items.front().empty()) items.clear();
  }
  const std::string written = known.to_text();
  for (const char c : written) require(c > ' ' && c < 0x7f);
  const Result<FleetQuestion> again = FleetQuestion::parse(written);
  require(again && *again == known);
  return 0;
}
