// The pages of the HTTP interface: each is one class in a source of its own.
#pragma once

#include <memory>

#include "fleet/http/cluster_summaries.hpp"
#include "fleet/http/page.hpp"
#include "fleet/runs/run_desk.hpp"

namespace rollcall::fleet {

// `entry` outlives the page.
std::unique_ptr<Page> make_cluster_page(ServiceEntry& entry);
std::unique_ptr<Page> make_list_page(ServiceEntry& entry, std::shared_ptr<ClusterSummaries> summaries);
std::unique_ptr<Page> make_scrape_page(ServiceEntry& entry);
std::unique_ptr<Page> make_discovery_page(ServiceEntry& entry);
std::unique_ptr<Page> make_sources_page(ServiceEntry& entry);
std::unique_ptr<Page> make_replicas_page(ServiceEntry& entry);
std::unique_ptr<Page> make_metrics_page(ServiceEntry& entry);
std::unique_ptr<Page> make_health_page();
std::unique_ptr<Page> make_readiness_page(ServiceEntry& entry);
std::unique_ptr<Page> make_overview_page(ServiceEntry& entry, std::shared_ptr<ClusterSummaries> summaries);
std::unique_ptr<Page> make_page_files(ServiceEntry& entry);
std::unique_ptr<Page> make_runs_page(ServiceEntry& entry, std::shared_ptr<RunDesk> desk);
std::unique_ptr<Page> make_hello_page(ServiceEntry& entry, std::shared_ptr<RunDesk> desk);
std::unique_ptr<Page> make_topology_page(ServiceEntry& entry);
std::unique_ptr<Page> make_replica_page(ServiceEntry& entry);
std::unique_ptr<Page> make_wanted_page(ServiceEntry& entry);

/// Bytes of a request for the discovery page: Envoy lists all of its extensions in each request, 77 kB.
inline constexpr std::size_t max_discovery_body = 192 * 1024;

}  // namespace rollcall::fleet
