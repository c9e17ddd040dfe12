// Prints how client-go reads $KUBECONFIG, as one line of JSON: the server that it would ask, the user, and the input of an exec plugin.
// No server is asked: the transport below answers itself.
package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"sort"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/transport"
)

type choice struct {
	Error       string   `json:"error,omitempty"`
	Server      string   `json:"server,omitempty"`
	Namespace   string   `json:"namespace,omitempty"`
	Token       string   `json:"token,omitempty"`
	Impersonate []string `json:"impersonate"`
	Authorities string   `json:"authorities,omitempty"`
	Certificate string   `json:"certificate,omitempty"`
	ServerName  string   `json:"server_name,omitempty"`
	Insecure    bool     `json:"insecure,omitempty"`
	Proxy       string   `json:"proxy,omitempty"`
}

type recorder struct{ request *http.Request }

func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	r.request = request
	return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader("{}")), Request: request}, nil
}

// look returns what the configuration leads to, after the request that would be sent has gone through all that client-go wraps around it.
func look(context string) (choice, error) {
	found := choice{Impersonate: []string{}}
	overrides := &clientcmd.ConfigOverrides{CurrentContext: context}
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(clientcmd.NewDefaultClientConfigLoadingRules(), overrides)
	config, err := loader.ClientConfig()
	if err != nil {
		return found, err
	}
	if found.Namespace, _, err = loader.Namespace(); err != nil {
		return found, err
	}
	if err = rest.LoadTLSFiles(config); err != nil {
		return found, err
	}
	asked, err := config.TransportConfig()
	if err != nil {
		return found, err
	}
	sent := &recorder{}
	wrapped, err := transport.HTTPWrappersForConfig(asked, sent)
	if err != nil {
		return found, err
	}
	request, err := http.NewRequest("GET", config.Host, nil)
	if err != nil {
		return found, err
	}
	found.Server = request.URL.Scheme + "://" + request.URL.Host
	if _, err = wrapped.RoundTrip(request); err != nil {
		return found, err
	}
	found.Token = strings.TrimPrefix(sent.request.Header.Get("Authorization"), "Bearer ")
	for name, values := range sent.request.Header {
		if strings.HasPrefix(name, "Impersonate-") {
			for _, value := range values {
				found.Impersonate = append(found.Impersonate, strings.ToLower(name)+": "+value)
			}
		}
	}
	sort.Strings(found.Impersonate)
	found.Authorities = base64.StdEncoding.EncodeToString(config.CAData)
	found.Certificate = base64.StdEncoding.EncodeToString(config.CertData)
	found.ServerName = config.ServerName
	found.Insecure = config.Insecure
	if config.Proxy != nil {
		proxy, err := config.Proxy(request)
		if err != nil {
			return found, err
		}
		found.Proxy = proxy.String()
	}
	return found, nil
}

func main() {
	context := ""
	if len(os.Args) > 1 {
		context = os.Args[1]
	}
	found, err := look(context)
	if err != nil {
		found = choice{Error: err.Error(), Impersonate: []string{}}
	}
	line, _ := json.Marshal(found)
	fmt.Println(string(line))
}
