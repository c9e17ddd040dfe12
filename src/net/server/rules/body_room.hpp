// Memory for the bodies that a server reads at a time: for what has arrived of them, not for what was announced. Pure.
#pragma once

#include <algorithm>
#include <boost/intrusive/list.hpp>
#include <cstddef>

namespace rollcall {

class BodyRooms;

/// The memory of one body, while this object lives. Where all is taken the largest body ends, of equal ones the oldest: clients that send
/// much, and slowly, cannot keep out a small body, however many they are.
class BodyRoom : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  using OnEnd = void (*)(void* context) noexcept;

  /// `on_end` must free the body's memory.
  BodyRoom(BodyRooms& all, OnEnd on_end, void* context);
  ~BodyRoom() { give_back(); }
  BodyRoom(const BodyRoom&) = delete;
  BodyRoom& operator=(const BodyRoom&) = delete;
  /// The body has this size now; others may end for it. False: it is the one that must end.
  bool hold(std::size_t bytes) noexcept;
  /// It has ended for others.
  bool is_ended() const noexcept { return is_ended_; }

 private:
  void give_back() noexcept;
  void end() noexcept {
    give_back();
    is_ended_ = true;
    on_end_(context_);
  }

  BodyRooms& all_;
  OnEnd on_end_;
  void* context_;
  std::size_t held_ = 0;
  bool is_ended_ = false;
};

class BodyRooms {
 public:
  /// 0 bytes: no limit.
  explicit BodyRooms(std::size_t bytes) : bytes_(bytes) {}
  std::size_t taken() const noexcept { return taken_; }

 private:
  friend class BodyRoom;
  std::size_t bytes_;
  std::size_t taken_ = 0;
  boost::intrusive::list<BodyRoom, boost::intrusive::constant_time_size<false>> rooms_;  // the oldest first
};

inline BodyRoom::BodyRoom(BodyRooms& all, OnEnd on_end, void* context) : all_(all), on_end_(on_end), context_(context) {
  all_.rooms_.push_back(*this);
}

inline void BodyRoom::give_back() noexcept {
  all_.taken_ -= held_;
  held_ = 0;
}

inline bool BodyRoom::hold(std::size_t bytes) noexcept {
  if (is_ended_) return false;
  all_.taken_ = all_.taken_ - held_ + bytes;
  held_ = bytes;
  const auto holds_less = [](const BodyRoom& one, const BodyRoom& other) { return one.held_ < other.held_; };
  while (all_.bytes_ > 0 && all_.taken_ > all_.bytes_) {
    BodyRoom& largest = *std::max_element(all_.rooms_.begin(), all_.rooms_.end(), holds_less);
    if (&largest == this) return false;
    largest.end();
  }
  return true;
}

}  // namespace rollcall
