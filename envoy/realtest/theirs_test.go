//go:build theirs

package realtest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"cellserver/internal/buildtest"

	ratelimit "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
)

func init() {
	kinds = append(kinds, ofTheirs)
	programs = append(programs, buildtest.Program{
		Package: "github.com/envoyproxy/ratelimit/src/service_cmd", Path: &theirs, Flags: []string{"-C", "theirs"},
	}, buildtest.Program{
		Package: "github.com/envoyproxy/ratelimit/src/config_check_cmd", Path: &theirsCheck, Flags: []string{"-C", "theirs"},
	})
}

// theirsCheck is the path of their program that checks files.
var theirsCheck string

const worlds, requests = 150, 60

// TestTheirs: ours gives the answers of the service of Envoy to random requests under random rules, in each way
// to count, and counts the same metrics.
func TestTheirs(t *testing.T) {
	for _, mode := range []struct {
		name    string
		environ []string
	}{
		{"plain", nil},
		{"shadow", []string{"SHADOW_MODE=true"}},
		{"quota", []string{"QUOTA_MODE=true"}},
		{"stop", []string{"STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT=true"}},
	} {
		t.Run(mode.name, func(t *testing.T) {
			seed := uint64(time.Now().UnixNano())
			t.Logf("seed %d", seed)
			files, all := map[string]string{}, make([]*world, worlds)
			for i := range all {
				w := newWorld(rand.New(rand.NewPCG(seed, uint64(i))), fmt.Sprint("w", i), mode.name)
				all[i], files[w.domain+".yaml"] = w, w.yaml()
			}
			environ := append([]string{
				"LIMIT_RESPONSE_HEADERS_ENABLED=true", "RESPONSE_DYNAMIC_METADATA=true", "USE_STATSD=true",
				"USE_PROMETHEUS=false", "STATS_FLUSH_INTERVAL=1s", "LOG_LEVEL=error",
			}, mode.environ...)
			var services []*rls
			var metrics []*statsd
			for _, kind := range []string{ofTheirs, embedded, overRESP, onRedis} {
				m := newStatsd(t)
				metrics = append(metrics, m)
				services = append(services, startRLS(t, kind, files, append(environ, m.environ()...)...))
			}
			c := &comparison{t: t, mode: mode.name, services: services}
			work := make(chan *world)
			var workers sync.WaitGroup
			for range 4 {
				workers.Go(func() {
					for w := range work {
						for i := 0; i < requests && c.compare(w); i++ {
						}
					}
				})
			}
			for _, w := range all {
				work <- w
			}
			close(work)
			workers.Wait()
			t.Logf("%d requests compared, %d at the edge of a window", c.compared, len(c.skipped))
			require.Greater(t, c.compared, worlds*requests/2)
			if mode.name != "stop" {
				compareMetrics(t, services, metrics, c.skipped)
			}
		})
	}
}

// A comparison asks all services the same.
type comparison struct {
	t        *testing.T
	mode     string
	services []*rls

	mu          sync.Mutex
	compared    int
	skipped     []string // domains of requests at the edge of a window
	differences int
}

// compare asks one request, and reports whether the world goes on.
func (c *comparison) compare(w *world) bool {
	r := w.request()
	if w.second { // no window ends while all are asked
		for now := time.Now(); now.Nanosecond() > 9e8; now = time.Now() {
			time.Sleep(time.Until(now.Truncate(time.Second).Add(time.Second)))
		}
	}
	begin := time.Now().Unix()
	var answers []*ratelimit.RateLimitResponse
	var faults []error
	for _, s := range c.services {
		answer, err := s.ShouldRateLimit(c.t.Context(), r)
		answers, faults = append(answers, answer), append(faults, err)
	}
	end := time.Now().Unix()
	c.mu.Lock()
	defer c.mu.Unlock()
	if begin/60 != end/60 || w.second && begin != end {
		c.skipped = append(c.skipped, w.domain)
		return false
	}
	c.compared++
	for i, s := range c.services[1:] {
		want, got := explained(faults[0], answers[0]), explained(faults[i+1], answers[i+1])
		if faults[0] == nil && faults[i+1] == nil {
			mine := proto.Clone(answers[i+1]).(*ratelimit.RateLimitResponse)
			expected := w.asLater(proto.Clone(answers[0]).(*ratelimit.RateLimitResponse), mine, r, c.mode)
			want, got = explained(nil, expected), explained(nil, mine)
		}
		if want != got {
			if c.differences++; c.differences <= 20 {
				asked, _ := protojson.Marshal(r)
				c.t.Errorf("%s differs from theirs\nrules: %s\nasked: %s\ntheirs: %s\nours:   %s", s.kind, w.yaml(), asked, want, got)
			}
			return false
		}
	}
	return true
}

