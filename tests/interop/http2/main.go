// An https server of Go's net/http, and by plain http what it saw since the last question: connections, requests, those by HTTP/2. Usage:
// server CERTIFICATE KEY STREAMS GOAWAY_EVERY; it prints both ports. With GOAWAY_EVERY n, each n-th answer ends its connection.
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
	"time"
)

var connections, requests, http2Requests atomic.Int64

func number(text string) int {
	value, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return value
}

func listen() net.Listener {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	return listener
}

func main() {
	goawayEvery := int64(number(os.Args[4]))
	answer := func(w http.ResponseWriter, r *http.Request) {
		count := requests.Add(1)
		if r.ProtoMajor == 2 {
			http2Requests.Add(1)
		}
		if goawayEvery > 0 && count%goawayEvery == 0 {
			w.Header().Set("Connection", "close")
		}
		time.Sleep(5 * time.Millisecond)
		fmt.Fprintln(w, r.URL.Path)
	}
	server := &http.Server{
		Handler: http.HandlerFunc(answer),
		HTTP2:   &http.HTTP2Config{MaxConcurrentStreams: number(os.Args[3])},
		ConnState: func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				connections.Add(1)
			}
		},
	}
	secure, plain := listen(), listen()
	go func() { panic(server.ServeTLS(secure, os.Args[1], os.Args[2])) }()
	fmt.Println(secure.Addr().(*net.TCPAddr).Port, plain.Addr().(*net.TCPAddr).Port)
	panic(http.Serve(plain, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, connections.Swap(0), requests.Swap(0), http2Requests.Swap(0))
	})))
}
