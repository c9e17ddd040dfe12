#include "fleet/wire/body_bounds.hpp"

#include <algorithm>
#include <string>

#include "base/text.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t max_bytes_of_text = 512;
constexpr std::size_t max_bytes_of_all_texts = 16 * 1024 * 1024;

void bound_text(std::string& text, std::size_t max) {
  if (text.size() > max) text = printable(text, max);
}

}  // namespace

void bound_texts(ClusterStatus& status) {
  const std::size_t max = std::min(max_bytes_of_text, max_bytes_of_all_texts / std::max<std::size_t>(2 * status.members.size(), 1));
  for (Member& member : status.members) {
    bound_text(member.state.text, max);
    bound_text(member.health.text, max);
  }
  bound_text(status.state.text, max_bytes_of_text);
  for (Notice& notice : status.notices) {
    bound_text(notice.subject, max_bytes_of_text);
    bound_text(notice.text, max_bytes_of_text);
  }
}

}  // namespace rollcall::fleet