// explained writes an answer or an error.
func explained(err error, answer *ratelimit.RateLimitResponse) string {
	if err != nil {
		return status.Convert(err).String()
	}
	text, err := protojson.MarshalOptions{}.Marshal(answer)
	if err != nil {
		return err.Error()
	}
	return strings.ReplaceAll(string(text), " ", "")
}

// asLater turns an answer of theirs into that of their later version, which has another quota mode. What is
// allowed to differ becomes as in ours.
func (w *world) asLater(a, ours *ratelimit.RateLimitResponse, r *ratelimit.RateLimitRequest, mode string) *ratelimit.RateLimitResponse {
	fields := a.GetDynamicMetadata().GetFields()
	over := map[int]bool{}
	for _, i := range fields["quotaModeViolations"].GetListValue().GetValues() {
		over[int(i.GetNumberValue())] = true
	}
	delete(fields, "quotaModeViolations")
	delete(fields, "quotaModeEnabled")
	quotas := 0
	for i, s := range a.GetStatuses() {
		isUnlimited := s.GetCurrentLimit() == nil && s.GetLimitRemaining() > 0
		if mode == "quota" && !isUnlimited || s.GetCurrentLimit() != nil && w.isQuota(r, i, mode) {
			quotas++
		}
		if over[i] {
			s.Code = ratelimit.RateLimitResponse_OVER_LIMIT
			s.DurationUntilReset = &durationpb.Duration{}
		}
	}
	if mode != "shadow" && quotas > 0 && quotas == len(over) {
		a.OverallCode = ratelimit.RateLimitResponse_OVER_LIMIT
	}
	lookIsOver := false
	for i, s := range a.GetStatuses() {
		if i >= len(ours.GetStatuses()) {
			break
		}
		mine := ours.GetStatuses()[i]
		if d := s.GetDurationUntilReset(); d != nil {
			if away := d.GetSeconds() - mine.GetDurationUntilReset().GetSeconds(); over[i] || -1 <= away && away <= 1 {
				s.DurationUntilReset = mine.GetDurationUntilReset()
			}
		}
		isLook := r.GetDescriptors()[i].GetHitsAddend() != nil && r.GetDescriptors()[i].GetHitsAddend().GetValue() == 0
		if isLook && s.GetCurrentLimit() != nil && s.GetLimitRemaining() == 0 && s.GetCode() != mine.GetCode() {
			lookIsOver = true
			s.Code = mine.GetCode()
		}
	}
	if lookIsOver {
		a.OverallCode = ours.GetOverallCode()
		a.ResponseHeadersToAdd = ours.GetResponseHeadersToAdd()
	}
	for i, h := range a.GetResponseHeadersToAdd() {
		if i == 2 && len(ours.GetResponseHeadersToAdd()) == 3 {
			one, _ := strconv.Atoi(h.GetValue())
			other, _ := strconv.Atoi(ours.GetResponseHeadersToAdd()[2].GetValue())
			if -1 <= one-other && one-other <= 1 {
				h.Value = ours.GetResponseHeadersToAdd()[2].GetValue()
			}
		}
	}
	return a
}

// A statsd adds the counters that a service sends.
type statsd struct {
	listener net.Listener
	mu       sync.Mutex
	counters map[string]int64
}

func newStatsd(t *testing.T) *statsd {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	s := &statsd{listener: l, counters: map[string]int64{}}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go s.read(c)
		}
	}()
	return s
}

func (s *statsd) environ() []string {
	host, port, _ := net.SplitHostPort(s.listener.Addr().String())
	return []string{"STATSD_HOST=" + host, "STATSD_PORT=" + port}
}

// read reads lines such as "name:5|c".
func (s *statsd) read(c io.ReadCloser) {
	defer c.Close()
	lines := bufio.NewScanner(c)
	for lines.Scan() {
		name, rest, _ := strings.Cut(lines.Text(), ":")
		value, isCounter := strings.CutSuffix(rest, "|c")
		if n, err := strconv.ParseInt(value, 10, 64); isCounter && err == nil {
			s.mu.Lock()
			s.counters[name] += n
			s.mu.Unlock()
		}
	}
}

