#include "base/page_cursor.hpp"

#include <fmt/format.h>

namespace rollcall {

Result<bool> PageCursor::advance(std::string_view next) {
  token_ = next;
  if (token_.empty()) return false;
  if (!seen_.insert(token_).second) return Failure(Errc::malformed_response, list_ + ": the same page token came twice");
  if (seen_.size() >= max_pages_) return Failure(Errc::limit_exceeded, fmt::format("{}: more than {} pages", list_, max_pages_));
  return true;
}

}  // namespace rollcall
