// A client's session of HTTP/2 and a server whose frames are written by hand.
#pragma once

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <memory>

#include "net/codec/http2_client.hpp"
#include "net/codec/http2_frames.hpp"

namespace rollcall::testing {

inline constexpr std::uint8_t head_and_end = flag_end_headers | flag_end_stream;
inline const std::string server_greeting = frame(FrameType::settings, 0, 0, "") + frame(FrameType::settings, 1, 0, "");

inline std::string answer_head(std::uint32_t stream, const SentFields& fields, std::uint8_t flags = flag_end_headers) {
  std::string block;
  for (const auto& [name, value] : fields) block += hpack_field(name, value);
  return frame(FrameType::headers, flags, stream, block);
}
inline std::string data_frame(std::uint32_t stream, std::string_view bytes, std::uint8_t flags = 0) {
  return frame(FrameType::data, flags, stream, bytes);
}
inline std::string reset_frame(std::uint32_t stream, std::uint32_t code) {
  return frame(FrameType::rst_stream, 0, stream, big_endian(code, 4));
}
inline std::string goaway_frame(std::uint32_t last, std::uint32_t code) {
  return frame(FrameType::goaway, 0, 0, big_endian(last, 4) + big_endian(code, 4));
}
inline std::string setting(std::uint32_t id, std::uint32_t value) {
  return frame(FrameType::settings, 0, 0, big_endian(id, 2) + big_endian(value, 4));
}
inline constexpr std::uint32_t internal_error = 2, refused_stream = 7, cancel = 8, http_1_1_required = 13;

class ClientRig final : public Http2ClientEvents {
 public:
  explicit ClientRig(const Http2ClientLimits& limits = {}) : client(limits, *this, now) {}
  class Asked {
   public:
    Asked(std::size_t max_header, std::size_t max_body, bool in_pieces) : answer(response, max_header, max_body, in_pieces) {}
    HttpResponse response;
    Http2Answer answer;
  };
  Http2Answer& ask(HttpRequest request = HttpRequest(Url::parse("https://h/p").value()), bool in_pieces = false) {
    Http2Answer& answer = begin(request, in_pieces);
    take();
    return answer;
  }
  /// Its request is not sent yet.
  Http2Answer& begin(const HttpRequest& request = HttpRequest(Url::parse("https://h/p").value()), bool in_pieces = false) {
    asked.push_back(std::make_unique<Asked>(max_header, max_body, in_pieces));
    REQUIRE(client.begin(asked.back()->answer, request, "agent"));
    return asked.back()->answer;
  }
  /// The server's bytes; false: the connection is over.
  bool put(const std::string& bytes) {
    const bool goes_on = client.put(bytes, now);
    return take() && goes_on;
  }
  bool take() {
    std::string out;
    const bool goes_on = client.take(out, 1 << 20);
    sent += out;
    return goes_on;
  }
  std::vector<HeardFrame> frames() const {
    const std::string_view all = sent;
    return frames_of(all.substr(all.starts_with(client_preface) ? client_preface.size() : 0));
  }
  template <class Bytes>
  int put_until_over(int max, Bytes bytes) {
    for (int i = 0; i < max; ++i) {
      if (!put(bytes(i))) return i + 1;
    }
    return max;
  }
  HttpResponse& response() { return asked.back()->response; }
  void on_news(Http2Answer&, bool) override { ++news; }
  bool admits(Http2Answer&, std::size_t bytes) override {
    if (bytes > room) return false;
    room -= bytes;
    return true;
  }

  SteadyTime now = SteadyTime(std::chrono::seconds(1000));
  std::size_t max_header = 64 * 1024;
  std::size_t max_body = 8 * 1024 * 1024;
  std::vector<std::unique_ptr<Asked>> asked;  // outlives the client
  Http2Client client;
  std::string sent;
  int news = 0;
  std::size_t room = std::size_t{1} << 40;  // for content
};

inline std::string fault_of(const Http2Answer& answer) {
  return answer.fault()
             ? fmt::format("{} {}: {}", to_string(answer.fault()->code()), to_string(answer.fault()->phase()), answer.fault()->what())
             : "none";
}

}  // namespace rollcall::testing
