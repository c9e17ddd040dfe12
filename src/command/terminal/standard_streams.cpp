#include "command/terminal/standard_streams.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <asio/buffer.hpp>
#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>
#include <utility>

#include "command/terminal/own_descriptor.hpp"

namespace rollcall::command {

StandardStream::StandardStream(const asio::any_io_executor& executor, int given, int access) : given_(given), stream_(executor) {
  struct stat status{};
  is_file_ = ::fstat(given, &status) == 0 && S_ISREG(status.st_mode);
  int own = open_beside(given, access);
  if (own < 0) {
    own = ::fcntl(given, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    flags_ = ::fcntl(given, F_GETFL);
  }
  std::error_code error;
  if (own >= 0) stream_.assign(own, error);  // files as well: Asio reads and writes them without waiting
  if (error) ::close(own);
}

StandardStream::~StandardStream() {
  close();
  if (flags_ >= 0) ::fcntl(given_, F_SETFL, flags_);
}

asio::awaitable<std::size_t> StandardStream::read(std::span<char> into) {
  if (!stream_.is_open()) co_return 0;
  std::error_code error;
  const auto buffer = asio::buffer(into.data(), into.size());
  const std::size_t count = co_await stream_.async_read_some(buffer, asio::redirect_error(asio::use_awaitable, error));
  co_return error ? 0 : count;
}

asio::awaitable<std::size_t> StandardStream::write(std::string_view text) {
  if (!stream_.is_open()) co_return 0;
  std::error_code error;
  const auto buffer = asio::buffer(text.data(), text.size());
  const std::size_t count = co_await stream_.async_write_some(buffer, asio::redirect_error(asio::use_awaitable, error));
  co_return error ? 0 : count;
}

void StandardStream::when_reader_goes(std::function<void()> on_gone) {
  if (!stream_.is_open()) return;
  stream_.async_wait(asio::posix::descriptor_base::wait_error, [on_gone = std::move(on_gone)](const std::error_code& error) {
    if (!error) on_gone();  // files cannot be waited for
  });
}

void StandardStream::close() noexcept {
  std::error_code ignored;
  if (stream_.is_open()) stream_.close(ignored);
}

}  // namespace rollcall::command
