// What the process says that looks at folders and software.
#include "preflight/host/wire/host_line.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;

TEST_CASE("lines about folders, software and speeds are the same behind the pipe") {
  FolderLine folder;
  folder.error = "No \"such\"\nfile";
  folder.free_bytes = UINT64_MAX;
  folder.is_out_of_files = true;
  CHECK(parse_folder_line("noise\n" + write_folder_line(folder)).value() == folder);
  SoftwareLine software;
  software.python = "3.11";
  software.python_unknown = "why";
  software.packages = {"jax-0.4", "numpy-2.1.0"};
  software.libraries = {{"cuda", "12.4.1"}, {"nccl", "2.28.3"}};
  CHECK(parse_software_line(write_software_line(software)).value() == software);
  SpeedLine speed;
  speed.error = "No space left on device";
  speed.copied = UINT64_MAX;
  speed.written = 1;
  speed.read = 2;
  CHECK(parse_speed_line("noise\n" + write_speed_line(speed)).value() == speed);
}

TEST_CASE("what is no line about a host") {
  for (const char* const text : {"", "{}", "[1]", "{\"folder\":1}", "{\"folder\":1,\"free\":-1,\"total\":1,\"error\":\"\"}",
                                 "{\"folder\":1,\"free\":1,\"total\":1,\"error\":\"\",\"read_only\":1,\"out_of_files\":false}", "nonsense"})
    CHECK(parse_folder_line(text).error().code() == Errc::malformed_response);
  for (const char* const text : {"{\"software\":1}", "{\"software\":1,\"python\":3,\"libraries\":{},\"packages\":[]}",
                                 "{\"software\":1,\"python\":\"\",\"libraries\":{\"A b\":\"1\"},\"packages\":[]}",
                                 "{\"software\":1,\"python\":\"\",\"libraries\":{\"a\":1},\"packages\":[]}",
                                 "{\"software\":1,\"python\":\"\",\"libraries\":{},\"packages\":[1]}"})
    CHECK(parse_software_line(text).error().code() == Errc::malformed_response);
  for (const char* const text : {"", "{\"speed\":1}", "{\"speed\":2,\"copied\":1,\"written\":1,\"read\":1,\"error\":\"\"}",
                                 "{\"speed\":1,\"copied\":-1,\"written\":1,\"read\":1,\"error\":\"\"}"})
    CHECK(parse_speed_line(text).error().code() == Errc::malformed_response);
  CHECK(parse_folder_line(std::string(5 << 20, ' ') + "{}").has_error());
}

TEST_CASE("names of packages and libraries") {
  CHECK(package_of_folder("NumPy-2.1.0.dist-info") == "numpy-2.1.0");
  CHECK(package_of_folder("zope.interface-5.4.dist-info") == "zope_interface-5.4");
  CHECK(package_of_folder("six-1.16.0-py3.11.egg-info") == "six-1.16.0");
  for (const char* const name : {"numpy", "-1.dist-info", "numpy-.dist-info", "numpy.dist-info", ".dist-info"})
    CHECK(package_of_folder(name).empty());
  CHECK(package_version({"nvidia_nccl_cu12-2.21.5", "nvidia_nccl_cu12x-1"}, "nvidia_nccl_cu12") == "2.21.5");
  CHECK(package_version({"numpy-2"}, "num").empty());
  CHECK(library_version("libnccl.so.2.28.3", "libnccl") == "2.28.3");
  for (const char* const name : {"libnccl.so.2", "libnccl.so", "libnccl-net.so.1.2", "libnccl.so.x.y", ""})
    CHECK(library_version(name, "libnccl").empty());
  CHECK(cuda_version("{\"cuda\":{\"name\":\"CUDA SDK\",\"version\":\"12.4.1\"}}") == "12.4.1");
  CHECK(cuda_version("{\"cuda\":{\"version\":\"new\\u001b\"}}").empty());
  CHECK(cuda_version("nonsense").empty());
  CHECK(venv_value("home = /usr/bin\ninclude-system-site-packages = true\n", "include-system-site-packages") == "true");
  CHECK(venv_value("", "home").empty());
}
