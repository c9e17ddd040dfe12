// Reads the fields of a Kubernetes object, and keeps the first complaint of one that has a wrong type.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rollcall/error.hpp"

namespace rollcall {

class ObjectView {
 public:
  using Labels = std::vector<std::pair<std::string, std::string>>;

  /// `complaint` must outlive the view. A value that is null is absent.
  ObjectView(const boost::json::value& object, std::string path, std::string& complaint)
      : object_(object.is_null() ? nullptr : &object), path_(std::move(path)), complaint_(&complaint) {}

  bool is_there() const noexcept { return object_ != nullptr; }
  /// An object within; of an absent one, everything is absent.
  ObjectView at(std::string_view key) const;
  /// At most `max_bytes` of it.
  std::string text(std::string_view key, std::size_t max_bytes = 256) const;
  bool flag(std::string_view key) const;
  /// A whole number; one beyond int is the greatest int. A negative one is a complaint.
  std::optional<int> number(std::string_view key) const;
  /// The objects of an array.
  std::vector<ObjectView> list(std::string_view key) const;
  /// The objects of an object, by their keys.
  std::vector<std::pair<std::string, ObjectView>> map(std::string_view key) const;
  /// The texts of an object of texts. Of annotations and the like, other values are left out.
  Labels labels(std::string_view key) const;
  /// The texts of an array.
  std::vector<std::string> texts(std::string_view key) const;
  void complain(std::string_view key, std::string_view what) const;

 private:
  ObjectView(const boost::json::value* object, std::string path, std::string* complaint)
      : object_(object), path_(std::move(path)), complaint_(complaint) {}
  const boost::json::value* find(std::string_view key) const;
  std::string path_of(std::string_view key) const;

  const boost::json::value* object_;
  std::string path_;
  std::string* complaint_;
};

}  // namespace rollcall
