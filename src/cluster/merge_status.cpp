#include "cluster/merge_status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "cluster/place_order.hpp"

namespace rollcall {
namespace {

bool is_missing_part(const ClusterStatus& part) {
  return part.members.empty() && part.expected == 0 && part.state.level != MemberState::ready;
}

}  // namespace

int StatusMerge::JobPart::places() const { return members.empty() ? 0 : saturating_sum(members.back()->index, 1); }

// Indices from 0 on; or with gaps whose members are known to be missing. A part without members may get some, and clashes with none.
bool StatusMerge::JobPart::is_dense() const {
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i]->index < static_cast<int>(i)) return false;
  }
  return places() == static_cast<int>(members.size()) || places() <= expected;
}

StatusMerge::StatusMerge(std::vector<const ClusterStatus*> parts, const std::vector<std::string>& names)
    : parts_(std::move(parts)), names_(names) {}

bool StatusMerge::step(std::size_t count) {
  for (; count > 0 && !conflict_; --count) {
    if (next_part_ < parts_.size()) {
      const std::vector<Member>& members = parts_[next_part_]->members;
      if (next_member_ == 0) take_part(next_part_);
      if (next_member_ < members.size()) {
        const Member& member = members[next_member_++];
        part_of(member.job, next_part_).members.push_back(&member);
      } else {
        finish_part(next_part_++);
        next_member_ = 0;
      }
    } else if (next_placed_ < placed_.size()) {
      const Placed& placed = placed_[next_placed_++];
      all_.members.push_back(*placed.member);
      all_.members.back().index = placed.index;
    } else if (next_job_ < jobs_.size()) {
      place_job(jobs_[next_job_++]);
    } else {
      return false;
    }
  }
  return !conflict_;
}

// The overall state; its jobs in order, those without members too.
void StatusMerge::take_part(std::size_t number) {
  const ClusterStatus& part = *parts_[number];
  all_.phase = std::min(all_.phase, part.phase);
  if (part.state.level > all_.state.level) {
    all_.state =
        Condition(part.state.level, part.state.text.empty() ? std::string() : fmt::format("{}: {}", names_[number], part.state.text));
  }
  // Of each slice: parts without TPUs have none.
  if (!part.accelerator_type.empty() && !has_several_types_) {
    has_several_types_ = !all_.accelerator_type.empty() && all_.accelerator_type != part.accelerator_type;
    all_.accelerator_type = has_several_types_ ? std::string() : part.accelerator_type;
  }
  is_number_known_ = is_number_known_ || part.expected > 0;
  all_.expected = saturating_sum(all_.expected, std::max(part.expected, static_cast<int>(part.members.size())));
  take_sizes(part);
  if (!part.expected_source.empty() && all_.expected_source.find(part.expected_source) == std::string::npos) {
    all_.expected_source += (all_.expected_source.empty() ? "" : "; ") + part.expected_source;
  }
  all_.causes.insert(all_.causes.end(), part.causes.begin(), part.causes.end());
  missing_parts_ += is_missing_part(part) ? 1 : 0;
  all_.notices.insert(all_.notices.end(), part.notices.begin(), part.notices.end());
  jobs_of_part_ = 0;
  for (const std::string& job : part.jobs) part_of(job, number);
}

// Of a job in several parts the sum.
void StatusMerge::take_sizes(const ClusterStatus& part) {
  for (const JobSize& size : part.job_sizes) {
    const auto same =
        std::find_if(all_.job_sizes.begin(), all_.job_sizes.end(), [&size](const JobSize& one) { return one.job == size.job; });
    if (same == all_.job_sizes.end()) {
      all_.job_sizes.push_back(size);
    } else {
      same->members = saturating_sum(same->members, size.members);
    }
  }
}

// The sum is not known where a part has the job and does not say its size.
void StatusMerge::drop_partial_sizes() {
  for (const JobParts& job : jobs_) {
    const bool is_whole = std::all_of(job.parts.begin(), job.parts.end(), [this, &job](const JobPart& part) {
      const std::vector<JobSize>& sizes = parts_[part.number]->job_sizes;
      return std::any_of(sizes.begin(), sizes.end(), [&job](const JobSize& size) { return size.job == job.job; });
    });
    if (!is_whole) std::erase_if(all_.job_sizes, [&job](const JobSize& size) { return size.job == job.job; });
  }
}

// Members of one job are mostly adjacent.
StatusMerge::JobPart& StatusMerge::part_of(const std::string& job, std::size_t number) {
  if (last_job_ >= jobs_.size() || jobs_[last_job_].job != job) {
    const auto [place, is_new] = places_.try_emplace(job, jobs_.size());
    if (is_new) jobs_.emplace_back(job);
    last_job_ = place->second;
  }
  std::vector<JobPart>& parts = jobs_[last_job_].parts;
  if (parts.empty() || parts.back().number != number) {
    parts.emplace_back(number);
    ++jobs_of_part_;
  }
  return parts.back();
}

void StatusMerge::finish_part(std::size_t number) {
  if (jobs_of_part_ == 1) jobs_[last_job_].parts.back().expected = parts_[number]->expected;
}

void StatusMerge::place_job(const JobParts& job) {
  all_.jobs.push_back(job.job);
  const bool is_dense = std::all_of(job.parts.begin(), job.parts.end(), [](const JobPart& part) { return part.is_dense(); });
  placed_.clear();
  next_placed_ = 0;
  int offset = 0;
  for (const JobPart& part : job.parts) {
    for (const Member* const member : part.members)
      placed_.emplace_back(*member, is_dense ? saturating_sum(offset, member->index) : member->index, part.number);
    offset = saturating_sum(offset, part.places());
  }
  const auto is_earlier = [](const Placed& a, const Placed& b) { return std::tie(a.index, a.part) < std::tie(b.index, b.part); };
  if (!std::is_sorted(placed_.begin(), placed_.end(), is_earlier)) std::sort(placed_.begin(), placed_.end(), is_earlier);
  const auto clash =
      std::adjacent_find(placed_.begin(), placed_.end(), [](const Placed& a, const Placed& b) { return a.index == b.index; });
  if (clash == placed_.end()) return;
  conflict_ = Failure(Errc::conflict, fmt::format("{} and {} both have a task {} of job {}", names_[clash->part], names_[(clash + 1)->part],
                                                  clash->index, quoted(job.job, 80)));
}

Result<ClusterStatus> StatusMerge::take() {
  if (conflict_) return *conflict_;
  if (!all_.members.empty() && missing_parts_ > 0) {  // the members of missing parts are expected, too
    all_.expected = saturating_sum(all_.expected, missing_parts_);
    is_number_known_ = true;
  }
  if (!is_number_known_) all_.expected = 0;
  drop_partial_sizes();
  return std::move(all_);
}

}  // namespace rollcall
