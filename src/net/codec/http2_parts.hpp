// Small parts of nghttp2's interface that both sides of an HTTP/2 connection use.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace rollcall {

struct Http2PartDeleter {
  void operator()(nghttp2_option* option) const noexcept { nghttp2_option_del(option); }
  void operator()(nghttp2_session_callbacks* callbacks) const noexcept { nghttp2_session_callbacks_del(callbacks); }
};
using Http2OptionPtr = std::unique_ptr<nghttp2_option, Http2PartDeleter>;
using Http2CallbacksPtr = std::unique_ptr<nghttp2_session_callbacks, Http2PartDeleter>;

/// Windows are given back by hand, and neither closed streams nor acknowledgements pile up. Null: out of memory.
inline Http2OptionPtr http2_options() {
  nghttp2_option* made = nullptr;
  if (nghttp2_option_new(&made) != 0) return nullptr;
  nghttp2_option_set_no_auto_window_update(made, 1);
  nghttp2_option_set_no_closed_streams(made, 1);
  nghttp2_option_set_max_outbound_ack(made, 200);
  return Http2OptionPtr(made);
}

/// Null: out of memory.
inline Http2CallbacksPtr http2_callbacks() {
  nghttp2_session_callbacks* made = nullptr;
  return Http2CallbacksPtr(nghttp2_session_callbacks_new(&made) == 0 ? made : nullptr);
}

inline std::string_view http2_text(const std::uint8_t* bytes, std::size_t size) noexcept {
  return std::string_view(reinterpret_cast<const char*>(bytes), size);
}

}  // namespace rollcall
