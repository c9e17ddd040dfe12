// An answer that is not a success.
#pragma once

#include <string>
#include <utility>

#include "rollcall/error.hpp"

namespace rollcall::fleet {

/// An HTTP answer that is not a success: the status, and the failure that its body reports.
class Refusal {
 public:
  Refusal(int with_status, Failure why) : status(with_status), failure(std::move(why)) {}
  int status;
  Failure failure;
  std::string target;  ///< named in the body; empty: none
};

}  // namespace rollcall::fleet
