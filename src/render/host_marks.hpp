// The states of a TPU's hosts in a picture: a colour, a stroke and a sign for each state, so that it can be read without colours. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "render/render_topology.hpp"

namespace rollcall {

enum class HostKind {
  plain,      ///< of a type: there is no state
  ready,
  waiting,
  unhealthy,  ///< the state is fine, the health is not
  down,       ///< stopped, preempted, being deleted
  unlisted,   ///< the type has such a host, but the TPU does not list it
};

std::string_view class_of(HostKind kind) noexcept;
/// A character in the corner of the host; empty: none.
std::string_view sign_of(HostKind kind) noexcept;
/// CSS, for light and dark.
std::string_view marks_style() noexcept;

class HostMarks {
 public:
  explicit HostMarks(const TpuLayout& layout);
  HostKind kind_of(int worker) const noexcept { return worker < listed_ ? kind_ : rest_; }
  /// The marks that occur; none if no states are known.
  std::vector<HostKind> kinds() const;
  int count(HostKind kind) const noexcept;
  /// `READY`, `UNHEALTHY_TENSORFLOW`, `not listed`: the service's word. Foreign text.
  std::string words(HostKind kind) const;

 private:
  const TpuLayout& layout_;
  int listed_ = 0;
  HostKind kind_ = HostKind::plain;
  HostKind rest_ = HostKind::plain;
};

}  // namespace rollcall
