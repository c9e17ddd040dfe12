// A JSON document that arrives piece by piece, fed to a sink (see json_sax.hpp). Include only from .cpp files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "json/json_failure.hpp"
#include "json/json_sax.hpp"
#include "json/limits.hpp"

namespace rollcall {

/// Sink also has `const std::optional<Failure>& failure() const`: why it stopped. Parser: Boost.JSON's, or JsonScanner<Sink>.
template <class Sink, class Parser = boost::json::basic_parser<SaxHandler<Sink>>>
class JsonFeed {
 public:
  /// `document` names what is read, for messages; it must outlive this.
  template <class... Arguments>
  JsonFeed(std::string_view document, const ParseLimits& limits, Arguments&&... arguments)
      : sink(std::forward<Arguments>(arguments)...), document_(document), parser_(sax_options(limits.max_depth), sink, limits.max_text) {}

  JsonFeed(const JsonFeed&) = delete;
  JsonFeed& operator=(const JsonFeed&) = delete;

  /// The next bytes. Errors are final.
  Result<void> put(std::string_view chunk) { return write(true, chunk); }
  /// There are no more.
  Result<void> finish() { return write(false, std::string_view("", 0)); }

  Sink sink;

 private:
  Result<void> write(bool is_more, std::string_view chunk) {
    if (failure_) return *failure_;
    if (is_more && chunk.empty()) return {};
    const std::size_t first = start_.empty() ? chunk.find_first_not_of(" \t\r\n") : std::string_view::npos;
    if (first != std::string_view::npos) start_.assign(chunk.substr(first, 16));
    boost::json::error_code error;
    const std::size_t used = parser_.write_some(is_more, chunk.data(), chunk.size(), error);
    if (!error && used < chunk.size()) error = boost::json::make_error_code(boost::json::error::extra_data);
    fed_ += used;
    if (sink.failure()) {
      failure_ = sink.failure();
    } else if (error) {
      failure_ = json_failure(document_, error, fed_, start_);
    }
    if (failure_) return *failure_;
    return {};
  }

  std::string_view document_;
  Parser parser_;
  std::size_t fed_ = 0;
  std::string start_;  // the first bytes that are not blank, to recognise an HTML page
  std::optional<Failure> failure_;
};

}  // namespace rollcall
