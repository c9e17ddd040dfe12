// Reads a vector file's JSON; errors contain the path in the document.
#pragma once

#include <boost/json/value.hpp>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace rollcall::conformance {

namespace json = boost::json;

/// The file does not have the format. The message contains the place and the expected value.
class FormatError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A value and the path to it. The value must outlive the reader.
class Reader {
 public:
  Reader(const json::value& value, std::string path) : value_(&value), path_(std::move(path)) {}

  const json::value& value() const { return *value_; }
  const std::string& path() const { return path_; }

  // Each throws FormatError when the value has another type.
  const json::object& object() const;
  const json::array& array() const;
  std::string text() const;
  std::int64_t integer(std::int64_t low) const;
  double number() const;
  bool boolean() const;
  std::vector<std::string> texts() const;  ///< an array of texts
  std::vector<Reader> items() const;       ///< of an array

  /// The member, or none when it is absent.
  std::optional<Reader> member(std::string_view key) const;
  /// The same, with null counting as absent.
  std::optional<Reader> find(std::string_view key) const;
  Reader require(std::string_view key) const;

  /// Appends the path of every member that is not listed.
  void note_unknown(std::initializer_list<std::string_view> known, std::vector<std::string>& unknown) const;

  [[noreturn]] void fail(const std::string& expected) const;

 private:
  const json::value* value_;
  std::string path_;
};

/// The type of this JSON value, with its article: "a number".
std::string_view kind_of(const json::value& value);

}  // namespace rollcall::conformance
