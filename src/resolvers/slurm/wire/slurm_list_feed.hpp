// Reads the one long list of an answer piece by piece, element by element: the nodes of a large cluster have 20 MB, all its jobs 80 MB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/limits.hpp"
#include "resolvers/slurm/wire/slurm_object.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// What is outside of the list's elements is kept, and read as a document at the end.
class SlurmListFeed {
 public:
  /// Returns the bytes of what it keeps of the element, besides its texts; 0: nothing.
  using Take = std::function<std::size_t(const SlurmObject& element)>;
  /// `document` names the answer in messages, `key` the list. `take` is called for each element. What it keeps is charged as long as this
  /// lives.
  SlurmListFeed(std::string document, std::string key, Take take, const ParseLimits& limits);

  /// Errors are final: malformed_response, limit_exceeded.
  Result<void> feed(std::string_view piece);
  /// The end. Errors: malformed_response (no such list, broken JSON).
  Result<void> finish();
  /// Those of the answer; valid after finish(), and where the answer has errors in the place of a list.
  const std::vector<SlurmError>& errors() const { return errors_; }
  /// When Slurm made the list, by its own clock; none: this version does not say it. Valid after finish().
  std::optional<std::int64_t> last_update() const { return last_update_; }
  /// The charge for what was kept.
  MemoryShare& memory() { return memory_; }

 private:
  Result<void> take_element();
  void note_character(char c);

  std::string document_;
  std::string key_;
  Take take_;
  ParseLimits limits_;
  MemoryShare memory_;
  std::string rest_;  // all but the elements
  std::string element_;
  std::string text_;  // the last text at the top level, which may be the key
  std::vector<SlurmError> errors_;
  std::optional<std::int64_t> last_update_;
  std::size_t depth_ = 0;
  std::size_t count_ = 0;
  bool is_in_text_ = false;
  bool is_escaped_ = false;
  bool is_value_ = false;  // at the top level, after a colon
  bool is_in_list_ = false;
  bool is_in_element_ = false;
};

/// The list of a document that is in memory as a whole; `errors` takes its errors. Errors: as SlurmListFeed.
template <class Record>
Result<std::vector<Record>> read_slurm_text(std::string document, std::string key, std::string_view text,
                                            Record (*read)(const SlurmObject&), const ParseLimits& limits,
                                            std::vector<SlurmError>* errors = nullptr) {
  std::vector<Record> records;
  SlurmListFeed feed(
      std::move(document), std::move(key),
      [&](const SlurmObject& element) {
        records.push_back(read(element));
        return 2 * sizeof(Record);
      },
      limits);
  Result<void> done = feed.feed(text);
  if (done) done = feed.finish();
  if (errors) *errors = feed.errors();
  if (!done) return done.error();
  return records;
}

}  // namespace rollcall
