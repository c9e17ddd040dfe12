#include "render/host_marks.hpp"

#include <algorithm>

namespace rollcall {

std::string_view class_of(HostKind kind) noexcept {
  switch (kind) {
    case HostKind::plain: return "plain";
    case HostKind::ready: return "ready";
    case HostKind::waiting: return "waiting";
    case HostKind::unhealthy: return "unhealthy";
    case HostKind::down: return "down";
    case HostKind::unlisted: return "unlisted";
  }
  return "plain";
}

std::string_view sign_of(HostKind kind) noexcept {
  switch (kind) {
    case HostKind::plain:
    case HostKind::ready: return {};
    case HostKind::waiting: return "~";
    case HostKind::unhealthy: return "!";
    case HostKind::down: return "x";
    case HostKind::unlisted: return "?";
  }
  return {};
}

std::string_view marks_style() noexcept {
  return ".ready .host{fill:#d7f0dd;stroke:#2e7d4a}.waiting .host{fill:#fdf0cf;stroke:#9a6b00;stroke-dasharray:6 3}\n"
         ".unhealthy .host{fill:#fde3d0;stroke:#b4530a;stroke-width:2}.down .host{fill:#f9d6d5;stroke:#b3261e;stroke-width:2}\n"
         ".unlisted .host{fill:#eceff3;stroke:#6b7788;stroke-dasharray:2 3}\n"
         "@media(prefers-color-scheme:dark){text{fill:#e6eaf0}.page{fill:#14181e}.layer{fill:#1d232b;stroke:#6b7788}\n"
         ".host{fill:#27405f;stroke:#86a9d8}.link{stroke:#6b7788}.wrap{stroke:#86a9d8;fill:#14181e}\n"
         ".ready .host{fill:#1d3d29;stroke:#6fce92}.waiting .host{fill:#40340f;stroke:#e0b64a}.unhealthy "
         ".host{fill:#4a2c12;stroke:#f0a05a}\n"
         ".down .host{fill:#4d1f1d;stroke:#f0827a}.unlisted .host{fill:#20262e;stroke:#8a96a6}}\n";
}

HostMarks::HostMarks(const TpuLayout& layout) : layout_(layout), listed_(layout.type.hosts()) {
  if (layout.target.empty() || layout.state.empty()) return;  // a type, or no states are known
  switch (layout.level) {
    case MemberState::ready: kind_ = HostKind::ready; break;
    case MemberState::waiting:
    case MemberState::unschedulable: kind_ = layout.state == "READY" ? HostKind::unhealthy : HostKind::waiting; break;
    case MemberState::stopped:
    case MemberState::lost: kind_ = HostKind::down; break;
  }
  rest_ = kind_;
  const bool is_listed = layout.state == "READY";
  if (!is_listed) return;
  listed_ = std::min(listed_, static_cast<int>(layout.workers.size()));
  rest_ = HostKind::unlisted;
}

std::vector<HostKind> HostMarks::kinds() const {
  std::vector<HostKind> kinds;
  if (kind_ == HostKind::plain) return kinds;
  if (count(kind_) > 0) kinds.push_back(kind_);
  if (rest_ != kind_ && count(rest_) > 0) kinds.push_back(rest_);
  return kinds;
}

int HostMarks::count(HostKind kind) const noexcept {
  const int hosts = layout_.type.hosts();
  if (kind == kind_) return rest_ == kind_ ? hosts : listed_;
  return kind == rest_ ? hosts - listed_ : 0;
}

std::string HostMarks::words(HostKind kind) const {
  switch (kind) {
    case HostKind::plain: return {};
    case HostKind::unlisted: return "not listed by the TPU";
    case HostKind::unhealthy: return layout_.health;
    default: return layout_.state;
  }
}

}  // namespace rollcall
