// Arbitrary bytes of a gRPC client, in pieces whose size the first byte chooses, to a session that reads messages and answers each call
// with an echo: the session stays within its limits, and the messages do not depend on the pieces.
#include <map>
#include <memory>
#include <string>

#include "check.hpp"
#include "net/codec/http2_session.hpp"
#include "net/codec/rpc_messages.hpp"

namespace {

using namespace rollcall;

class EchoingCalls final : public Http2Events {
 public:
  void on_request(std::int32_t stream, Http2Request request) override {
    require(stream % 2 == 1 && !calls.contains(stream));
    static_cast<void>(is_rpc_content_type(request.headers.get("content-type").value_or("")));
    calls.emplace(stream, std::make_unique<RpcMessageReader>(1000));
    begun.push_back(stream);
    said += '(' + request.path + ')';
  }
  void on_content(std::int32_t stream, std::string_view bytes) override {
    RpcMessageReader& reader = *calls.at(stream);
    reader.put(bytes);
    while (reader.has_message()) {
      echoes[stream] = reader.take();
      require(echoes[stream].size() <= 1000);
      said += '[' + echoes[stream] + ']';
    }
    if (reader.fault() != RpcMessageReader::Fault::none) faulty.push_back(stream);
    session->give_back(stream, bytes.size());
  }
  void on_request_end(std::int32_t stream) override { require(calls.contains(stream)); }
  void on_sent(std::int32_t stream) override { sent.push_back(stream); }
  void on_stream_end(std::int32_t stream) override {
    require(calls.erase(stream) == 1);
    echoes.erase(stream);
  }

  Http2Session* session = nullptr;
  std::map<std::int32_t, std::unique_ptr<RpcMessageReader>> calls;
  std::map<std::int32_t, std::string> echoes;
  std::vector<std::int32_t> begun, sent, faulty;
  std::string said;
};

// The messages, as far as the session went.
std::string read_all(std::string_view bytes, std::size_t piece) {
  EchoingCalls events;
  Http2Limits limits;
  limits.head_bytes = 2000;
  limits.streams = 5;
  limits.resets = 10;
  limits.overhead_bytes = 64 * 1024;
  Http2Session session(limits, events, SteadyTime());
  events.session = &session;
  const std::pair<std::string_view, std::string_view> head[] = {{":status", "200"}};
  const std::pair<std::string_view, std::string_view> trailers[] = {{"grpc-status", "0"}, {"grpc-message", "over"}};
  std::string out;
  for (bool goes_on = true; goes_on && !bytes.empty();) {
    const std::string part(bytes.substr(0, piece));  // a separate allocation, so that reading past its end is detected
    bytes.remove_prefix(part.size());
    goes_on = session.put(part, SteadyTime());
    for (const std::int32_t stream : std::exchange(events.begun, {})) session.start(stream, head);
    for (const auto& [stream, echo] : std::exchange(events.echoes, {})) session.send(stream, SharedBytes(rpc_prefix(echo.size()) + echo));
    for (const std::int32_t stream : std::exchange(events.faulty, {})) session.reset(stream);
    out.clear();
    goes_on = session.take(out, 64 * 1024) && goes_on;
    for (const std::int32_t stream : std::exchange(events.sent, {})) session.finish(stream, trailers);
    require(session.streams() == events.calls.size() && session.streams() <= 100);
    require(out.size() <= 128 * 1024);
  }
  return events.said;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  static_cast<void>(read_all(bytes, 64 * 1024));
  static_cast<void>(read_all(bytes, data[0] % 64 + std::size_t{1}));
  static_cast<void>(rpc_status_text(bytes));
  return 0;
}