// rules returns the counters of rules but for those of some domains.
func (s *statsd) rules(without []string) map[string]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]int64{}
	for name, n := range s.counters {
		isOut := slices.ContainsFunc(without, func(d string) bool { return strings.Contains(name, "."+d+".") })
		// A look at a limit that is used up refuses in ours only.
		if strings.HasPrefix(name, "ratelimit.service.") && n != 0 && !isOut && !strings.Contains(name, "global_shadow") {
			all[name] = n
		}
	}
	return all
}

// compareMetrics waits until all services have sent the same counters but for those of some domains.
func compareMetrics(t *testing.T, services []*rls, metrics []*statsd, without []string) {
	for i, s := range services[1:] {
		var differences error
		for begin := time.Now(); time.Since(begin) < 5*time.Second; time.Sleep(100 * time.Millisecond) {
			if differences = different(metrics[0].rules(without), metrics[i+1].rules(without)); differences == nil {
				break
			}
		}
		if differences != nil {
			t.Errorf("metrics of %s: %v", s.kind, differences)
		}
	}
}

// different says which counters differ.
func different(want, got map[string]int64) error {
	var all []error
	for name, n := range want {
		if got[name] != n {
			all = append(all, fmt.Errorf("%s is %d, and theirs %d", name, got[name], n))
		}
	}
	for name, n := range got {
		if want[name] == 0 {
			all = append(all, fmt.Errorf("%s is %d, and theirs 0", name, n))
		}
	}
	if len(all) > 40 {
		all = append(all[:40], fmt.Errorf("and %d more", len(all)-40))
	}
	return errors.Join(all...)
}

// TestTheirsOverHTTP: /json gives the same statuses and bodies.
func TestTheirsOverHTTP(t *testing.T) {
	rules := map[string]string{"a.yaml": "domain: shop\ndescriptors: [{key: user, rate_limit: {unit: day, requests_per_unit: 2}}]"}
	a, b := startRLS(t, ofTheirs, rules), startRLS(t, embedded, rules)
	for _, body := range []string{
		`{"domain": "shop", "descriptors": [{"entries": [{"key": "user", "value": "ann"}]}]}`,
		`{"domain": "shop", "descriptors": [{"entries": [{"key": "user", "value": "ann"}]}]}`,
		`{"domain": "shop", "descriptors": [{"entries": [{"key": "user", "value": "ann"}]}]}`,
		`{"domain": "shop", "descriptors": [{"entries": [{"key": "user"}]}], "hitsAddend": 3}`,
		`{"domain": "shop", "descriptors": [{"entries": [{"key": "user"}], "hits_addend": "1"}], "hits_addend": 3}`,
		`{"domain": "other", "descriptors": [{"entries": [{"key": "user"}]}]}`,
		`{"domain": "", "descriptors": [{"entries": [{"key": "user"}]}]}`, `{"domain": "shop"}`, `{}`, ``, `x`, `[]`, `null`,
		`{"domain": "shop", "burst": 1}`, `{"domain": 5}`, `{"domain": "shop", "descriptors": {}}`,
	} {
		for _, method := range []string{"POST", "PUT", "GET"} {
			var says [2]string
			for i, s := range []*rls{a, b} {
				request, err := http.NewRequestWithContext(t.Context(), method, s.http+"/json", strings.NewReader(body))
				require.NoError(t, err)
				answer, err := client.Do(request)
				require.NoError(t, err)
				text, err := io.ReadAll(answer.Body)
				require.NoError(t, err)
				require.NoError(t, answer.Body.Close())
				line := string(text)
				r := &ratelimit.RateLimitResponse{}
				if protojson.Unmarshal(text, r) == nil {
					for _, s := range r.GetStatuses() {
						if s.GetDurationUntilReset() != nil {
							s.DurationUntilReset = &durationpb.Duration{Seconds: 1}
						}
					}
					line = explained(nil, r)
				}
				says[i] = fmt.Sprint(answer.StatusCode, " ", answer.Header.Get("Content-Type"), " ", line)
			}
			require.Equal(t, says[0], says[1], "%s %s", method, body)
		}
	}
	for _, path := range []string{"/healthcheck", "/", "/nothing"} {
		var says [2]string
		for i, s := range []*rls{a, b} {
			answer, err := client.Get(s.http + path)
			require.NoError(t, err)
			text, err := io.ReadAll(answer.Body)
			require.NoError(t, err)
			says[i] = fmt.Sprint(answer.StatusCode, " ", string(text))
			require.NoError(t, answer.Body.Close())
		}
		require.Equal(t, says[0], says[1], path)
	}
}
