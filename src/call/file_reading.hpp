// Reading files within a call: what is still to come is waited for by the call alone, and a file's mode that is too open becomes a warning.
#pragma once

#include <asio/awaitable.hpp>
#include <string>
#include <type_traits>

#include "rollcall/call.hpp"

namespace rollcall {

/// Forgets what reads that were not waited for have come to.
void forget_awaited_files(Call& call);
/// Suspends while a file that was read since then is still to come. True: it came to more, read again. Cancellable: ends the coroutine by
/// an exception of Asio's, and the call's failure names the file.
asio::awaitable<bool> until_files_came(Call& call);

/// What `read()` returns, which reads files by impl_of(call).files and does not suspend: it is called again whenever a file that it came
/// to, such as a pipe, has more to say. `read` outlives the wait.
template <class Read>
asio::awaitable<std::invoke_result_t<const Read&>> read_when_there(Call& call, const Read& read) {
  forget_awaited_files(call);
  for (;;) {
    std::invoke_result_t<const Read&> result = read();
    const bool is_partial = co_await until_files_came(call);
    if (!is_partial) co_return result;
  }
}
/// The file at `path`. May suspend; cancellable. Errors: as Files::read().
asio::awaitable<Result<std::string>> read_file(Call& call, const std::string& path, std::size_t max_bytes);

/// Tells, once for each, of a file with a secret that others than its owner can read.
void warn_of_open_file(Call& call, const std::string& path);
/// As LocalFiles::other_writers().
std::string other_writers(Call& call, const std::string& path);
/// Tells, once for each, of a file that names a program or a server and that other users can change.
void warn_of_other_writers(Call& call, const std::string& path);

}  // namespace rollcall
