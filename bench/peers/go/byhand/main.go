// Byhand asks for nodes with careful hand-written code: net/http with a pool as large as the number in flight, and a struct of the two
// fields that are needed. With BENCH_HTTP2 in the environment it offers HTTP/2.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"

	"rollcall.invalid/bench/measured"
)

type node struct {
	State     string `json:"state"`
	Endpoints []struct {
		Address string `json:"ipAddress"`
		Port    int    `json:"port"`
	} `json:"networkEndpoints"`
}

func main() {
	root, count, inFlight, rounds := measured.Arguments()
	client := &http.Client{Transport: &http.Transport{MaxIdleConns: inFlight, MaxIdleConnsPerHost: inFlight, MaxConnsPerHost: inFlight, DisableCompression: true, TLSClientConfig: measured.Trust(), ForceAttemptHTTP2: os.Getenv("BENCH_HTTP2") != ""}}
	measured.Run(count, inFlight, rounds, func(name string) (int, error) {
		request, err := http.NewRequest("GET", root+"v2/projects/p/locations/z/nodes/"+name, nil)
		if err != nil {
			return 0, err
		}
		request.Header.Set("Authorization", "Bearer test-token")
		response, err := client.Do(request)
		if err != nil {
			return 0, err
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			return 0, err
		}
		var found node
		if err := json.Unmarshal(body, &found); err != nil {
			return 0, err
		}
		if response.StatusCode != 200 || found.State != "READY" {
			return 0, fmt.Errorf("%s: %d, %s", name, response.StatusCode, found.State)
		}
		return len(found.Endpoints), nil
	})
}
