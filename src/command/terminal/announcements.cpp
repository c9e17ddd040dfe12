#include "command/terminal/announcements.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace rollcall::tools {

Announcements::Announcements(const asio::any_io_executor& executor, std::function<void(const std::string& why)> tell)
    : tell_(std::move(tell)), lanes_{Lane(executor), Lane(executor), Lane(executor), Lane(executor)} {}

void Announcements::add(AnnouncementKind kind, const std::string& why) {
  Lane& lane = lanes_[static_cast<std::size_t>(kind)];
  if (!lane.is_paused) return tell_and_pause(lane, why);
  lane.last = why;
  ++lane.waiting;
}

void Announcements::tell_and_pause(Lane& lane, const std::string& why) {
  tell_(why);
  lane.is_paused = true;
  lane.pause.expires_after(std::chrono::seconds(1));
  lane.pause.async_wait([this, &lane](const std::error_code& error) {
    if (error) return;
    lane.is_paused = false;
    const std::size_t count = std::exchange(lane.waiting, 0);
    if (count == 0) return;
    tell_and_pause(lane, count == 1 ? lane.last : fmt::format("{} (the last of {} announcements)", lane.last, count));
  });
}

}  // namespace rollcall::tools
