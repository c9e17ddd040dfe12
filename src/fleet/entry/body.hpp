// The body of an answer, plain and compressed.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <string>

namespace rollcall::fleet {

using SharedText = std::shared_ptr<const std::string>;

class Body {
 public:
  Body() {}
  SharedText plain;
  SharedText packed;  ///< gzip; null: the plain body is short
};

/// Compresses a text with gzip. Suspends while it compresses a long one.
asio::awaitable<Body> pack(std::string text);

}  // namespace rollcall::fleet
