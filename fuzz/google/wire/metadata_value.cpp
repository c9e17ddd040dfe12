// Scalar metadata values.
#include "google/wire/metadata_value.hpp"

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  require_sane(parse_metadata_value("instance/name", body));
  for (const Result<std::string>& name : {parse_metadata_zone(body), parse_metadata_project(body)}) {
    require_sane(name);
    if (name) require(!name->empty() && name->find_first_of("/ %?#") == std::string::npos);
  }
  return 0;
}
