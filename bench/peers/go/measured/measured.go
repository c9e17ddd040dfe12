// Package measured is shared by the peers in Go: the work is done by a number of goroutines, twice, and reported in the form of all contenders of scripts/bench.
package measured

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// CPU is what the process has used, in seconds.
func CPU() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)*1e-6 }
	return seconds(usage.Utime) + seconds(usage.Stime)
}

// memory reads a line of /proc/self/status, in kB.
func memory(key string) int {
	text, _ := os.ReadFile("/proc/self/status")
	for _, line := range strings.Split(string(text), "\n") {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == key+":" {
			kb, _ := strconv.Atoi(fields[1])
			return kb
		}
	}
	return 0
}

// Arguments are PORT COUNT IN_FLIGHT [--once].
func Arguments() (root string, count, inFlight, rounds int) {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: PORT COUNT IN_FLIGHT [--once]")
		os.Exit(2)
	}
	count, _ = strconv.Atoi(os.Args[2])
	inFlight, _ = strconv.Atoi(os.Args[3])
	rounds = 2
	if len(os.Args) > 4 {
		rounds = 1
	}
	scheme := "http"
	if os.Getenv("BENCH_CA") != "" {
		scheme = "https"
	}
	return scheme + "://127.0.0.1:" + os.Args[1] + "/", count, inFlight, rounds
}

// Trust has the authority of BENCH_CA, with which the stub speaks https; nil without it.
func Trust() *tls.Config {
	pem, err := os.ReadFile(os.Getenv("BENCH_CA"))
	if err != nil {
		return nil
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	return &tls.Config{RootCAs: roots}
}

// Run asks for count nodes, inFlight at a time, and prints the line of JSON. Node says how many endpoints the node has.
func Run(count, inFlight, rounds int, node func(name string) (int, error)) {
	before := memory("VmRSS")
	told := map[string]any{}
	var ready atomic.Int64
	for round := range rounds {
		wall, cpu := time.Now(), CPU()
		var next atomic.Int64
		var group sync.WaitGroup
		for range inFlight {
			group.Add(1)
			go func() {
				defer group.Done()
				for i := next.Add(1) - 1; i < int64(count); i = next.Add(1) - 1 {
					endpoints, err := node("node-" + strconv.FormatInt(i, 10))
					if err != nil {
						fmt.Fprintln(os.Stderr, err)
					} else if endpoints == 4 {
						ready.Add(1)
					}
				}
			}()
		}
		group.Wait()
		told[[]string{"cold", "warm"}[round]] = []float64{time.Since(wall).Seconds(), CPU() - cpu}
	}
	told["rss_kb"] = []int{before, memory("VmHWM")}
	told["ready"] = ready.Load()
	told["requests"] = rounds * count
	text, _ := json.Marshal(told)
	fmt.Println(string(text))
	if ready.Load() != int64(rounds*count) {
		os.Exit(1)
	}
}
