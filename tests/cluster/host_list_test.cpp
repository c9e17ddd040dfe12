// Slurm's host lists and tasks per node. tests/interop compares them with scontrol.
#include "rollcall/host_list.hpp"

#include <fmt/format.h>

#include "support/result.hpp"

using namespace rollcall;

namespace {

using Hosts = std::vector<std::string>;

constexpr auto wide = HostListGrammar::scontrol;
constexpr auto strict = HostListGrammar::tensorflow;

void check_list_refused(const Result<Hosts>& hosts, std::string_view list, std::string_view why) {
  CAPTURE(list);
  testing::check_failure(hosts, Errc::invalid_argument, list, why);
}

}  // namespace

TEST_CASE("host lists keep order, duplicates and padding") {
  for (const HostListGrammar grammar : {wide, strict}) {
    const auto expand = [&](std::string_view text) { return expand_host_list(text, grammar).value(); };
    CHECK(expand("").empty());
    CHECK(expand("n1") == Hosts{"n1"});
    CHECK(expand("n[1-2],m5,o[3-4,6,7-9]") == Hosts{"n1", "n2", "m5", "o3", "o4", "o6", "o7", "o8", "o9"});
    CHECK(expand("n[2,1,1],n1") == Hosts{"n2", "n1", "n1", "n1"});
    CHECK(expand("n[008-011]") == Hosts{"n008", "n009", "n010", "n011"});
    CHECK(expand("n[8-11]") == Hosts{"n8", "n9", "n10", "n11"});
    CHECK(expand("n[1-03]") == Hosts{"n1", "n2", "n3"});
    CHECK(expand("[1-3]") == Hosts{"1", "2", "3"});
    CHECK(expand("n1,") == Hosts{"n1"});
    CHECK(expand("n[18446744073709551614-18446744073709551615]") == Hosts{"n18446744073709551614", "n18446744073709551615"});
    CHECK(expand("a.b-c_1,d") == Hosts{"a.b-c_1", "d"});
  }
}

TEST_CASE("scontrol's grammar has several brackets, suffixes and blanks") {
  CHECK(expand_host_list("r[1-2]n[1-2]").value() == Hosts{"r1n1", "r1n2", "r2n1", "r2n2"});
  CHECK(expand_host_list("n[1-2][3-4]").value() == Hosts{"n13", "n14", "n23", "n24"});
  CHECK(expand_host_list("a[1-2]b[1-2]c[1-2]").value() ==
        Hosts{"a1b1c1", "a1b1c2", "a2b1c1", "a2b1c2", "a1b2c1", "a1b2c2", "a2b2c1", "a2b2c2"});
  CHECK(expand_host_list("n[1-2]-ib,m").value() == Hosts{"n1-ib", "n2-ib", "m"});
  CHECK(expand_host_list(",n1,, n2\tn3\n").value() == Hosts{"n1", "n2", "n3"});
}

TEST_CASE("TensorFlow's grammar refuses what TensorFlow refuses") {
  for (const auto& [list, why] : std::initializer_list<std::pair<const char*, const char*>>{{",n1", "an element is empty"},
                                                                                            {"n1,,n2", "an element is empty"},
                                                                                            {",", "an element is empty"},
                                                                                            {"n[1-2]a", "text after a bracket"},
                                                                                            {"r[1-2]n[1-4]", "after a br"},
                                                                                            {"n[1][2]", "a second bracket"},
                                                                                            {"n[1-2", "a [ without its ]"},
                                                                                            {"n1]", "a ] without its ["},
                                                                                            {"n[]", "'' is no number"},
                                                                                            {"n[1,]", "'' is no number"},
                                                                                            {"n[[1]]", "'[1' is no"},
                                                                                            {"n[a]", "'a' is no number"},
                                                                                            {"n[1-2-3]", "'1-2-3' is no"},
                                                                                            {"n[-1]", "'-1' is no"},
                                                                                            {"n[1-]", "'1-' is no"},
                                                                                            {"n[ 1]", "' 1' is no"},
                                                                                            {"n[+1]", "'+1' is no"},
                                                                                            {"n1 n2", "a blank"},
                                                                                            {"n[99999999999999999999]", "is no number"}}) {
    check_list_refused(expand_host_list(list, strict), list, why);
  }
  CHECK(expand_host_list("n[5-3]", strict).value().empty());
  CHECK(expand_host_list("n[5-3],m", strict).value() == Hosts{"m"});
}

