// The members that are waited for, and those that are ready: as runs of places, since a run may have thousands of millions. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "rollcall/log.hpp"

namespace rollcall {

class AwaitedMembers {
 public:
  AwaitedMembers() {}
  /// Ignores a range without a job.
  void set(const MemberRange& members, bool is_ready);
  bool empty() const noexcept { return runs_ == 0; }
  std::int64_t count(bool is_ready) const noexcept;

 private:
  class Run {
   public:
    Run(int to, bool ready) : last(to), is_ready(ready) {}
    int last;
    bool is_ready;
  };
  using Runs = std::map<int, Run>;  // by their first places; they do not overlap
  void cut_out(Runs& runs, int first, int last);
  void add(Runs& runs, int first, Run run);

  std::map<std::string, Runs, std::less<>> jobs_;
  std::size_t runs_ = 0;  // of all jobs
};

}  // namespace rollcall
