// One object in an answer of Slurm's, by REST or from its programs. Versions write the same field in different forms: a number as `5`,
// `null` or {"set":true,"infinite":false,"number":5}, a list as an array or as one text. [facts: slurm-rest-shapes]
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/json_dom.hpp"
#include "rollcall/error.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

class SlurmNumber {
 public:
  std::optional<std::int64_t> value;  ///< absent: not set, or without a limit
  bool is_infinite = false;
};

/// Reads fields. A field that is absent is empty; one of another kind than any version writes is a fault, and the first is kept.
class SlurmObject {
 public:
  /// `path` names the object in the fault: `jobs[0]`. All must outlive this.
  SlurmObject(const boost::json::value* object, std::string path, std::string& fault);

  bool is_there() const noexcept { return object_ != nullptr; }
  bool has(std::string_view key) const { return field(key) != nullptr; }
  std::string text(std::string_view key) const;
  /// An array of texts, or one text that is split at `separator`; blanks and empty parts left out.
  std::vector<std::string> words(std::string_view key, char separator = ',') const;
  /// The same, in upper case: 22.05 writes the states of nodes in lower case.
  std::vector<std::string> upper_words(std::string_view key, char separator = ',') const;
  SlurmNumber number(std::string_view key) const;
  /// The number, where it is from 0 to the greatest int; else 0.
  int count(std::string_view key) const;
  bool flag(std::string_view key) const;
  /// Seconds since 1970; none for 0.
  std::optional<WallTime> time(std::string_view key) const;
  SlurmObject inner(std::string_view key) const;
  void complain(std::string_view key, std::string_view trouble) const;

 private:
  const boost::json::value* field(std::string_view key) const;

  const boost::json::value* object_;
  std::string path_;
  std::string& fault_;
};

/// An error of the list `errors` of an answer.
class SlurmError {
 public:
  SlurmError() {}
  int number = 0;
  std::string text;  ///< its description, and what Slurm calls the number; printable
};

/// Those that are no "No error": 24.11 writes error 0, "No error", of a node that does not exist.
std::vector<SlurmError> slurm_errors(const boost::json::value& root);

}  // namespace rollcall
