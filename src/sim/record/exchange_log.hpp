// The exchanges of a recording in memory, within limits.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/http.hpp"
#include "rollcall/time_source.hpp"
#include "sim/model/recorded_model.hpp"

namespace rollcall::sim {

class ExchangeLog {
 public:
  ExchangeLog(std::shared_ptr<TimeSource> time, std::size_t max_bytes, std::size_t max_exchanges);

  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  /// The number of a new exchange; none: it is not to be recorded.
  std::size_t begin(const HttpRequest& request);
  // Each ignores `none`.
  void answered(std::size_t number, const HttpResponse& head);
  void failed(std::size_t number, const Failure& failure);
  void add_body(std::size_t number, std::string_view piece);
  void ended(std::size_t number);
  /// The body was not read to its end: without it the answer is worthless.
  void abandoned(std::size_t number);

  bool is_stream(std::size_t number) const { return number != none && exchanges_[number].is_stream; }
  const std::vector<RecordedExchange>& exchanges() const noexcept { return exchanges_; }
  const std::string& left_out() const noexcept { return left_out_; }
  WallTime started_on() const noexcept { return started_on_; }
  bool used_token() const noexcept { return used_token_; }

 private:
  bool has_room(std::size_t number, std::size_t bytes);
  Duration since_request(std::size_t number) const;

  std::shared_ptr<TimeSource> time_;
  SteadyTime started_;
  WallTime started_on_;
  std::size_t max_bytes_;
  std::size_t max_exchanges_;
  std::size_t bytes_ = 0;
  bool used_token_ = false;
  std::string left_out_;
  std::vector<RecordedExchange> exchanges_;
  std::vector<std::string> line_begins_;  // of a stream: the bytes of a line that has not ended yet
};

}  // namespace rollcall::sim
