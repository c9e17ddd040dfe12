// The kernel's texts about a host.
#include "preflight/host/wire/host_texts.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;

TEST_CASE("the name of a system") {
  CHECK(parse_os_release("NAME=\"Debian GNU/Linux\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n") ==
        "Debian GNU/Linux 12 (bookworm)");
  CHECK(parse_os_release("NAME='Alpine'\nVERSION_ID=3.20\n") == "Alpine 3.20");
  CHECK(parse_os_release("NAME=Void\n") == "Void");
  CHECK(parse_os_release("nonsense\n=\n").empty());
}

TEST_CASE("memory of a host") {
  CHECK(parse_meminfo("MemTotal:       2113458920 kB\nMemFree:  1 kB\n", "MemTotal") == 2113458920ULL * 1024);
  CHECK_FALSE(parse_meminfo("MemTotalX: 1 kB\nMemTotal: -1 kB\n", "MemTotal"));
  CHECK_FALSE(parse_meminfo("MemTotal: 18446744073709551615 kB\n", "MemTotal"));
  CHECK_FALSE(parse_meminfo("MemTotal: 5\n", "MemTotal"));
}

TEST_CASE("limits of a process") {
  const char* const text =
      "Limit                     Soft Limit           Hard Limit           Units     \n"
      "Max open files            1024                 1048576              files     \n"
      "Max locked memory         unlimited            unlimited            bytes     \n";
  const auto files = parse_process_limit(text, "Max open files");
  REQUIRE(files);
  CHECK(files->soft == 1024U);
  CHECK(files->hard == 1048576U);
  const auto memory = parse_process_limit(text, "Max locked memory");
  REQUIRE(memory);
  CHECK_FALSE(memory->soft);
  CHECK_FALSE(parse_process_limit(text, "Max stack size"));
  CHECK_FALSE(parse_process_limit("Max open files  -1 5 files", "Max open files"));
}

TEST_CASE("processors of a host") {
  CHECK(parse_status_row("Name:\tsh\nCpus_allowed_list:\t0-3,8\n", "Cpus_allowed_list") == "0-3,8");
  CHECK(parse_processor_list("0-3,8\n") == 5U);
  CHECK(parse_processor_list("0") == 1U);
  for (const char* const text : {"", "-1", "3-1", "a", "0,,1", "0-", "0-99999999999"}) CHECK_FALSE(parse_processor_list(text));
  CHECK(parse_load("13.07 9.00 1.00 2/300 99\n") == 1307U);
  for (const char* const text : {"", "1", "1.5 2", "-1.00 2", "x.00 1"}) CHECK_FALSE(parse_load(text));
  CHECK(parse_processor_quota("350000 100000\n") == 350U);
  for (const char* const text : {"max 100000", "1", "1 0", "a b"}) CHECK_FALSE(parse_processor_quota(text));
}

TEST_CASE("the interface of the default route") {
  const std::string head = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n";
  CHECK(parse_default_interface(head + "eth1\t00000000\t0100000A\t0003\t0\t0\t200\t00000000\t0\t0\t0\n"
                                       "eth0\t00000000\t0100000A\t0003\t0\t0\t100\t00000000\t0\t0\t0\n") == "eth0");
  CHECK(parse_default_interface(head + "eth0\t0000000A\t00000000\t0001\t0\t0\t0\t000000FF\t0\t0\t0\n").empty());
  CHECK(parse_default_interface("../../etc 00000000 0 0 0 0 0 00000000").empty());
  CHECK(parse_default_interface(".. 00000000 0 0 0 0 0 00000000").empty());
  CHECK(parse_default_interface(head + "*\t00000000\t00000000\t0201\t0\t0\t5\t00000000\t0\t0\t0\n").empty());  // unreachable default
}

TEST_CASE("the interface of the default route over IPv6") {
  const std::string none(32, '0');
  const std::string network = "fd000000000000000000000000000000 40 " + none + " 00 " + none + " 00000001 00000001 00000000 00000001 eth0\n";
  const std::string to_all = none + " 00 " + none + " 00 fd000000000000000000000000000001 ";
  const std::string refused = none + " 00 " + none + " 00 " + none + " 00000100 00000001 00000000 00200200       lo\n";
  CHECK(parse_default_interface_of_ipv6(network + to_all + "00000400 00000003 00000000 00000003     eth1\n" + to_all +
                                        "00000200 00000003 00000000 00000003     eth2\n" + refused) == "eth2");
  CHECK(parse_default_interface_of_ipv6(network + refused).empty());
  CHECK(parse_default_interface_of_ipv6(to_all + "1 1 1 1 ../eth0\nx 00 y 00 z 1 1 1 1 eth0\n\n0 00\n").empty());
}

TEST_CASE("the folder of a cgroup") {
  CHECK(parse_cgroup_folder("0::/kubepods/pod1\n") == "/kubepods/pod1");
  CHECK(parse_cgroup_folder("12:memory:/x\n0::/\n") == "/");
  CHECK_FALSE(parse_cgroup_folder("0::/../../other\n"));
  CHECK_FALSE(parse_cgroup_folder("12:memory:/x\n"));
  const char* const both = "12:memory:/x\n4:cpu,cpuacct:/y:z\n3:cpuset:/w\n0::/v\n5:name=systemd:/s\nmemory:/q\n6:\n";
  CHECK(parse_cgroup_folder(both, "memory") == "/x");
  CHECK(parse_cgroup_folder(both, "cpu") == "/y:z");
  CHECK(parse_cgroup_folder(both) == "/v");
  CHECK_FALSE(parse_cgroup_folder(both, "pids"));
}

TEST_CASE("sockets that listen on a port") {
  const char* const text =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
      "   0: 00000000:733C 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0 100 0 0 10 0\n"
      "   1: 0100007F:733C 0100007F:C000 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 0 100 0 0 10 0\n"
      "   2: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4713 1 0 100 0 0 10 0\n";
  CHECK(parse_listening_inodes(text, 29500) == std::set<std::uint64_t>{4711});
  CHECK(parse_listening_inodes(text, 80).empty());
  CHECK(parse_listening_inodes("0: x:z y 0A 0 0 0 0 0 q", 1).empty());
}

TEST_CASE("errors of AMD's GPUs") {
  const auto counts = parse_ras_counts("ue: 2\nce: 40\nde: 1\nxe: 9\nue 3\n");
  CHECK(counts == std::map<std::string, std::uint64_t>{{"ue", 2}, {"ce", 40}, {"de", 1}});
  const auto pages = parse_bad_pages("0x00000000 : 0x00001000 : R\n0x00000001 : 0x00001000 : P\n0x2 : 0x1 : X\nnonsense\n");
  CHECK(pages == std::map<char, std::uint64_t>{{'R', 1}, {'P', 1}});
}
