// The other half of the public edge: from a Result to a value or an exception.
#pragma once

#include <asio/awaitable.hpp>

#include "rollcall/error.hpp"

namespace rollcall {

template <class T>
T value_or_throw(Result<T> result) {
  if (result.has_error()) throw ResolveError(result.error());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

template <class T>
asio::awaitable<T> value_or_throw(asio::awaitable<Result<T>> attempt) {
  Result<T> result = co_await std::move(attempt);
  if (result.has_error()) throw ResolveError(result.error());
  if constexpr (!std::is_void_v<T>) co_return std::move(*result);
}

}  // namespace rollcall
