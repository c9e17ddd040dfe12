#include "meeting/rules/roll.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace rollcall::meeting {

Roll::Roll(std::vector<std::string> names, Duration silence, std::int64_t first_call)
    : names_(std::move(names)), members_(names_.size()), stages_(names_.size()), silence_(silence), call_(first_call) {}

Roll::Heard Roll::hear(std::size_t task, const Hello& hello, std::string_view from, SteadyTime now) {
  now_ = std::max(now_, now);
  if (hello.stage == Stage::coming) return hear_early(task, hello, now);
  Member& member = members_[task];
  const bool is_same = member.incarnation == hello.incarnation;
  const bool was_released = is_released_ && !member.incarnation.empty();
  if (!is_same && was_released && hello.stage == Stage::barrier && hello.generation > generation_) return Heard::later;
  if (!is_same && (member.is_here || was_released)) return Heard::taken;
  if (is_same && hello.sequence <= member.sequence) return Heard::kept;
  if (!is_same && std::exchange(member.has_started, false)) --started_;
  if (!hello.stages.empty() && hello.stage == Stage::barrier) stages_.take(task, hello.stages, now);
  member.incarnation = hello.incarnation;
  member.sequence = hello.sequence;
  member.from = from;
  member.heard_at = now;
  member.refusal.clear();
  if (hello.stage == Stage::started) {
    if (!std::exchange(member.has_started, true)) ++started_;
    // Another gatherer has released all, and may be gone. A process that was never here is not believed: it may be of an earlier attempt.
    if (is_same && !is_released_) release(hello.generation);
  }
  if (is_released_ || hello.stage == Stage::started) return Heard::kept;
  if (hello.stage == Stage::left) {
    take_away(member, fmt::format("left: {}", hello.why));
    return Heard::kept;
  }
  member.generation = hello.generation;
  member.is_early = false;
  if (!std::exchange(member.is_here, true)) {
    ++here_;
    ++changes_;
  }
  if (is_calling_ && hello.call == call_ && !std::exchange(member.has_confirmed, true)) ++confirmed_;
  call_or_release();
  return Heard::kept;
}

// The process that comes to the barrier later is another: only what is shown depends on this one.
Roll::Heard Roll::hear_early(std::size_t task, const Hello& hello, SteadyTime now) {
  Member& member = members_[task];
  const bool is_late = member.early == hello.incarnation && hello.sequence <= member.early_sequence;
  if (member.is_here || is_released_ || is_late) return Heard::kept;
  member.early = hello.incarnation;
  member.early_sequence = hello.sequence;
  member.early_at = now;
  const std::optional<LastStage> before = stages_.last(task, now);
  stages_.take(task, hello.stages, now);
  const std::optional<LastStage> last = stages_.last(task, now);
  const bool is_early = last && !last->is_over;
  const bool is_same = member.is_early && is_early && before && before->name == last->name;
  if (is_same) return Heard::kept;
  member.is_early = is_early;
  member.absence.clear();
  if (last && last->is_over && last->exit_status != 0)
    member.absence = fmt::format("`{}` has failed with exit status {}", last->name, last->exit_status);
  if (last && last->is_over && last->exit_status == 0)
    member.absence = fmt::format("has ended `{}`, and has not come to the barrier", last->name);
  ++changes_;
  return Heard::kept;
}

void Roll::note_absence(std::size_t task, std::string why) {
  if (members_[task].absence == why) return;
  members_[task].absence = std::move(why);
  ++changes_;
}

void Roll::call_or_release() {
  if (!is_calling_ && here_ == members_.size()) {
    is_calling_ = true;
    ++call_;
    ++changes_;
    confirmed_ = 0;
    for (Member& member : members_) member.has_confirmed = false;
  }
  if (!is_calling_ || confirmed_ != members_.size()) return;
  const auto by_generation = [](const Member& a, const Member& b) { return a.generation < b.generation; };
  release(std::max_element(members_.begin(), members_.end(), by_generation)->generation);
}

void Roll::release(std::int64_t generation) {
  is_released_ = true;
  generation_ = generation;
  ++call_;
  ++changes_;
}

void Roll::take_away(Member& member, std::string why) {
  member.absence = std::move(why);
  is_calling_ = false;
  ++changes_;
  if (std::exchange(member.is_here, false)) --here_;
}

void Roll::lose(std::size_t task, const Hello& hello) {
  Member& member = members_[task];
  const bool is_last = member.incarnation == hello.incarnation && member.sequence == hello.sequence;
  if (is_last && member.is_here && !is_released_) take_away(member, fmt::format("was here, and its connection from {} ended", member.from));
}

void Roll::judge(SteadyTime now) {
  now_ = std::max(now_, now);
  if (is_released_) return;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    Member& member = members_[i];
    if (!member.refusal.empty() && now - member.refused_at > silence_) {
      member.refusal.clear();
      ++changes_;
    }
    if (member.is_early && now - member.early_at > silence_) {
      const std::optional<LastStage> last = stages_.last(i, now);
      member.is_early = false;
      take_away(member, fmt::format("was at `{}`, and is not heard from any more", last ? last->name : ""));
    }
    if (member.is_here && now - member.heard_at > silence_) take_away(member, "was here, and is not heard from any more");
  }
}

MissingTask Roll::missing_task(std::size_t task) const {
  const Member& member = members_[task];
  const std::string& absence = member.refusal.empty() ? member.absence : member.refusal;
  MissingTask missing(names_[task], absence.empty() ? "not heard from" : absence);
  const std::optional<LastStage> last = member.is_early && member.refusal.empty() ? stages_.last(task, now_) : std::nullopt;
  if (!last) return missing;
  missing.stage = last->name;
  missing.time = last->time;
  missing.others = stages_.median(last->name, now_);
  missing.why = fmt::format("is at `{}`", last->name);
  return missing;
}

void Roll::note_refusal(std::size_t task, std::string why, SteadyTime now) {
  if (members_[task].refusal != why) ++changes_;
  members_[task].refusal = std::move(why);
  members_[task].refused_at = now;
}

RollAnswer Roll::answer() const {
  RollAnswer answer;
  answer.members = static_cast<std::int64_t>(members_.size());
  answer.here = static_cast<std::int64_t>(is_released_ ? members_.size() : here_);
  answer.call = call_;
  answer.state = is_released_ ? RollState::released : RollState::waiting;
  answer.generation = generation_;
  const std::size_t missing = is_released_ ? 0 : members_.size() - here_;
  const std::size_t named = std::min(missing, max_missing_named);
  for (std::size_t i = 0; i < members_.size() && answer.missing.size() < named; ++i) {
    if (!members_[i].is_here) answer.missing.push_back(missing_task(i));
  }
  return answer;
}

}  // namespace rollcall::meeting
