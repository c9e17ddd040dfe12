// The roll of a barrier, as one gatherer keeps it: which tasks are here, and when all are released. Pure: no clock, no connections.
//
// A release needs every task at once. When the roll is full, the gatherer calls: every task must answer the call, so that each is known to
// be alive and to hear this gatherer since the roll was full. A task that leaves, or is lost, ends the call. What is released stays
// released.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "meeting/rules/roll_stages.hpp"
#include "meeting/wire/meeting_documents.hpp"
#include "rollcall/time.hpp"

namespace rollcall::meeting {

class Roll {
 public:
  /// `names`: of all tasks, in the order that everyone has. `silence`: a task that is not heard from for that long is not here any more.
  /// `first_call`: at random, so that an answer to a call of an earlier process is none to one of this.
  Roll(std::vector<std::string> names, Duration silence, std::int64_t first_call = 0);

  enum class Heard {
    kept,
    taken,  ///< another process is here as that task, or was released as it
    later,  ///< all were released, that task too, and this is its next start: the others of that start are not here yet
  };
  /// `task`: its place; `from`: where the process is, for messages.
  Heard hear(std::size_t task, const Hello& hello, std::string_view from, SteadyTime now);
  /// The connection on which that hello came has ended without an answer. It counts only if it was the task's last hello.
  void lose(std::size_t task, const Hello& hello);
  /// Ends what has been silent for too long.
  void judge(SteadyTime now);
  /// Why a task that has not come is not there, as its address shows.
  void note_absence(std::size_t task, std::string why);

  /// What says that it is that task was refused. It changes nothing but the reason for a task that is not here, until it is silent.
  void note_refusal(std::size_t task, std::string why, SteadyTime now);

  std::size_t size() const noexcept { return members_.size(); }
  /// That process has come as that task.
  bool knows(std::size_t task, std::string_view incarnation) const noexcept { return members_[task].incarnation == incarnation; }
  bool is_here(std::size_t task) const noexcept { return members_[task].is_here; }
  bool is_released() const noexcept { return is_released_; }
  /// Of the release: the largest that a task named. Every roll that releases the same tasks gives the same.
  std::int64_t generation() const noexcept { return generation_; }
  /// It is released, and all have heard of that.
  bool has_started() const noexcept { return is_released_ && started_ == members_.size(); }
  /// A call, or the release: a larger number than at any time before.
  std::int64_t call() const noexcept { return call_; }
  /// Grows with each change of what answer() says, apart from times.
  std::uint64_t changes() const noexcept { return changes_; }
  /// From where the process that is here as that task comes.
  const std::string& place_of(std::size_t task) const noexcept { return members_[task].from; }
  /// As of the latest time that hear() or judge() was given.
  RollAnswer answer() const;

 private:
  class Member {
   public:
    std::string incarnation;  // of the process that came last; empty: none came
    std::string from;
    std::int64_t sequence = 0;
    std::int64_t generation = 0;
    SteadyTime heard_at{};
    std::string absence;
    std::string refusal;  // instead of the absence; empty: nothing was refused of late
    SteadyTime refused_at{};
    bool is_here = false;
    bool has_confirmed = false;  // the present call
    bool has_started = false;
    // Of a process that has not come, and says what it does before:
    std::string early;  // its incarnation
    std::int64_t early_sequence = 0;
    SteadyTime early_at{};
    bool is_early = false;  // it does something now
  };
  Heard hear_early(std::size_t task, const Hello& hello, SteadyTime now);
  MissingTask missing_task(std::size_t task) const;
  void take_away(Member& member, std::string why);
  void call_or_release();
  void release(std::int64_t generation);

  std::vector<std::string> names_;
  std::vector<Member> members_;
  RollStages stages_;
  Duration silence_;
  SteadyTime now_{};
  std::uint64_t changes_ = 0;
  std::size_t here_ = 0;
  std::size_t confirmed_ = 0;
  std::size_t started_ = 0;
  std::int64_t call_ = 0;
  std::int64_t generation_ = 0;
  bool is_calling_ = false;
  bool is_released_ = false;
};

}  // namespace rollcall::meeting
