// Asks the simulated cloud through Google's clients for Go: tpu/v2, tpu/v1 and compute/metadata. Nothing about the clients is
// changed but the endpoint; tokens come from the metadata server, trust from SSL_CERT_FILE.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"sort"
	"strconv"

	"golang.org/x/oauth2"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
)

type question struct {
	Kind      string `json:"kind"`
	Node      string `json:"node"`
	Project   string `json:"project"`
	Zone      string `json:"zone"`
	Scheme    string `json:"scheme"`
	Token     string `json:"token"`
	PageSize  int64  `json:"page_size"`
	PageToken string `json:"page_token"`
}

type answer = map[string]any

func (q question) parent() string {
	project, zone := q.Project, q.Zone
	if project == "" {
		project = "example-proj"
	}
	if zone == "" {
		zone = "us-central2-b"
	}
	return "projects/" + project + "/locations/" + zone
}

func (q question) options() []option.ClientOption {
	root := os.Getenv("INTEROP_HTTPS_ROOT")
	if q.Scheme == "http" {
		root = os.Getenv("INTEROP_HTTP_ROOT")
	}
	options := []option.ClientOption{option.WithEndpoint(root)}
	if q.Token != "" {
		options = append(options, option.WithTokenSource(oauth2.StaticTokenSource(&oauth2.Token{AccessToken: q.Token})))
	}
	return options
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

func address(ip string, port int64) string { return net.JoinHostPort(ip, strconv.FormatInt(port, 10)) }

func labels(of map[string]string) []string {
	out := []string{}
	for key, value := range of {
		out = append(out, key+"="+value)
	}
	sort.Strings(out)
	return out
}

// failed is the answer when the service refused to show a node or, with `usable` empty, a list.
func failed(err error, usable string) (answer, error) {
	var refused *googleapi.Error
	if !errors.As(err, &refused) {
		return nil, err
	}
	out := answer{"status": refused.Code, "message": refused.Message}
	if usable != "" {
		out["usable"] = usable
	}
	return out, nil
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	var file struct {
		Questions []question `json:"questions"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		panic(err)
	}
	ctx := context.Background()
	const second, first = "Go tpu/v2", "Go tpu/v1"
	answers := map[string]map[string]answer{second: {}, first: {}, "Go compute/metadata": {}}
	keep := func(client string, number int, got answer, err error) {
		if err != nil {
			got = answer{"unexpected": err.Error()}
		}
		answers[client][strconv.Itoa(number)] = got
	}
	for number, q := range file.Questions {
		switch q.Kind {
		case "metadata":
			got, err := askMetadata(ctx)
			keep("Go compute/metadata", number, got, err)
		case "watch":
			got, err := askWatch(ctx)
			keep("Go compute/metadata", number, got, err)
		case "node", "list":
			got, err := ask2(ctx, q)
			keep(second, number, got, err)
			got, err = ask1(ctx, q)
			keep(first, number, got, err)
		}
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", " ")
	if err := out.Encode(answers); err != nil {
		panic(err)
	}
}
