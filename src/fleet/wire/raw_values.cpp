#include "fleet/wire/raw_values.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cluster/service_address.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall::fleet {

std::string job_name_fault(std::string_view name) {
  const bool is_fine = !name.empty() && printable_line(name) == name;
  return is_fine ? std::string() : fmt::format("is {}, no name of a job", quoted(name, 64));
}

bool is_member_address(std::string_view text) {
  const Result<Endpoint> endpoint = Endpoint::parse(text);
  return endpoint && !service_host(endpoint->host).empty();
}

std::string set_raw_position(std::optional<Position>& slot, std::string_view text) {
  slot = Position::parse(text);
  return slot ? std::string() : fmt::format("is {}, no position", quoted(text, 64));
}

std::string set_raw_generation(std::optional<std::uint64_t>& slot, std::int64_t number) {
  if (number < 0) return fmt::format("is {}, no number of a generation", number);
  slot = static_cast<std::uint64_t>(number);
  return {};
}

std::string set_raw_age(Age& slot, std::int64_t milliseconds) {
  constexpr std::int64_t max_age = std::int64_t{366} * 24 * 60 * 60 * 1000;
  if (milliseconds < 0) return fmt::format("is {}, no age", milliseconds);
  slot = std::chrono::milliseconds(std::min(milliseconds, max_age));
  return {};
}

Failure malformed_document(std::string_view document, std::string_view what) {
  return Failure(Errc::malformed_response, fmt::format("{}: {}", document, what));
}

}  // namespace rollcall::fleet
