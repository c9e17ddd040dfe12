// What a shell can offer for the words that are typed so far, from the tables; pure. What only a service knows is left to the caller.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command/arguments/command_words.hpp"
#include "rollcall/found.hpp"

namespace rollcall::command {

class Candidate {
 public:
  Candidate(std::string whole_word, std::string_view meaning) : word(std::move(whole_word)), what(meaning) {}
  std::string word;
  std::string what;  ///< one line; may be empty
};

/// Names that a search finds.
class WantedNames {
 public:
  WantedNames(FoundKind of_kind, std::string in_projects, std::string in_zones)
      : kind(of_kind), projects(std::move(in_projects)), zones(std::move(in_zones)) {}
  FoundKind kind;
  std::string projects;  ///< as the options before say; may be empty
  std::string zones;
  std::vector<GivenOption> way;  ///< the options before that say how services are reached, and by whose leave
};

class Completions {
 public:
  Completions() {}
  std::vector<Candidate> candidates;
  bool wants_files = false;          ///< names of files stand here
  std::optional<WantedNames> names;  ///< targets of these stand here
};

/// `words`: those behind the program's name, the last one being typed; it may be empty. Candidates begin with it.
Completions complete(std::span<const std::string> words);

}  // namespace rollcall::command
