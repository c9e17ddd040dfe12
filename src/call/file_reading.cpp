#include "call/file_reading.hpp"

#include <fmt/format.h>

#include <memory>

#include "async/async_event.hpp"
#include "base/file_warnings.hpp"
#include "base/path_text.hpp"
#include "base/text.hpp"
#include "call/runtime_impl.hpp"
#include "rollcall/local_files.hpp"

namespace rollcall {
namespace {

// Null: the implementation supports only reading.
const LocalFiles* local_files(const Call& call) { return dynamic_cast<const LocalFiles*>(impl_of(call).files.get()); }

}  // namespace

void forget_awaited_files(Call& call) {
  if (const LocalFiles* const files = local_files(call)) files->await_content(nullptr);
}

asio::awaitable<bool> until_files_came(Call& call) {
  const auto came = std::make_shared<AsyncEvent>();
  const auto wake = [weak = std::weak_ptr<AsyncEvent>(came)] {
    if (const std::shared_ptr<AsyncEvent> alive = weak.lock()) alive->wake();
  };
  const LocalFiles* const files = local_files(call);
  const std::shared_ptr<AwaitedFile> awaited = files ? files->await_content(wake) : nullptr;
  if (!awaited) co_return false;
  CallState& state = state_of(call);
  const std::string trouble = state.last_trouble;
  state.current_target = path_text(awaited->path());
  state.last_trouble = fmt::format("{} has not come to its end: what writes it has not closed it", quoted_path(awaited->path(), 200));
  const bool is_woken = co_await came->wait();
  if (!is_woken) co_await next_turn();  // cancelled: this throws
  state.last_trouble = trouble;
  co_return true;
}

asio::awaitable<Result<std::string>> read_file(Call& call, const std::string& path, std::size_t max_bytes) {
  const Files& files = *impl_of(call).files;
  const auto read = [&files, &path, max_bytes] { return files.read(path, max_bytes); };
  Result<std::string> text = co_await read_when_there(call, read);
  co_return text;
}

asio::awaitable<Result<std::string>> read_token_file(Call& call, const std::string& path, std::size_t max_bytes) {
  Result<std::string> text = co_await read_file(call, path, max_bytes);
  if (text) co_return text;
  Failure failure = text.error();
  const bool is_missing = failure.code() == Errc::not_found || failure.code() == Errc::permission_denied;
  if (is_missing) failure.with_code(Errc::unauthenticated);
  co_return failure;
}

bool is_open_unsaid(Call& call, const std::string& path) {
  Runtime::Impl& impl = impl_of(call);
  return impl.log && !impl.warned_of.contains(path) && impl.files->is_open_to_others(path).value_or(false);
}

void warn_of_open_file(Call& call, const std::string& path) {
  if (is_open_unsaid(call, path)) impl_of(call).warn_once(call.id(), path, open_file_warning(path));
}

std::string other_writers(Call& call, const std::string& path) {
  const LocalFiles* const files = local_files(call);
  return files ? files->other_writers(path) : std::string();
}

void warn_of_other_writers(Call& call, const std::string& path) {
  Runtime::Impl& impl = impl_of(call);
  const std::string about = path + " is written by others";
  if (!impl.log || impl.warned_of.contains(about)) return;
  const std::string writers = other_writers(call, path);
  if (!writers.empty()) impl.warn_once(call.id(), about, other_writers_warning(path, writers));
}

}  // namespace rollcall
