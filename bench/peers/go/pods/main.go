// Pods lists a namespace by client-go: pods PORT COUNT [PAGE], whole, or in pages of so many.
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func main() {
	count, _ := strconv.Atoi(os.Args[2])
	options := meta.ListOptions{}
	if len(os.Args) > 3 {
		options.Limit, _ = strconv.ParseInt(os.Args[3], 10, 64)
	}
	config := &rest.Config{Host: "http://127.0.0.1:" + os.Args[1], BearerToken: "test-token", QPS: -1}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	ready := 0
	for {
		list, err := client.CoreV1().Pods("train").List(context.Background(), options)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		for i := range list.Items {
			if list.Items[i].Status.Phase == "Running" && list.Items[i].Status.PodIP != "" {
				ready++
			}
		}
		if options.Continue = list.Continue; options.Continue == "" {
			break
		}
	}
	if ready != count {
		fmt.Fprintln(os.Stderr, ready, "of", count)
		os.Exit(1)
	}
}
