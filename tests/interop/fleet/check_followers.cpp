// check_followers: reads from standard input the events that followers of real services received, and the true states; checks them like the
// stories in virtual time (tests/fleet/invariants). Prints each violation on a line. See tests/interop/fleet/replicas.
//
// Lines, times in seconds:  `truth waiting|ready|over FROM UNTIL` · `follower NAME` · `line FROM UNTIL`, a stream of that follower ·
// `event AT TYPE ID AGE STANDING`, the last two `-` where there is none · `epoch AT SOURCE EPOCH`, of a write · `end AT`.
#include <iostream>
#include <map>
#include <sstream>

#include "fleet/invariants/follower_log.hpp"

using namespace rollcall::testing;

namespace {

std::optional<Standing> standing_of(const std::string& text) {
  for (const Standing one : {Standing::waiting, Standing::ready, Standing::over}) {
    if (text == to_string(one)) return one;
  }
  return std::nullopt;
}

class Story {
 public:
  /// False: it is not such a line.
  bool take(std::istringstream& words) {
    std::string kind, text, id, age, standing;
    double from = 0, until = 0;
    words >> kind;
    if (kind == "truth" && words >> text >> from >> until && standing_of(text)) {
      Truth::Span& span = truth.spans.emplace_back();
      span.from = from;
      span.until = until;
      span.standing = *standing_of(text);
    } else if (kind == "follower" && words >> text) {
      logs.emplace_back().name = text;
    } else if (kind == "line" && !logs.empty() && words >> from >> until) {
      logs.back().lines.emplace_back(from, until);
    } else if (kind == "event" && !logs.empty() && words >> from >> text >> id >> age >> standing) {
      FollowerEntry& entry = logs.back().entries.emplace_back();
      entry.at = from;
      entry.event = text;
      entry.id = id;
      if (age != "-") entry.age = std::stod(age);
      entry.standing = standing_of(standing);
    } else if (kind == "epoch" && words >> from >> id >> text) {
      const std::uint64_t epoch = std::stoull(text);
      if (epoch < epochs_[id]) faults.push_back(fmt::format("I3 at {} s: epoch {} after {}", from, epoch, epochs_[id]));
      epochs_[id] = epoch;
    } else {
      return kind == "end" && words >> end;
    }
    return true;
  }
  Truth truth;
  std::vector<FollowerLog> logs;
  std::vector<std::string> faults;
  double end = 0;

 private:
  std::map<std::string, std::uint64_t> epochs_;
};

}  // namespace

int main() {
  Story story;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    if (story.take(words)) continue;
    std::cout << "not understood: " << line << '\n';
    return 2;
  }
  for (const FollowerLog& log : story.logs) {
    for (std::string& fault : FollowerCheck(log, story.truth).run(story.end)) story.faults.push_back(std::move(fault));
  }
  for (const std::string& fault : story.faults) std::cout << fault << '\n';
  return story.faults.empty() ? 0 : 1;
}
