// The page as it is sent, and its files.
#include "fleet/page/fleet_table.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "fleet/page/page_files.hpp"
#include "support/paths.hpp"

using namespace rollcall;
using Catch::Contains;

namespace {

FleetCluster page_cluster(std::string target, ClusterStanding standing, int ready, int total) {
  FleetCluster cluster;
  cluster.target = std::move(target);
  cluster.standing = standing;
  cluster.ready = ready;
  cluster.total = total;
  return cluster;
}

}  // namespace

TEST_CASE("the page without scripts is a table of all clusters, the most urgent first", "[page]") {
  FleetCluster ill = page_cluster("tpu:ill,project=p,zone=z", ClusterStanding::failed, 0, 4);
  ill.missing = "worker 0-3: PREEMPTED";
  ill.type = "v4-32";
  ill.place = "z";
  ill.age = std::chrono::seconds(12);
  const std::string page = fleet::render_fleet_page({page_cluster("tpu:well,project=p,zone=z", ClusterStanding::ready, 2, 2), ill});
  CHECK_THAT(page, Contains("2 clusters, 1 ready, 1 failed"));
  CHECK(page.find("tpu:ill") < page.find("tpu:well"));
  CHECK_THAT(
      page,
      Contains(
          "<progress value=\"0\" max=\"4\"></progress> 0 of 4</td><td>worker 0-3: PREEMPTED</td><td>v4-32</td><td>z</td><td>12 s</td>"));
  CHECK_THAT(page, Contains("<td>never</td>"));
  CHECK(page.find("style=") == std::string::npos);  // which the content security policy would refuse
}

TEST_CASE("nothing that a cluster is called becomes markup, or deceives a reader", "[page]") {
  FleetCluster cluster = page_cluster("tpu:%3Cb%3E,project=p,zone=z", ClusterStanding::incomplete, 0, 1);
  cluster.missing = "<img src=x onerror=\"alert('1')\"> & \xE2\x80\xAE" + std::string(10'000, 'x');
  cluster.type = "\"><script>";
  const std::string page = fleet::render_fleet_page({cluster});
  CHECK(page.find("<img src=x") == std::string::npos);
  CHECK(page.find("<script>") == std::string::npos);
  CHECK(page.find("\xE2\x80\xAE") == std::string::npos);
  CHECK_THAT(page, Contains("&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt; &amp; "));
  CHECK_THAT(page, Contains("href=\"v1/clusters/tpu:%253Cb%253E,project=p,zone=z\""));
  CHECK(page.size() < 8000);
}

TEST_CASE("a reader that has to authenticate first sees no cluster", "[page]") {
  const std::string page = fleet::render_fleet_page({page_cluster("tpu:secret", ClusterStanding::ready, 1, 1)}, true);
  CHECK(page.find("secret") == std::string::npos);
  CHECK_THAT(page, Contains("page/page.js"));
}

TEST_CASE("the page's files are in the program as they are in the source", "[page]") {
  bool has_script = false;
  for (const fleet::PageFile& file : fleet::page_files()) {
    std::ifstream source(testing::source_dir() / "src/fleet/page/files" / std::string(file.name), std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(source)), std::istreambuf_iterator<char>());
    CHECK(text == file.text);
    CHECK(file.etag.size() == 22);
    has_script = has_script || file.type == "text/javascript; charset=utf-8";
  }
  CHECK(has_script);
}