TEST_CASE("input for which scontrol returns wrong names is refused in its grammar, too") {
  for (const char* list : {"n[1-2", "n]", "n[]", "n[1,]", "n[a]", "n[1-2-3]", "n[1-]", "n[+1]", "n[ 1]", "n[[1]]", "n[1-2][", "[", "]"}) {
    check_list_refused(expand_host_list(list), list, "");
  }
  check_list_refused(expand_host_list("n[5-3]"), "n[5-3]", "runs backwards");
  check_list_refused(expand_host_list("n\x01"), "n\\x01", "control character");
}

TEST_CASE("a huge host list is refused before it is made") {
  for (const HostListGrammar grammar : {wide, strict}) {
    CHECK(expand_host_list("n[1-65536]", grammar).value().size() == 65536);
    for (const char* list : {"n[0-65536]", "n[0-999999999]", "n[0-18446744073709551615]", "n[0-65535],m", "n[1-60000,1-60000]",
                             "n[0-18446744073709551615,0-18446744073709551615]", "n[0-18446744073709551615],n[0-18446744073709551615]"}) {
      CAPTURE(list);
      const auto hosts = expand_host_list(list, grammar);
      testing::check_failure(hosts, Errc::limit_exceeded, list, "65536");
    }
  }
  CHECK(expand_host_list("a[0-9999]b[0-9999]c[0-9999]d[0-9999]e[0-9999]").error().code() == Errc::limit_exceeded);
  CHECK(expand_host_list("n[1-3]", wide, 2).error().code() == Errc::limit_exceeded);
  const std::string wide_number = "n[" + std::string(300, '0') + "1-60000]";
  CHECK_THAT(expand_host_list(wide_number).error().what(), Catch::Contains("more than 255 bytes"));
}

TEST_CASE("neighbours are compressed as by scontrol") {
  const auto fold = [](const Hosts& hosts) { return compress_host_list(hosts).value(); };
  CHECK(fold({}).empty());
  CHECK(fold({"n1", "n2", "n3"}) == "n[1-3]");
  CHECK(fold({"n1", "n3", "n2"}) == "n[1,3,2]");
  CHECK(fold({"n1", "m1", "n2"}) == "n1,m1,n2");
  CHECK(fold({"n1", "n1"}) == "n[1,1]");
  CHECK(fold({"n8", "n9", "n10", "n11"}) == "n[8-11]");
  CHECK(fold({"n09", "n10", "n100", "n101"}) == "n[09-10,100-101]");
  CHECK(fold({"n99", "n100", "n0100", "n0101"}) == "n[99-100,0100-0101]");
  CHECK(fold({"n9", "n010"}) == "n[9,010]");
  CHECK(fold({"n98", "n99", "n100"}) == "n[98-100]");
  CHECK(fold({"1", "2"}) == "[1-2]");
  CHECK(fold({"n", "n0"}) == "n,n0");
  CHECK(fold({"a", "a"}) == "a,a");
  CHECK(fold({"n1x1", "n1x2", "n2x1"}) == "n1x[1-2],n2x1");
  CHECK(fold({"a-1.x", "a-2.x"}) == "a-1.x,a-2.x");
  CHECK(fold({"n99999999999999999999", "n100000000000000000000"}) == "n99999999999999999999,n100000000000000000000");
  CHECK(fold({"n18446744073709551615", "n0"}) == "n[18446744073709551615,0]");
  for (const char* name : {"", "a,b", "a b", "a[1]", "a\n"}) {
    CHECK(compress_host_list(Hosts{"n1", name}).error().code() == Errc::invalid_argument);
  }
}

TEST_CASE("tasks per node") {
  using Tasks = std::vector<int>;
  CHECK(expand_tasks_per_node("2").value() == Tasks{2});
  CHECK(expand_tasks_per_node("3(x2),2,1").value() == Tasks{3, 3, 2, 1});
  CHECK(expand_tasks_per_node("3(x0),1").value() == Tasks{1});
  for (const char* text : {"", ",", "1,", ",1", "a", "-1", "+1", "1 ", " 1", "1(x)", "1(x2", "1(2)", "(x2)", "1(x-1)", "1(x2)3", "1x2",
                           "2147483648", "1(x99999999999999999999)", "1(x1)(x1)"}) {
    CAPTURE(text);
    const auto tasks = expand_tasks_per_node(text);
    testing::check_failure(tasks, Errc::invalid_argument, fmt::format("'{}'", text));
  }
  CHECK(expand_tasks_per_node("1(x65536)").value().size() == 65536);
  CHECK(expand_tasks_per_node("1(x65537)").error().code() == Errc::limit_exceeded);
  CHECK(expand_tasks_per_node("1(x65536),1").error().code() == Errc::limit_exceeded);
  CHECK(expand_tasks_per_node("1(x18446744073709551615)").error().code() == Errc::limit_exceeded);
}
