package modelproxy

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cellserver/internal/buildtest"
	"cellserver/internal/porttest"
	"cellserver/internal/processtest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

const patience = processtest.Patience

var cellserver, goProxy string

func TestMain(m *testing.M) {
	os.Exit(buildtest.Run(m,
		buildtest.Program{Package: buildtest.Server, Path: &cellserver},
		buildtest.Program{Package: "cellserver/tests/modelproxy/proxy", Path: &goProxy}))
}

// site is a proxy between its clients, a model and cellserver.
type site struct {
	t        testing.TB
	commands string // addresses
	front    string
	loses    atomic.Bool   // every second reply of cellserver is lost
	lost     atomic.Int64  // replies
	calls    atomic.Int64  // of the model
	goesOn   chan struct{} // a streamed answer waits for it after its first line
	limits   *processtest.Process
}

// newSite starts all parts. The model answers a message "cost N" with a usage of N tokens, and "fail" with an error.
func newSite(t testing.TB, proxy ...string) *site {
	s := &site{t: t, goesOn: make(chan struct{})}
	commands, web, front := porttest.Free(t), porttest.Free(t), porttest.Free(t)
	s.commands, s.front = fmt.Sprint("127.0.0.1:", commands), fmt.Sprint("http://127.0.0.1:", front)
	s.limits = s.start(nil, commands, cellserver, "--port", strconv.Itoa(commands), "--http-port", strconv.Itoa(web), "--dir", t.TempDir(), "--appendonly", "no", "--save", "")
	s.limits.AwaitData(s.commands)
	s.do("CL.RULE", "SET", "llm", "SCOPE", "org", "CL.WINDOW", 100000, 2592000, "AND", "SCOPE", "team", "CL.WINDOW", 50000, 86400, "AND", "SCOPE", "user", "CL.WINDOW", 20000, 3600)
	limits := httptest.NewServer(s.lossy(fmt.Sprint("http://127.0.0.1:", web)))
	model := httptest.NewServer(http.HandlerFunc(s.model))
	t.Cleanup(limits.Close)
	t.Cleanup(model.Close)
	s.start([]string{"LISTEN=127.0.0.1:" + strconv.Itoa(front), "LIMITS=" + limits.URL, "MODEL=" + model.URL,
		`KEYS={"sk-ann": ["acme", "search", "ann"], "sk-bob": ["acme", "search", "bob"], "sk-eve": ["acme", "ads", "eve"]}`}, front, proxy[0], proxy[1:]...)
	return s
}

// lossy passes requests on to cellserver. If the site loses replies, the client of every second request gets none,
// although cellserver has executed the request.
func (s *site) lossy(to string) http.Handler {
	target, err := url.Parse(to)
	require.NoError(s.t, err)
	on, requests := httputil.NewSingleHostReverseProxy(target), atomic.Int64{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.loses.Load() || requests.Add(1)%2 == 0 {
			on.ServeHTTP(w, r)
			return
		}
		s.lost.Add(1)
		on.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	})
}

// model is a stub of a language model.
func (s *site) model(w http.ResponseWriter, r *http.Request) {
	s.calls.Add(1)
	var call struct {
		Stream  bool
		Options struct {
			Usage bool `json:"include_usage"`
		} `json:"stream_options"`
		Messages []struct{ Content string }
	}
	if json.NewDecoder(r.Body).Decode(&call) != nil || len(call.Messages) == 0 || call.Messages[0].Content == "fail" {
		http.Error(w, `{"error": {"message": "failed"}}`, http.StatusInternalServerError)
		return
	}
	cost := strings.TrimPrefix(call.Messages[0].Content, "cost ")
	if !call.Stream {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"choices": [{"message": {"content": "done"}}], "usage": {"total_tokens": %s}}`, cost)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for i := range 100 {
		fmt.Fprintf(w, "data: {\"choices\": [{\"delta\": {\"content\": \"%d\"}}], \"usage\": null}\n\n", i)
		w.(http.Flusher).Flush()
		if i == 0 {
			<-s.goesOn
		}
	}
	if call.Options.Usage {
		fmt.Fprintf(w, "data: {\"choices\": [], \"usage\": {\"total_tokens\": %s}}\n\n", cost)
	}
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

// do runs a command of cellserver.
func (s *site) do(args ...any) any { return resptest.Dial(s.t, s.commands).Do(args...) }

// used returns the tokens that count of an organisation, a team and a user.
func (s *site) used(keys ...any) (all [3]int64) {
	limits := s.do(append(append([]any{"CL.CHECK", "llm"}, keys...), 0, "EXPLAIN")...).([]any)[7].([]any)
	for i := range all {
		all[i] = limits[i].([]any)[3].(int64) - limits[i].([]any)[4].(int64)
	}
	return all
}

// uses requires that these numbers of tokens count soon.
func (s *site) uses(org, team, user int64, keys ...any) {
	s.t.Helper()
	require.Eventually(s.t, func() bool { return s.used(keys...) == [3]int64{org, team, user} }, patience, 10*time.Millisecond,
		"%v have used %v, not %v", keys, s.used(keys...), [3]int64{org, team, user})
}

// post sends a call to the proxy.
func (s *site) post(key, body string) *http.Response {
	s.t.Helper()
	r, err := http.NewRequest(http.MethodPost, s.front+"/v1/chat/completions", strings.NewReader(body))
	require.NoError(s.t, err)
	r.Header.Set("Authorization", "Bearer "+key)
	client := http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(r)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { answer.Body.Close() })
	return answer
}

// start starts a program, and waits until it listens.
func (s *site) start(settings []string, port int, path string, args ...string) *processtest.Process {
	s.t.Helper()
	cmd := exec.Command(processtest.Installed(s.t, path), args...)
	cmd.Env = append(os.Environ(), settings...)
	p := processtest.Start(s.t, cmd)
	p.Await(fmt.Sprint("127.0.0.1:", port))
	return p
}
