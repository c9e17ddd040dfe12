#include "fleet/wire/told_bounds.hpp"

#include <algorithm>
#include <string>

#include "base/text.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t most_bytes_of_text = 512;
constexpr std::size_t most_bytes_of_all_texts = 16 * 1024 * 1024;

void bound_text(std::string& text, std::size_t most) {
  if (text.size() > most) text = printable(text, most);
}

}  // namespace

void bound_texts(ClusterStatus& status) {
  const std::size_t most = std::min(most_bytes_of_text, most_bytes_of_all_texts / std::max<std::size_t>(2 * status.members.size(), 1));
  for (Member& member : status.members) {
    bound_text(member.state.text, most);
    bound_text(member.health.text, most);
  }
  bound_text(status.state.text, most_bytes_of_text);
  for (Notice& notice : status.notices) {
    bound_text(notice.subject, most_bytes_of_text);
    bound_text(notice.text, most_bytes_of_text);
  }
}

}  // namespace rollcall::fleet
