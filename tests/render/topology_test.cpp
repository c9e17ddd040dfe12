// An accelerator as text, JSON and picture.
#include <cstdio>
#include "render/render_topology.hpp"

#include "support/result.hpp"

using namespace rollcall;

namespace {

TpuLayout layout_of(std::string_view type) { return TpuLayout(AcceleratorType::parse(type).value()); }

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

std::size_t max_line(const std::string& text) {
  std::size_t max = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    max = std::max(max, end - at);
    at = end + 1;
  }
  return max;
}

// The text between the facts and the workers.
std::string grid_of(std::string_view type) {
  const std::string text = render_topology_text(layout_of(type));
  return text.substr(text.find("\n\n") + 2);
}

}  // namespace

TEST_CASE("one host") {
  CHECK(render_topology_text(layout_of("v2-8")) ==
        "type            v2-8\n"
        "chips           4, 16 GiB each\n"
        "cores           8\n"
        "devices         8\n"
        "hosts           1\n"
        "topology        2x2\n"
        "wraps around    no axis\n"
        "chips per host  4 (2,2,1)\n"
        "host bounds     1,1,1\n"
        "\n"
        "+---+\n"
        "| 0 |\n"
        "+---+\n");
}

TEST_CASE("a slice in two dimensions is one grid, in columns") {
  CHECK(grid_of("v5litepod-64") ==
        "+-------------+\n"
        "|  0  1  2  3 |\n"
        "|  4  5  6  7 |\n"
        "|  8  9 10 11 |\n"
        "| 12 13 14 15 |\n"
        "+-------------+\n"
        "workers are taken to be numbered along x first, then y, then z\n");
}

TEST_CASE("a slice in three dimensions is a layer for each z, side by side") {
  CHECK(grid_of("v4-4x4x8") ==
        "z=0        z=1        z=2        z=3        z=4        z=5        z=6\n"
        "+-------+  +-------+  +-------+  +-------+  +-------+  +-------+  +-------+\n"
        "|  0  1 |  |  4  5 |  |  8  9 |  | 12 13 |  | 16 17 |  | 20 21 |  | 24 25 |\n"
        "|  2  3 |  |  6  7 |  | 10 11 |  | 14 15 |  | 18 19 |  | 22 23 |  | 26 27 |\n"
        "+-------+  +-------+  +-------+  +-------+  +-------+  +-------+  +-------+\n"
        "\n"
        "z=7\n"
        "+-------+\n"
        "| 28 29 |\n"
        "| 30 31 |\n"
        "+-------+\n"
        "workers are taken to be numbered along x first, then y, then z\n");
}

TEST_CASE("a topology that the name does not determine is marked as the usual one") {
  CHECK(has(render_topology_text(layout_of("v4-32")), "topology        2x2x4 (the usual one; the type alone leaves others open)\n"));
  CHECK(has(render_topology_text(layout_of("v4-2x2x4")), "topology        2x2x4\n"));
  CHECK(has(render_topology_text(layout_of("v4-128")), "wraps around    x, y, z\n"));
  CHECK(has(render_topology_text(layout_of("v5litepod-128")), "wraps around    y\n"));
}

TEST_CASE("thousands of hosts: omitted ones are marked and counted") {
  const std::string cube = grid_of("tpu7x-18432");
  CHECK(max_line(cube) <= 80);
  CHECK(count(cube, "\n") <= 110);
  CHECK(has(cube, "z=0"));
  CHECK(has(cube, "\n..."));
  CHECK(has(cube, "z=23\n"));
  CHECK(has(cube, "| 2296 2297 2298 2299 2300 2301 2302 2303 |"));
  CHECK(has(cube, " of 2304 hosts are not drawn; --svg draws all\n"));

  const std::string wide = grid_of("tpu7x-576x4x4");
  CHECK(has(wide, "z=0\n+------"));
  CHECK(has(wide, "|    0    1    2    3    4    5    6    7    8    9   10   11   12   ..  287 |\n|  288 "));
  CHECK(has(wide, "\n\nz=3\n"));
  CHECK(has(wide, "2192 of 2304 hosts are not drawn"));
  CHECK(max_line(wide) <= 80);

  const std::string tall = grid_of("tpu7x-4x576x4");
  CHECK(has(tall, "|   26   27 |  |  602  603 |  | 1178 1179 |  | 1754 1755 |\n|   ..   .. |  |   ..   .. |"));
  CHECK(has(tall, "|  574  575 |  | 1150 1151 |"));
  CHECK(count(tall, "\n") <= 110);

  const std::string deep = grid_of("tpu7x-4x4x576");
  CHECK(max_line(deep) <= 80);
  CHECK(count(deep, "\n") <= 110);
  CHECK(has(deep, "  ...  z=575\n"));
  CHECK_FALSE(has(grid_of("v3-2048"), "not drawn"));
}

