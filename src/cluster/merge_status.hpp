// Several clusters as one. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/cluster_status.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// A merge that can be interrupted, for a loop with other work. The parts and names must outlive it and must not change.
class StatusMerge {
 public:
  StatusMerge(std::vector<const ClusterStatus*> parts, const std::vector<std::string>& names);

  /// Processes this many parts and members more; false: there are none.
  bool step(std::size_t count);
  /// As merge() does with specs: a job whose parts are all dense is their concatenation, in order; otherwise indices are kept, and a clash
  /// is Errc::conflict. The phase is that of the part that is furthest behind; `names[i]` is put before part i's texts.
  Result<ClusterStatus> take();

 private:
  // The members of one part in a job.
  class JobPart {
   public:
    explicit JobPart(std::size_t part_number) : number(part_number) {}
    std::size_t number;
    std::vector<const Member*> members;
    int expected = 0;  // of a part that has no other job
    int places() const;
    bool is_dense() const;
  };
  // A job's members, part by part.
  class JobParts {
   public:
    explicit JobParts(std::string name) : job(std::move(name)) {}
    std::string job;
    std::vector<JobPart> parts;
  };
  // A member, and its index in the result.
  class Placed {
   public:
    Placed(const Member& who, int at, std::size_t of_part) : member(&who), index(at), part(of_part) {}
    const Member* member;
    int index;
    std::size_t part;
  };

  void take_part(std::size_t number);
  void take_sizes(const ClusterStatus& part);
  void drop_partial_sizes();
  JobPart& part_of(const std::string& job, std::size_t number);
  void finish_part(std::size_t number);
  void place_job(const JobParts& job);

  std::vector<const ClusterStatus*> parts_;
  const std::vector<std::string>& names_;
  std::vector<JobParts> jobs_;
  std::map<std::string, std::size_t, std::less<>> places_;  // of jobs in jobs_
  std::size_t last_job_ = 0;
  std::size_t jobs_of_part_ = 0;
  std::size_t next_part_ = 0;
  std::size_t next_member_ = 0;  // of that part
  std::size_t next_job_ = 0;
  std::vector<Placed> placed_;  // of that job
  std::size_t next_placed_ = 0;
  bool is_number_known_ = false;
  bool has_several_types_ = false;  // of accelerators
  int missing_parts_ = 0;
  ClusterStatus all_;
  std::optional<Failure> conflict_;
};

}  // namespace rollcall
