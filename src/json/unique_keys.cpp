#include "json/unique_keys.hpp"

#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "json/json_sax.hpp"

namespace rollcall {
namespace {

class KeySink {
 public:
  explicit KeySink(std::string_view document) : document_(document) {}
  bool open(bool) {
    open_.emplace_back();
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }
  bool key(std::string_view name) {
    if (open_.back().emplace(name).second) return true;
    failure_ = Failure(Errc::malformed_response, fmt::format("{} has the same key twice", document_));
    return false;
  }
  bool value(const JsonScalar&) { return true; }
  bool wants_text() const { return false; }
  bool text_too_long() { return true; }
  const std::optional<Failure>& failure() const { return failure_; }

 private:
  std::string_view document_;
  std::vector<std::set<std::string, std::less<>>> open_;  // the keys of each open object; empty for an array
  std::optional<Failure> failure_;
};

}  // namespace

Result<void> check_unique_keys(std::string_view document, std::string_view text, const ParseLimits& limits) {
  JsonFeed<KeySink> feed(document, limits, document);
  if (Result<void> put = feed.put(text); !put) return put;
  return feed.finish();
}

}  // namespace rollcall