TEST_CASE("every host that is drawn stands at its place") {
  const Topology hosts({2, 3, 4}, 3);
  CHECK(position_of(0, hosts) == std::array<int, 3>{0, 0, 0});
  CHECK(position_of(1, hosts) == std::array<int, 3>{1, 0, 0});
  CHECK(position_of(2, hosts) == std::array<int, 3>{0, 1, 0});
  CHECK(position_of(23, hosts) == std::array<int, 3>{1, 2, 3});
}

TEST_CASE("a TPU's workers carry their addresses") {
  TpuLayout layout = layout_of("v4-16");
  layout.target = "tpu:trainer";
  layout.state = "READY";
  layout.workers = {"10.0.0.1:8470", "10.0.0.2:8470"};
  const std::string text = render_topology_text(layout);
  CHECK(text.starts_with("target          tpu:trainer\nstate           READY\ntype            v4-16\n"));
  CHECK(has(text, "hosts           2\n"));
  CHECK(text.ends_with("\n\nworker 0 10.0.0.1:8470\nworker 1 10.0.0.2:8470\n"));
  layout.workers.emplace_back("10.0.0.3:8470");
  CHECK(has(render_topology_text(layout), "hosts           2 by the type; the TPU lists 3 workers\n"));
  layout.workers.assign(11, "a\x1b[2J:1");
  CHECK(has(render_topology_text(layout), "worker  9 a\\x1b[2J:1\nworker 10 "));
}

TEST_CASE("JSON has every member, with a target and without") {
  CHECK(
      render_topology_json(layout_of("v4-32")) ==
      "{\"type\":\"v4-32\",\"generation\":\"v4\",\"chips\":16,\"cores\":32,\"devices\":16,\"hosts\":4,\"topology\":\"2x2x4\",\"topology_"
      "certain\":false,"
      "\"chips_per_host\":4,\"chips_per_host_bounds\":[2,2,1],\"host_bounds\":[1,1,4],\"wrap\":[false,false,false],\"hbm_gib_per_chip\":32,"
      "\"target\":\"\",\"state\":\"\",\"workers\":[]}\n");
  TpuLayout layout = layout_of("v4-16");
  layout.target = "tpu:\"x\"";
  layout.state = "READY";
  layout.workers = {"a:1", "b\n:1"};
  CHECK(has(render_topology_json(layout),
            R"("target":"tpu:\"x\"","state":"READY","workers":[{"index":0,"address":"a:1"},{"index":1,"address":"b\n:1"}]})"));
}

TEST_CASE("the picture has every host, and nothing but shapes and text") {
  for (const std::string_view type : {"v2-8", "v4-32", "v3-2048", "tpu7x-18432"}) {
    const TpuLayout layout = layout_of(type);
    const std::string svg = render_topology_svg(layout);
    CHECK(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" "));
    CHECK(svg.ends_with("</svg>\n"));
    CHECK(count(svg, "class=\"host\"") == static_cast<std::size_t>(layout.type.hosts()));
    CHECK(count(svg, "class=\"layer\"") == static_cast<std::size_t>(layout.type.host_bounds().extent()[2]));
    CHECK(has(svg, "prefers-color-scheme:dark"));
    CHECK_FALSE(has(svg, "<script"));
    CHECK_FALSE(has(svg, "href"));
    CHECK_FALSE(has(svg, "url("));
  }
  CHECK(has(render_topology_svg(layout_of("v4-32")),
            "<text x=\"26\" y=\"46\">16 chips, 32 cores, 4 hosts, topology 2x2x4, host bounds 1,1,4</text>"));
  CHECK(has(render_topology_svg(layout_of("v4-32")), "<title>worker 3, x=0 y=0 z=3</title>"));
}

