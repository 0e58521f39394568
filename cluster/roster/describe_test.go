package roster

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the pages in testdata instead of comparing them")

// three is a cluster of three healthy nodes, as its leader sees it.
func three() *State {
	node := func(letter string) NodeState {
		return NodeState{ID: strings.Repeat(letter, 40), Address: "10.0.0." + string(letter[0]-'a'+'1') +
			":6379", Voter: true, Known: true, Progress: Progress{Applied: 1000}, Feature: 1, Release: "1.0.0"}
	}
	s := &State{Self: strings.Repeat("a", 40), Cluster: strings.Repeat("f", 40), Leader: strings.Repeat("a", 40), Term: 12, Since: 12_000_000,
		Commit: 1000, Applied: 1000, MaxSkew: 500, Feature: 1,
		Nodes: []NodeState{node("a"), node("b"), node("c")}}
	s.Nodes[1].Skew, s.Nodes[2].Skew = 3, -1
	s.Log = 5 << 20
	s.Numbers = Numbers{Lag: 1500, Commits: 950, Half: 512, Most: 4096, Epochs: 1, Undone: 0, Misses: 12}
	return s
}

// changed is three with a change.
func changed(change func(*State)) *State {
	s := three()
	change(s)
	return s
}

// cases are the states of which testdata has the pages.
var cases = map[string]*State{
	"healthy": three(),
	"one-down": changed(func(s *State) {
		s.Nodes[2].Silent, s.Nodes[2].Why, s.Nodes[2].Applied = 250_000, "connection refused", 400
	}),
	"two-down": changed(func(s *State) {
		s.Leader, s.Since = "", 8_000
		s.Nodes[1].Silent, s.Nodes[2].Silent = 8_500, 90_000_000
	}),
	"election":      changed(func(s *State) { s.Leader, s.Since = "", 700 }),
	"long-election": changed(func(s *State) { s.Leader, s.Since = "", 60_000 }),
	"follower": changed(func(s *State) {
		s.Self = s.Nodes[1].ID
		for i := range s.Nodes {
			s.Nodes[i].Known = i == 1
		}
	}),
	"slow": changed(func(s *State) {
		s.Nodes[1].Zone, s.Nodes[2].Zone = "east", "west"
		s.Commit, s.Applied, s.Nodes[0].Applied = 500_000, 500_000, 500_000
		s.Nodes[1].Applied, s.Nodes[2].Applied = 499_988, 320_000
		s.Dropped = 17
	}),
	"joining": changed(func(s *State) {
		s.Nodes[2].Voter, s.Nodes[2].Applied = false, 10
	}),
	"new-node": changed(func(s *State) {
		s.Self, s.Joining = s.Nodes[2].ID, true
		s.Nodes[2].Voter = false
	}),
	"faults": changed(func(s *State) {
		s.Nodes[1].Fault = "no space left on device"
		s.Nodes[2].Skew = -1_700
		s.Nodes[2].Feature, s.Feature = 2, 1
	}),
	"timeouts":   changed(func(s *State) { s.Nodes[0].Timeout, s.Nodes[2].Timeout = 500, 300 }),
	"downgraded": changed(func(s *State) { s.Feature, s.Nodes[0].Feature, s.Nodes[1].Feature = 2, 2, 2 }),
	"steady":     changed(func(s *State) { s.Numbers = Numbers{} }),
	"alone":      changed(func(s *State) { s.Nodes = s.Nodes[:1] }),
	"two":        changed(func(s *State) { s.Nodes = s.Nodes[:2] }),
	"leaving": changed(func(s *State) {
		s.Nodes[1].Silent, s.Nodes[2].Leaving, s.Stuck = 250_000, true, true
	}),
	"unformed": {Self: "x", Waiting: "waiting for b:6379 (connection refused): a cluster forms when all of cluster-nodes answer. " +
		"Start them, and let them reach each other"},
	"started": {},
}

func TestDescribe(t *testing.T) {
	for name, s := range cases {
		path := filepath.Join("testdata", name+".txt")
		if *update {
			require.NoError(t, os.WriteFile(path, []byte(Describe(s)), 0o644))
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(want), Describe(s), name)
	}
	files, err := os.ReadDir("testdata")
	require.NoError(t, err)
	require.Len(t, files, len(cases))
}

// A page is one screen, and a state survives the wire.
func TestPagesAreShort(t *testing.T) {
	trailing := regexp.MustCompile(`(?m)[ \t]+$`)
	for name, s := range cases {
		page := Describe(s)
		require.LessOrEqual(t, strings.Count(page, "\n"), 20, name)
		require.NotRegexp(t, trailing, page, name)
		body, err := json.Marshal(s)
		require.NoError(t, err)
		var again State
		require.NoError(t, json.Unmarshal(body, &again))
		require.Equal(t, page, Describe(&again))
	}
}

// Every problem has a line that says what to do, and a healthy cluster has no such line.
func TestEveryProblemHasAdvice(t *testing.T) {
	require.Equal(t, []string{"nothing: all nodes answer and are up to date"}, three().advice())
	for name, change := range map[string]func(*State){
		"silent":     func(s *State) { s.Nodes[1].Silent = 1 },
		"no leader":  func(s *State) { s.Leader = "" },
		"fault":      func(s *State) { s.Nodes[1].Fault = "full" },
		"entries":    func(s *State) { s.Commit = 1000 + manyBehind + 1 },
		"restarted":  func(s *State) { s.Nodes[1].Progress = Progress{Applied: 999, Stuck: true} },
		"clock":      func(s *State) { s.Nodes[1].Skew = 501 },
		"slow clock": func(s *State) { s.Nodes[1].Skew = -501 },
		"timeouts":   func(s *State) { s.Nodes[0].Timeout, s.Nodes[1].Timeout = 500, 300 },
		"release":    func(s *State) { s.Nodes[1].Feature = 2 },
		"downgraded": func(s *State) { s.Feature = 2 },
		"joining":    func(s *State) { s.Nodes[1].Voter = false },
		"two":        func(s *State) { s.Nodes = s.Nodes[:2] },
		"leaving":    func(s *State) { s.Nodes[1].Leaving = true },
		"stuck":      func(s *State) { s.Stuck = true },
		"own fault":  func(s *State) { s.Self, s.Leader, s.Fault = "x", "x", "full" },
	} {
		require.NotEqual(t, three().advice(), changed(change).advice(), name)
	}
}

func TestSpans(t *testing.T) {
	for ms, want := range map[int64]string{0: "0.0 s", 59_940: "59.9 s", 60_000: "1 min 0 s", 3_599_000: "59 min 59 s",
		3_600_000: "1 h 0 min", 90_000_000: "25 h 0 min", 172_800_000: "2 days"} {
		require.Equal(t, want, span(ms))
	}
	for bytes, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1.0 kB", 5 << 20: "5.0 MB"} {
		require.Equal(t, want, size(bytes))
	}
}
