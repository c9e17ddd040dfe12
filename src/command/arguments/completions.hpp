// Completions for the words that are typed so far, from the tables; pure. The caller adds the names that only a service knows.
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

/// Names to search for.
class WantedNames {
 public:
  WantedNames(FoundKind of_kind, std::string in_projects, std::string in_zones)
      : kind(of_kind), projects(std::move(in_projects)), zones(std::move(in_zones)) {}
  FoundKind kind;
  std::string projects;  ///< from the options before the word; may be empty
  std::string zones;
  std::vector<GivenOption> way;  ///< the options before the word that decide how services are reached and with which credentials
};

class Completions {
 public:
  Completions() {}
  std::vector<Candidate> candidates;
  bool wants_files = false;          ///< file names fit here
  std::optional<WantedNames> names;  ///< targets of these names fit here
};

/// `words`: those behind the program's name. The last one is being typed and may be empty; each candidate begins with it.
Completions complete(std::span<const std::string> words);

}  // namespace rollcall::command
