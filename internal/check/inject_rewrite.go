package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
)

// Rewrite lets the next times matching requests reach the server and gives the
// client the changed body of its answer. The body that change gets is not
// compressed. An error of change is what the client gets.
func (r *Recorder) Rewrite(m Match, times int, change func(body []byte) ([]byte, error)) {
	r.inject(&fault{match: m, left: times, answers: true,
		do: func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
			req = req.Clone(req.Context())
			req.Header.Del("Accept-Encoding") // the transport then unpacks by itself
			resp, err := next.RoundTrip(req)
			if err != nil {
				return nil, err
			}
			body, err := io.ReadAll(resp.Body)
			if err := errors.Join(err, resp.Body.Close()); err != nil {
				return nil, fmt.Errorf("read the answer to %s %s: %w", req.Method, req.URL.Path, err)
			}
			if body, err = change(body); err != nil {
				return nil, fmt.Errorf("change the answer to %s %s: %w", req.Method, req.URL.Path, err)
			}
			resp.Body = io.NopCloser(bytes.NewReader(body))
			resp.ContentLength = int64(len(body))
			resp.Header.Set("Content-Length", strconv.Itoa(len(body)))
			return resp, nil
		}})
}

// RewriteObject is Rewrite for an answer that is a JSON object.
func (r *Recorder) RewriteObject(m Match, times int, change func(obj map[string]any)) {
	r.Rewrite(m, times, func(body []byte) ([]byte, error) {
		var obj map[string]any
		if err := json.Unmarshal(body, &obj); err != nil {
			return nil, err
		}
		change(obj)
		return json.Marshal(obj)
	})
}
