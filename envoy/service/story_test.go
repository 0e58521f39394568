package service

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	common "github.com/envoyproxy/go-control-plane/envoy/extensions/common/ratelimit/v3"
	ratelimit "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	typev3 "github.com/envoyproxy/go-control-plane/envoy/type/v3"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"cellserver/envoy/config"
	"cellserver/envoy/count/counttest"
	"cellserver/envoy/stats"
)

// A fixture is a service over a store of the test.
type fixture struct {
	*Service
	store    *counttest.Store
	registry *stats.Registry
}

func newFixture(t *testing.T, options Options, rules string) *fixture {
	t.Helper()
	f := &fixture{store: counttest.New(), registry: stats.NewRegistry()}
	f.Service = New(f.store, f.registry, options)
	f.load(t, rules)
	return f
}

func (f *fixture) load(t *testing.T, rules string) {
	t.Helper()
	file, err := config.Parse("config.a.yaml", []byte(rules))
	require.NoError(t, err)
	set, err := config.Build([]config.File{file}, false)
	require.NoError(t, err)
	f.Use(set)
}

// asks makes a request of the texts of its descriptors.
func asks(t *testing.T, domain string, hits uint32, texts ...string) *ratelimit.RateLimitRequest {
	t.Helper()
	r := &ratelimit.RateLimitRequest{Domain: domain, HitsAddend: hits}
	for _, text := range texts {
		r.Descriptors = append(r.Descriptors, descriptorOf(t, text))
	}
	return r
}

func descriptorOf(t *testing.T, text string) *common.RateLimitDescriptor {
	t.Helper()
	d := &common.RateLimitDescriptor{}
	words := strings.Fields(text)
	for _, entry := range strings.Split(words[0], ",") {
		key, value, _ := strings.Cut(entry, "=")
		d.Entries = append(d.Entries, &common.RateLimitDescriptor_Entry{Key: key, Value: value})
	}
	switch {
	case len(words) == 1:
	case words[1] == "limit":
		size, err := strconv.ParseUint(words[2], 10, 32)
		require.NoError(t, err)
		unit := ratelimit.RateLimitResponse_RateLimit_Unit_value[words[3]]
		d.Limit = &common.RateLimitDescriptor_RateLimitOverride{
			RequestsPerUnit: uint32(size), Unit: typev3.RateLimitUnit(unit),
		}
	default:
		hits, err := strconv.ParseUint(words[1][1:], 10, 64)
		require.NoError(t, err)
		d.HitsAddend, d.IsNegativeHits = wrapperspb.UInt64(hits), words[1][0] == '-'
	}
	return d
}

func codeText(c ratelimit.RateLimitResponse_Code) string {
	return strings.TrimSuffix(c.String(), "_LIMIT")
}

// says writes an answer as stories have it.
func says(r *ratelimit.RateLimitResponse) string {
	var statuses []string
	for _, s := range r.GetStatuses() {
		text := codeText(s.GetCode())
		switch {
		case s.GetCurrentLimit() != nil:
			text += fmt.Sprintf(" %d/%d", s.GetLimitRemaining(), s.GetCurrentLimit().GetRequestsPerUnit())
		case s.GetLimitRemaining() == 4294967295:
			text += " free"
		case s.GetLimitRemaining() != 0 || s.GetDurationUntilReset() != nil:
			text += " ?"
		}
		statuses = append(statuses, text)
	}
	return codeText(r.GetOverallCode()) + ": " + strings.Join(statuses, ", ")
}

func TestStories(t *testing.T) {
	var stories []struct {
		Name, Domain, Rules string
		Options             struct {
			Shadow, Quota   bool
			AllOrNone       bool `yaml:"all_or_none"`
			DynamicMetadata bool `yaml:"dynamic_metadata"`
		}
		Steps []struct {
			Move     time.Duration
			Ask      []string
			Hits     uint32
			Says     string
			Metadata map[string]any
		}
	}
	content, err := os.ReadFile(filepath.Join("testdata", "stories.yaml"))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(content, &stories))
	require.Greater(t, len(stories), 10)
	for _, story := range stories {
		t.Run(story.Name, func(t *testing.T) {
			o := story.Options
			f := newFixture(t, Options{
				Shadow: o.Shadow, Quota: o.Quota, AllOrNone: o.AllOrNone, DynamicMetadata: o.DynamicMetadata,
			}, story.Rules)
			domain := story.Domain
			if domain == "" {
				domain = "shop"
			}
			for i, step := range story.Steps {
				f.store.Move(step.Move)
				r, err := f.ShouldRateLimit(context.Background(), asks(t, domain, step.Hits, step.Ask...))
				require.NoError(t, err)
				require.Equal(t, step.Says, says(r), "step %d: %v", i+1, step.Ask)
				if step.Metadata != nil {
					require.Equal(t, step.Metadata, r.GetDynamicMetadata().AsMap()["metadata"])
				}
			}
		})
	}
}
