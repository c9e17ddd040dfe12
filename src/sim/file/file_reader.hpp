// Parses JSON values and keeps their paths, so that every error can name its position in the text.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/model/model.hpp"

namespace rollcall::sim {

/// One step down: to an object's key or an array's element.
struct FileStep {
  std::string key;
  std::size_t index = 0;
  bool is_index = false;
  bool operator==(const FileStep&) const = default;
};
using FilePath = std::vector<FileStep>;

/// `nodes[3].timeline[0].state`; a key that is not an identifier as `["instance/zone"]`; "the file" for the root.
std::string to_text(const FilePath& path);

/// Offset of the value at `path`, or of its key if `wants_key`. If the path does not exist, of its last part that does.
std::size_t find_position(std::string_view text, const FilePath& path, bool wants_key);

/// The second of two equal keys of one object.
std::optional<FilePath> find_duplicate_key(std::string_view text);

/// `LINE:COLUMN`, both from 1; columns count bytes.
std::string line_and_column(std::string_view text, std::size_t offset);

/// The first problem. Later ones are ignored.
struct FileProblem {
  std::string what;
  FilePath path;
  bool is_about_key = false;
};

/// A value with its path. Lives on the stack; children point to their parents.
class FileValue {
 public:
  FileValue(const json::value& value, std::optional<FileProblem>& problem) : value_(value), problem_(problem) {}

  const json::value& json() const { return value_; }
  FileValue child(std::string_view key, const json::value& value) const { return FileValue(value, problem_, this, key, 0); }
  FileValue element(std::size_t index, const json::value& value) const { return FileValue(value, problem_, this, {}, index); }
  bool has_problem() const { return problem_.has_value(); }
  void complain(std::string what) const;
  void complain_about_key(std::string_view key, std::string what) const;
  // Reports a value that would be repeated `times` times if the model became too large: a small file must not make a huge model.
  void complain_if_huge(std::string_view key, std::size_t times) const;

  // Each reports a problem and returns nothing (or does not change `into`) if the value has another type or is out of range.
  void read(std::string& into) const;
  // A text that is valid in a URL's path: a project, a zone, a node. It may contain `placeholder` once.
  void read_id(std::string& into, std::string_view noun, std::string_view placeholder = {}) const;
  void read_label(std::string& into, std::string_view noun) const;  // a DNS label
  void read_address(std::string& into) const;                       // an IP address
  void read(bool& into) const;
  void read(Duration& into) const;  // seconds as a number, or "150ms", "2.5s", "3m", "1h"
  void read(json::object& into) const;
  void read(json::array& into) const;
  void read(std::vector<std::string>& into) const;
  std::optional<std::int64_t> integer(std::int64_t low, std::int64_t high) const;
  std::optional<std::size_t> word(std::string_view noun, std::span<const std::string_view> words) const;  // the word's number
  const json::array* array() const;
  const json::object* object() const;

 private:
  FileValue(const json::value& value, std::optional<FileProblem>& problem, const FileValue* parent, std::string_view key, std::size_t index)
      : value_(value), problem_(problem), parent_(parent), key_(key), index_(index) {}
  FilePath path() const;

  const json::value& value_;
  std::optional<FileProblem>& problem_;
  const FileValue* parent_ = nullptr;
  std::string_view key_;
  std::size_t index_ = 0;
};

template <class T>
void read_optional(std::optional<T>& into, const FileValue& value) {
  T read{};
  value.read(read);
  if (!value.has_problem()) into = std::move(read);
}

template <class Read>
void read_list(const FileValue& value, Read read) {
  const json::array* const array = value.array();
  if (!array) return;
  for (std::size_t i = 0; i < array->size() && !value.has_problem(); ++i) read(value.element(i, (*array)[i]));
}

/// Calls `read(key, value)` for each entry of an object with user-defined keys.
template <class Read>
void read_entries(const FileValue& value, Read read) {
  const json::object* const object = value.object();
  if (!object) return;
  for (const auto& entry : *object) {
    if (!value.has_problem()) read(std::string(entry.key()), value.child(entry.key(), entry.value()));
  }
}

/// Adds an entry to a timeline, whose times must increase.
template <class Moment>
void append_moment(std::vector<Moment>& timeline, Moment moment, const FileValue& value) {
  if (!timeline.empty() && moment.at <= timeline.back().at) value.complain("at: each entry must be later than the one before");
  if (!value.has_problem()) timeline.push_back(std::move(moment));
}

}  // namespace rollcall::sim
