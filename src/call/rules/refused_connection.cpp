#include "call/rules/refused_connection.hpp"

#include "base/text.hpp"

namespace rollcall {

bool has_host_refused(const Failure& failure) {
  const bool is_connection = failure.code() == Errc::unreachable || failure.code() == Errc::connect_timeout;
  return is_connection && to_lower(failure.what()).find("connection refused") != std::string::npos;
}

}  // namespace rollcall