TEST_CASE("text in the picture is escaped; an address is shown when it fits") {
  TpuLayout layout = layout_of("v4-16");
  layout.target = "tpu:<script>&\"'\x01\xff";
  layout.workers = {"10.0.0.1:8470", "<b>&:1"};
  const std::string svg = render_topology_svg(layout);
  CHECK(has(svg, "tpu:&lt;script&gt;&amp;&quot;&#39;\\x01\\xff (v4-16)"));
  CHECK(has(svg, ">10.0.0.1:8470</text>"));
  CHECK(has(svg, "<title>worker 1, x=0 y=0 z=1, &lt;b&gt;&amp;:1</title>"));
  CHECK_FALSE(has(svg, "<b>"));
  layout.workers[0] = "[2001:db8:1234:5678:9abc:def0:1234:5678]:8470";
  const std::string narrow = render_topology_svg(layout);
  CHECK(has(narrow, "<title>worker 0, x=0 y=0 z=0, [2001:db8:1234:5678:9abc:def0:1234:5678]:8470</title>"));
  CHECK_FALSE(has(narrow, "]:8470</text>"));
}

namespace {

TpuLayout tpu_layout(std::string_view type, std::size_t workers, std::string state = "READY", MemberState level = MemberState::ready) {
  TpuLayout layout = layout_of(type);
  layout.target = "tpu:big";
  layout.state = std::move(state);
  layout.level = level;
  for (std::size_t i = 0; i < workers; ++i) layout.workers.push_back("127.90.10." + std::to_string(i % 256) + ":8470");
  return layout;
}

double aspect_of(const std::string& svg) {
  int width = 0;
  int height = 0;
  REQUIRE(std::sscanf(svg.c_str() + svg.find("width="), "width=\"%d\" height=\"%d\"", &width, &height) == 2);
  return static_cast<double>(width) / height;
}

}  // namespace

TEST_CASE("a picture has about the shape of a screen, with addresses and without") {
  for (const std::string_view type : {"v4-128", "v4-1024", "v4-4096", "v5litepod-256", "v5p-4096"}) {
    for (const bool has_addresses : {false, true}) {
      const TpuLayout plain = layout_of(type);
      const auto hosts = static_cast<std::size_t>(plain.type.hosts());
      CAPTURE(type, has_addresses);
      const double aspect = aspect_of(render_topology_svg(has_addresses ? tpu_layout(type, hosts) : plain));
      CHECK(aspect > 0.6);
      CHECK(aspect < 3.2);
    }
  }
}

TEST_CASE("hosts have a colour, a sign and words for their state, and a legend explains them") {
  const std::string ready = render_topology_svg(tpu_layout("v4-32", 3));
  CHECK(count(ready, "<g class=\"ready\"><title>") == 3);
  CHECK(has(ready, "<g class=\"unlisted\"><title>worker 3, x=0 y=0 z=3, not listed by the TPU</title>"));
  CHECK(has(ready, ">READY: 3</text>"));
  CHECK(has(ready, ">not listed by the TPU: 1</text>"));
  CHECK(count(ready, "class=\"host\"") == 4);
  const std::string waiting = render_topology_svg(tpu_layout("v4-32", 0, "CREATING", MemberState::waiting));
  CHECK(count(waiting, "<g class=\"waiting\"><title>") == 4);
  CHECK(count(waiting, ">~</text>") == 5);
  const std::string lost = render_topology_svg(tpu_layout("v4-32", 0, "PREEMPTED", MemberState::lost));
  CHECK(has(lost, ">PREEMPTED: 4</text>"));
  CHECK(count(lost, ">x</text>") == 5);
  TpuLayout sick = tpu_layout("v4-32", 4, "READY", MemberState::waiting);
  sick.health = "UNHEALTHY_<TENSORFLOW>";
  CHECK(has(render_topology_svg(sick), ">UNHEALTHY_&lt;TENSORFLOW&gt;: 4</text>"));
  CHECK_FALSE(has(render_topology_svg(layout_of("v4-32")), "<g class=\"ready\">"));
}

TEST_CASE("links that wrap around are drawn") {
  const std::string torus = render_topology_svg(layout_of("v4-4x4x8"));
  CHECK(has(torus, ">wraps around to the other end: x, y, z (z=7 is next to z=0)</text>"));
  CHECK(count(torus, "<path class=\"wrap\"") == 9);
  const std::string mesh = render_topology_svg(layout_of("v4-32"));
  CHECK_FALSE(has(mesh, "class=\"wrap\""));
  CHECK_FALSE(has(mesh, "wraps"));
}
