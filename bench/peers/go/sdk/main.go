// Sdk asks for nodes by Google's own client, google.golang.org/api/tpu/v2, over a pool as large as what is in flight.
package main

import (
	"context"
	"net/http"
	"os"

	"google.golang.org/api/option"
	"google.golang.org/api/tpu/v2"

	"rollcall.invalid/bench/measured"
)

func main() {
	root, count, inFlight, rounds := measured.Arguments()
	transport := &http.Transport{MaxIdleConns: inFlight, MaxIdleConnsPerHost: inFlight, MaxConnsPerHost: inFlight}
	service, err := tpu.NewService(context.Background(), option.WithEndpoint(root), option.WithHTTPClient(&http.Client{Transport: transport}))
	if err != nil {
		println(err.Error())
		os.Exit(1)
	}
	nodes := tpu.NewProjectsLocationsNodesService(service)
	measured.Run(count, inFlight, rounds, func(name string) (int, error) {
		node, err := nodes.Get("projects/p/locations/z/nodes/" + name).Do()
		if err != nil {
			return 0, err
		}
		return len(node.NetworkEndpoints), nil
	})
}
