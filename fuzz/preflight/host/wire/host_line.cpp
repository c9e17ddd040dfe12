// The lines of the process that looks at folders: an accepted one is bounded, and is the same when written and read again.
#include "preflight/host/wire/host_line.hpp"

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const Result<FolderLine> folder = parse_folder_line(text)) {
    const std::string line = write_folder_line(*folder);
    const Result<FolderLine> again = parse_folder_line(line);
    require(again && write_folder_line(*again) == line);
  }
  const Result<SoftwareLine> software = parse_software_line(text);
  require_sane(software);
  if (software) {
    require(software->packages.size() <= max_packages);
    const std::string line = write_software_line(*software);
    const Result<SoftwareLine> again = parse_software_line(line);
    if (again) require(again->libraries.size() == software->libraries.size());
  }
  require(package_of_folder(text).size() <= 4 * size + 8);
  require(library_version(text, "libnccl").size() <= size && cuda_version(text).size() <= 64 && venv_value(text, "home").size() <= size);
  return 0;
}
