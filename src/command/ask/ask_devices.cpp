#include "command/ask/ask_devices.hpp"

#include "rollcall/tpu_resolver.hpp"

namespace rollcall::command {

asio::awaitable<Result<DeviceReport>> ask_devices(std::string target, std::shared_ptr<ClusterResolver> resolver, CallOptions options) {
  if (TpuResolver* const tpu = tpu_of(*resolver)) {
    Result<TpuSystemMetadata> found = co_await tpu->try_system_metadata(std::move(options));
    if (!found) co_return found.error();
    co_return DeviceReport(std::move(target), std::move(*found));
  }
  Result<std::vector<DeviceAttributes>> found = co_await resolver->try_list_devices(std::move(options));
  if (!found) co_return found.error();
  co_return DeviceReport(std::move(target), std::move(*found));
}

}  // namespace rollcall::command
