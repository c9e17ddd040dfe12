// The kernel's texts about a host: everything is read, nothing is longer than the text.
#include "preflight/host/wire/host_texts.hpp"

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  require(parse_os_release(text).size() <= size + 1);
  parse_meminfo(text, "MemTotal");
  parse_process_limit(text, "Max open files");
  require(parse_status_row(text, "Cpus_allowed_list").size() <= size);
  if (const auto count = parse_processor_list(text)) require(*count > 0);
  parse_load(text);
  for (const std::string& interface : {parse_default_interface(text), parse_default_interface_of_ipv6(text)})
    require(interface.find('/') == std::string::npos && interface != "..");
  for (const char* const controller : {"", "memory"}) {
    const auto folder = parse_cgroup_folder(text, controller);
    require(!folder || (folder->starts_with('/') && folder->find("..") == std::string::npos));
  }
  parse_processor_quota(text);
  require(parse_listening_inodes(text, 29500).size() <= size);
  require(parse_ras_counts(text).size() <= 3 && parse_bad_pages(text).size() <= 3);
  return 0;
}
