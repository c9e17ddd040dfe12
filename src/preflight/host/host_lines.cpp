// Looks at folders and software, in a process of its own: what users mount may block for any time.
#include <dirent.h>
#include <fmt/format.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>

#include "base/host_folders.hpp"
#include "base/path_text.hpp"
#include "base/text.hpp"
#include "preflight/host/wire/host_line.hpp"
#include "rollcall/check_host.hpp"

namespace rollcall {
namespace {

class SoftwareSearch {
 public:
  SoftwareSearch(const Environment& environment, const std::string& root)
      : environment_(environment), root_(root), files_(file_system()), folders_(*files_, root_) {}

  SoftwareLine run() {
    find_python();
    for (const std::string& folder : sites_) list_packages(folder);
    found_.packages.assign(packages_.begin(), packages_.end());
    find_libraries();
    return std::move(found_);
  }

 private:
  std::string variable(const char* name) const { return environment_.get(name).value_or(std::string()); }

  // The path of `python3` in PATH, not where it leads to: a virtual environment's lies in it.
  std::string python_in_path() const {
    const std::string path = variable("PATH");
    for (const std::string_view folder : split(path, ':')) {
      const std::string file = std::string(folder) + "/python3";
      if (folder.starts_with('/') && folders_.has(file)) return file;
    }
    return {};
  }

  void find_python() {
    const std::string environment = variable("VIRTUAL_ENV");
    const std::string python = environment.empty() ? python_in_path() : environment + "/bin/python3";
    if (python.empty()) return;
    const std::string prefix = std::filesystem::path(python).parent_path().parent_path().native();
    const std::optional<std::string> settings = folders_.text(prefix + "/pyvenv.cfg");
    add_sites(prefix, python);
    // Such as pyenv's, which starts one of several.
    if (found_.python.empty())
      found_.python_unknown = fmt::format("which Python {} starts is not known: set VIRTUAL_ENV", quoted_path(python));
    if (!settings) return add_sites_of_users();
    if (to_lower(venv_value(*settings, "include-system-site-packages")) != "true") return;
    const std::string home = venv_value(*settings, "home");
    if (home.starts_with('/')) add_sites(std::filesystem::path(home).parent_path().native(), home + "/python3");
    add_sites_of_users();
  }

  // `python3.11` of where /usr/bin/python3 leads to; else the only one that has packages.
  std::string version_of(const std::string& prefix, const std::string& python) const {
    std::error_code error;
    const std::string file = std::filesystem::canonical(root_ + python, error).filename().native();
    if (!error && file.starts_with("python3.")) return file;
    std::string only;
    for (const std::string& name : folders_.names(prefix + "/lib").value_or(std::vector<std::string>())) {
      if (!name.starts_with("python3.")) continue;
      if (!only.empty()) return {};
      only = name;
    }
    return only;
  }

  void add_sites(const std::string& prefix, const std::string& python) {
    const std::string version = version_of(prefix, python);
    if (version.empty()) return;
    if (found_.python.empty()) found_.python = version.substr(std::string_view("python").size()).substr(0, 32);
    for (const char* const part : {"/lib/", "/lib64/", "/local/lib/"}) {
      for (const char* const kind : {"/site-packages", "/dist-packages"}) sites_.insert(prefix + part + version + kind);
    }
    sites_.insert(prefix + "/lib/python3/dist-packages");  // Debian's own
  }

  void add_sites_of_users() {
    const std::string home = variable("HOME");
    if (home.starts_with('/') && !found_.python.empty()) sites_.insert(home + "/.local/lib/python" + found_.python + "/site-packages");
  }

  void list_packages(const std::string& folder) {
    for (const std::string& name : folders_.names(folder).value_or(std::vector<std::string>())) {
      std::string package = package_of_folder(name);
      if (!package.empty() && package.size() <= 256 && packages_.size() < max_packages) packages_.insert(std::move(package));
    }
  }

  void add_library(const std::string& name, const std::string& version) {
    if (!version.empty() && version.size() <= 64) found_.libraries.try_emplace(name, version);
  }

  // What a program loads is decided in this order [facts: nccl-version].
  void find_libraries() {
    for (const char* const package : {"nvidia_nccl_cu13", "nvidia_nccl_cu12", "nvidia_nccl_cu11"})
      add_library("nccl", package_version(found_.packages, package));
    for (const char* const package : {"libtpu", "libtpu_nightly"}) add_library("libtpu", package_version(found_.packages, package));
    std::vector<std::string> places;
    const std::string path = variable("LD_LIBRARY_PATH");
    for (const std::string_view folder : split(path, ':')) {
      if (folder.starts_with('/')) places.emplace_back(folder);
    }
    places.insert(places.end(), {"/usr/local/cuda/lib64", "/usr/local/lib", "/opt/amazon/efa/lib", "/opt/amazon/efa/lib64",
                                 "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"});
    if (places.size() > 64) places.resize(64);
    for (const std::string& place : places) {
      for (const auto& [name, library, link] :
           {std::tuple("nccl", "libnccl", "libnccl.so.2"), std::tuple("libfabric", "libfabric", "libfabric.so.1")})
        add_library(name, library_version(folders_.link_name(place + "/" + link), library));
    }
    add_library("cuda", cuda_version(folders_.text("/usr/local/cuda/version.json").value_or("")));
    const std::string cuda = variable("CUDA_VERSION");
    if (cuda.find_first_not_of("0123456789.") == std::string::npos) add_library("cuda", cuda);
  }

  const Environment& environment_;
  const std::string root_;
  std::shared_ptr<const Files> files_;
  HostFolders folders_;
  std::set<std::string> sites_;
  std::set<std::string> packages_;
  SoftwareLine found_;
};

}  // namespace

std::string host_folder_line(const std::string& path) {
  FolderLine folder;
  struct statvfs found{};
  // Opening and reading asks the server: statvfs alone may be answered from memory.
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(path.c_str()), ::closedir);
  errno = listing ? 0 : errno;
  if (listing) static_cast<void>(::readdir(listing.get()));
  if (errno != 0 || ::statvfs(path.c_str(), &found) != 0) {
    folder.error = std::strerror(errno);
  } else {
    folder.free_bytes = static_cast<std::uint64_t>(found.f_bavail) * found.f_frsize;
    folder.total_bytes = static_cast<std::uint64_t>(found.f_blocks) * found.f_frsize;
    folder.is_read_only = (found.f_flag & ST_RDONLY) != 0;
    folder.is_out_of_files = found.f_files > 0 && found.f_favail == 0;
  }
  return write_folder_line(folder);
}

std::string host_software_line(const Environment& environment, const std::string& root) {
  return write_software_line(SoftwareSearch(environment, root).run());
}

}  // namespace rollcall
