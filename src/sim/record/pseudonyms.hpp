// Replaces names and addresses in a recording, each by the same one everywhere, so that what belonged together still does.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rollcall::sim {

/// First every name is added, then all texts are replaced. A name is taken apart at its punctuation and digits: `trainer-0-x7f2q` becomes
/// `xba-0-xbb`, and `trainer` is `xba` wherever it stands. The order of names is kept.
class Pseudonyms {
 public:
  /// The name of something of the user's: a namespace, a pod, a project, an image.
  void add_name(std::string_view name);
  /// The addresses in a text.
  void add_addresses(std::string_view text);
  /// Call it once, between adding and replacing.
  void choose();

  /// A text that is a name.
  std::string of_name(std::string_view name) const;
  /// A text in which names and addresses may stand.
  std::string of_text(std::string_view text) const;
  /// A text in which only addresses may stand.
  std::string of_addresses(std::string_view text) const;

 private:
  bool begins_with_name(std::string_view word) const;
  std::string of_word(std::string_view word) const;

  std::set<std::string, std::less<>> names_;
  std::map<std::string, std::string, std::less<>> parts_;  // of names; values are chosen by choose()
  std::map<std::uint32_t, std::uint32_t> addresses_;       // IPv4
  std::map<std::string, std::string, std::less<>> wide_addresses_;
};

}  // namespace rollcall::sim
