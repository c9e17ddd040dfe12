#include "base/append_formatted.hpp"
#include "command/arguments/texts.hpp"

#include <ares.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <google/protobuf/stubs/common.h>
#include <grpcpp/grpcpp.h>
#include <nghttp2/nghttp2.h>
#include <openssl/crypto.h>
#include <yaml.h>
#include <zlib.h>
#include <asio/version.hpp>
#include <boost/json/kind.hpp>
#include <boost/version.hpp>
#include <exception>

namespace rollcall::command {

std::string_view version() noexcept { return ROLLCALL_VERSION; }

namespace {

// The file that contains a function: this program itself, or a library that the loader found.
template <class Function>
std::string_view home_of(Function* function) noexcept {
  Dl_info there{};
  Dl_info here{};
  const bool is_known =
      ::dladdr(reinterpret_cast<const void*>(function), &there) != 0 && ::dladdr(reinterpret_cast<const void*>(&version), &here) != 0;
  if (!is_known) return "unknown";
  return there.dli_fbase == here.dli_fbase ? "static" : "shared";
}

#ifdef __clang__
constexpr std::string_view compiler = __VERSION__;
#else
constexpr std::string_view compiler = "GCC " __VERSION__;
#endif

std::string dotted(int major, int minor, int patch) { return fmt::format("{}.{}.{}", major, minor, patch); }

}  // namespace

std::string linked_versions() {
  std::string out;
  const auto add = [&out](std::string_view name, std::string_view number, std::string_view how) {
    append_formatted(out, "{} {} ({})\n", name, number, how);
  };
  add("OpenSSL", ::OpenSSL_version(OPENSSL_VERSION_STRING), home_of(::OpenSSL_version));
  add("gRPC", grpc::Version(), home_of(grpc::Version));
  add("c-ares", ::ares_version(nullptr), home_of(::ares_version));
  add("nghttp2", ::nghttp2_version(0)->version_str, home_of(::nghttp2_version));
  add("zlib", ::zlibVersion(), home_of(::zlibVersion));
  add("protobuf", dotted(GOOGLE_PROTOBUF_VERSION / 1000000, GOOGLE_PROTOBUF_VERSION / 1000 % 1000, GOOGLE_PROTOBUF_VERSION % 1000),
      home_of(google::protobuf::internal::VerifyVersion));
  add("libyaml", ::yaml_get_version_string(), home_of(::yaml_get_version_string));
  add("fmt", dotted(FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100),
      home_of(static_cast<std::string (*)(fmt::string_view, fmt::format_args)>(fmt::vformat)));
  add("Boost", dotted(BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100),
      home_of(static_cast<boost::json::string_view (*)(boost::json::kind) noexcept>(boost::json::to_string)));
  add("Asio", dotted(ASIO_VERSION / 100000, ASIO_VERSION / 100 % 1000, ASIO_VERSION % 100), "headers");
  add("glibc", ::gnu_get_libc_version(), home_of(::gnu_get_libc_version));
  append_formatted(out, "libstdc++ {} ({}), compiled by {}\n", _GLIBCXX_RELEASE, home_of(std::terminate), compiler);
  return out;
}

}  // namespace rollcall::command
