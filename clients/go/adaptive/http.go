package adaptive

import (
	"io"
	"net/http"
)

// OutcomeOfStatus returns the outcome of a call that ended with a status of HTTP. A service that refuses
// because it has too much to do is a drop. An error of the caller says nothing about the service.
func OutcomeOfStatus(status int) Outcome {
	switch {
	case status == http.StatusRequestTimeout, status == http.StatusTooManyRequests,
		status == http.StatusServiceUnavailable, status == http.StatusGatewayTimeout:
		return Drop
	case status >= 400 && status < 500:
		return Ignore
	}
	return OK
}

// Transport returns a transport whose requests begin within the limit. Otherwise the error is [ErrFull]. A
// nil next is [http.DefaultTransport]. The latency ends with the header of the response, and the call with
// its body: close it.
func (l *Limit) Transport(next http.RoundTripper) http.RoundTripper {
	if next == nil {
		next = http.DefaultTransport
	}
	return transport{l, next}
}

type transport struct {
	limit *Limit
	next  http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	call, err := t.limit.Enter(r.Context())
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // a transport closes the body, also after an error
		}
		return nil, err
	}
	response, err := t.next.RoundTrip(r)
	call.Measured()
	if err != nil {
		call.Leave(OutcomeOf(err))
		return nil, err
	}
	body := &leavingBody{response.Body, call, OutcomeOfStatus(response.StatusCode)}
	if writer, ok := response.Body.(io.ReadWriteCloser); ok { // of a connection that changes its protocol
		response.Body = struct {
			*leavingBody
			io.Writer
		}{body, writer}
	} else {
		response.Body = body
	}
	return response, nil
}

// leavingBody ends the call when the body ends.
type leavingBody struct {
	io.ReadCloser
	call    *Call
	outcome Outcome
}

// Read implements [io.Reader].
func (b *leavingBody) Read(p []byte) (n int, err error) {
	n, err = b.ReadCloser.Read(p)
	if err != nil {
		b.end(err)
	}
	return n, err
}

// Close implements [io.Closer].
func (b *leavingBody) Close() error {
	defer b.end(io.EOF)
	return b.ReadCloser.Close()
}

func (b *leavingBody) end(err error) {
	if err != io.EOF && OutcomeOf(err) == Drop {
		b.outcome = Drop
	}
	b.call.Leave(b.outcome)
}

// Handler returns a handler whose requests begin within the limit. Otherwise the status is 503. A request
// whose context is late is a drop.
func (l *Limit) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		call, err := l.Enter(r.Context())
		if err != nil {
			http.Error(w, "too many requests are under way: try again later", http.StatusServiceUnavailable)
			return
		}
		seen := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		outcome := Ignore // of a handler that panics
		defer func() { call.Leave(outcome) }()
		next.ServeHTTP(seen, r)
		if outcome = OutcomeOfStatus(seen.status); r.Context().Err() != nil {
			outcome = OutcomeOf(r.Context().Err())
		}
	})
}

// statusWriter remembers the status of a response.
type statusWriter struct {
	http.ResponseWriter
	status int
	wrote  bool
}

// WriteHeader implements [http.ResponseWriter].
func (w *statusWriter) WriteHeader(status int) {
	if !w.wrote && status >= http.StatusOK {
		w.status, w.wrote = status, true
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap is for [http.ResponseController].
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
