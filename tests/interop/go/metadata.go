// The metadata server, through compute/metadata and oauth2.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"cloud.google.com/go/compute/metadata"
	"golang.org/x/oauth2/google"
)

func askMetadata(ctx context.Context) (answer, error) {
	project, err := metadata.ProjectIDWithContext(ctx)
	if err != nil {
		return nil, err
	}
	number, err := metadata.NumericProjectIDWithContext(ctx)
	if err != nil {
		return nil, err
	}
	zone, err := metadata.ZoneWithContext(ctx)
	if err != nil {
		return nil, err
	}
	email, err := metadata.EmailWithContext(ctx, "default")
	if err != nil {
		return nil, err
	}
	universe, err := metadata.GetWithContext(ctx, "universe/universe-domain")
	if err != nil {
		return nil, err
	}
	credentials, err := google.FindDefaultCredentials(ctx, "https://www.googleapis.com/auth/cloud-platform")
	if err != nil {
		return nil, err
	}
	token, err := credentials.TokenSource.Token()
	if err != nil {
		return nil, err
	}
	given := "none"
	if token.Valid() {
		given = "given, " + token.Type()
	}
	return answer{
		"project": project, "project_number": number, "zone": zone, "account": email, "universe": universe, "token": given,
		"is_compute_engine": yes(metadata.OnGCEWithContext(ctx)),
	}, nil
}

func put(value string) error {
	url := "http://" + os.Getenv("GCE_METADATA_HOST") + "/computeMetadata/v1/instance/guest-attributes/interop/stage"
	request, err := http.NewRequest(http.MethodPut, url, strings.NewReader(value))
	if err != nil {
		return err
	}
	request.Header.Set("Metadata-Flavor", "Google")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("PUT: %s", response.Status)
	}
	return nil
}

// askWatch subscribes to a value, and changes it once the first value has come.
func askWatch(ctx context.Context) (answer, error) {
	if err := put("one"); err != nil {
		return nil, err
	}
	enough := errors.New("enough")
	values := []string{}
	changed := make(chan error, 1)
	err := metadata.SubscribeWithContext(ctx, "instance/guest-attributes/interop/stage", func(_ context.Context, value string, _ bool) error {
		values = append(values, value)
		if len(values) == 2 {
			return enough
		}
		go func() { changed <- put("two") }()
		return nil
	})
	if err != enough {
		return nil, err
	}
	return answer{"values": values}, <-changed
}
