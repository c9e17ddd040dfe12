// Answers of TensorFlow servers: texts of an accepted answer must be printable, and its devices must be bounded by its size.
#include "devices/wire/device_wire.hpp"

#include "base/text.hpp"
#include "check.hpp"
#include "rollcall/tpu_metadata.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Result<DeviceLists> lists = parse_list_devices_response(bytes);
  require_sane(lists);
  if (lists) {
    const std::vector<DeviceAttributes> devices = std::move(*lists).all();
    require(devices.size() * 2 <= size);
    for (const DeviceAttributes& device : devices) require(is_valid_utf8(device.name) && is_valid_utf8(device.device_type));
    const Result<TpuSystemMetadata> metadata = TpuSystemMetadata::of_devices(devices);
    require_sane(metadata);
    if (metadata)
      require(metadata->num_cores == metadata->num_hosts * metadata->num_of_cores_per_host && metadata->devices.size() == devices.size());
  }
  require_sane(parse_get_status_response(bytes));
  const Result<std::string> handle = parse_create_session_response(bytes);
  require_sane(handle);
  if (handle) require(!handle->empty());
  return 0;
}
