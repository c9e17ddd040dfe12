// Calls a target every 200 ms and prints who answered, or the status code and words, a line a call: grpc-go's side of xds.py.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"
	_ "google.golang.org/grpc/xds"
)

func main() {
	if len(os.Args) == 1 {
		fmt.Println("grpc-go", grpc.Version)
		return
	}
	connection, err := grpc.NewClient(os.Args[1], grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		fmt.Println("ERROR", err)
		return
	}
	for {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		answer := &wrapperspb.StringValue{}
		err := connection.Invoke(ctx, "/interop.Backend/WhoAreYou", &wrapperspb.StringValue{}, answer)
		cancel()
		if err != nil {
			fmt.Println(status.Code(err), status.Convert(err).Message())
		} else {
			fmt.Println(answer.Value)
		}
		time.Sleep(200 * time.Millisecond)
	}
}
