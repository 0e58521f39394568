package account

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// teller tells stories of accounts, which the packages for other languages replay. A line is a story of steps.
// A step is its name, both clocks, its arguments, and what the account answers.
type teller struct {
	*rand.Rand
	a       *Account
	now     Time
	steps   []any
	asks    []Ask
	waiting []int64
	limit   int64
	busy    int64
}

const vectors = "../../clients/account.jsonl"

// tell tells a story.
func tell(seed uint64) (steps []any) {
	r := rand.New(rand.NewPCG(seed, 0))
	lease := 500 + r.Int64N(3)*750
	s := &teller{Rand: r, limit: 1 + r.Int64N(200), busy: 1 + r.Int64N(20)}
	s.a = NewTable(Settings{Lease: lease, Keys: 1}).Account("", nil)
	s.now = Time{1_000_000 * r.Int64N(1000), 1_790_000_000_000_000}
	s.steps = []any{[]any{"account", lease}}
	for range 100 {
		s.step()
	}
	return s.steps
}

func (s *teller) add(name string, rest ...any) {
	s.steps = append(s.steps, append([]any{name, s.now.Boot, s.now.Wall}, rest...))
}

func (s *teller) step() {
	if s.IntN(3) == 0 {
		d := s.Int64N(40_000)
		if s.IntN(20) == 0 {
			d = s.Int64N(1_500_000)
		}
		s.now.Boot += d
		s.now.Wall += d
		if s.IntN(60) == 0 {
			s.now.Wall += s.Int64N(4_000_000) - 2_000_000
		}
	}
	switch n := s.IntN(12); {
	case n < 4:
		for range 1 + s.Int64N(s.busy) {
			s.take()
		}
	case n < 8 && len(s.asks) > 0:
		s.answer()
	case n == 8 && len(s.waiting) > 0:
		s.a.Gone(s.waiting[0])
		s.add("gone", s.waiting[0])
		s.waiting = s.waiting[1:]
	case n == 9:
		quantity := s.Int64N(4)
		limited, answer, ok := s.a.Look(s.now, quantity)
		s.add("look", quantity, ok, limited, list(answer))
	case n == 10 && s.a.held != nil:
		ask, ok := s.a.giveBack(s.now)
		s.add("giveBack", s.question(ask, ok))
	case n == 11:
		limited, answer := s.IntN(4) == 0, s.reply()
		quantity := 1 + s.Int64N(3)
		departed := Time{s.now.Boot - s.Int64N(100_000)*s.Int64N(2), s.now.Wall}
		s.a.Passed(s.now, departed, quantity, limited, answer)
		s.add("passed", departed.Boot, quantity, limited, list(answer))
	}
}

func (s *teller) take() {
	quantity := 1 + s.Int64N(3)*s.Int64N(2)
	if s.IntN(50) == 0 {
		quantity = 1 + s.Int64N(2*s.limit)
	}
	verdict, answer := s.a.Take(s.now, quantity)
	s.add("take", quantity, verdict, list(answer))
	s.settle(quantity, verdict)
}

// settle asks, if there is something to ask after a verdict.
func (s *teller) settle(quantity int64, verdict Verdict) {
	if verdict == Wait {
		s.waiting = append(s.waiting, quantity)
	}
	if verdict == Wait || verdict == Local {
		ask, ok := s.a.NextAsk(s.now)
		s.add("nextAsk", s.question(ask, ok))
	}
}

// question keeps a question for its answer, and returns its words, null if there is none.
func (s *teller) question(ask Ask, ok bool) any {
	if !ok {
		return nil
	}
	s.asks = append(s.asks, ask)
	return []int64{ask.Want, ask.TTL, ask.Back.Units, ask.Back.At, ask.Back.Ends}
}

// reply makes an answer of a limit up.
func (s *teller) reply() Answer {
	wait := int64(-1)
	if s.IntN(2) == 0 {
		wait = 1 + s.Int64N(1+s.Int64N(3000))
	}
	return Answer{s.limit, s.Int64N(s.limit + 1), wait, s.Int64N(5000)}
}

// answer answers a question in one of the ways. Those who wait decide again. The number of a question is its
// place among all questions of the story.
func (s *teller) answer() {
	i := s.IntN(len(s.asks))
	ask := s.asks[i]
	switch n := s.IntN(12); {
	case n == 0:
		s.a.Lost(s.now, ask)
		s.add("lost", ask.number)
	case n == 1 || len(s.steps) > 250: // at the end of a story, because it lasts
		s.asks = append(s.asks[:i], s.asks[i+1:]...)
		s.a.Failed(s.now, ask)
		s.add("failed", ask.number)
	default:
		s.asks = append(s.asks[:i], s.asks[i+1:]...)
		a := s.reply()
		units, ends := min(ask.Want, s.Int64N(ask.Want+10)), ask.TTL/4+s.Int64N(ask.TTL)
		if s.IntN(20) > 0 {
			units = max(1, units)
		}
		if s.IntN(10) == 0 {
			ends = s.Int64N(20)
		}
		g := Grant{units, a.Limit, a.Remaining, a.RetryAfter, a.ResetAfter, ends, s.now.Wall}
		s.a.Granted(s.now, ask, g)
		s.add("granted", ask.number, []int64{g.Units, g.Limit, g.Remaining, g.RetryAfter, g.ResetAfter, g.Ends, g.At})
	}
	waiting := s.waiting
	s.waiting = nil
	for _, quantity := range waiting {
		verdict, answer := s.a.Again(s.now, quantity)
		s.add("again", quantity, verdict, list(answer))
		s.settle(quantity, verdict)
	}
}

func list(a Answer) []int64 { return []int64{a.Limit, a.Remaining, a.RetryAfter, a.ResetAfter} }

// TestVectors: the stories that other languages replay are those of this account. UPDATE=1 writes them.
func TestVectors(t *testing.T) {
	var b bytes.Buffer
	seen := map[string]int{}
	for seed := range uint64(20) {
		story := tell(seed)
		line, err := json.Marshal(story)
		require.NoError(t, err)
		b.Write(append(line, '\n'))
		for _, step := range story {
			what := step.([]any)
			name := what[0].(string)
			if name == "take" || name == "again" {
				name += string('0' + rune(what[4].(Verdict)))
			}
			seen[name]++
		}
	}
	t.Log(b.Len(), seen)
	for _, name := range []string{"take0", "take1", "take2", "take3", "again1", "again2", "gone", "look", "giveBack", "passed",
		"nextAsk", "granted", "lost", "failed"} {
		require.Greater(t, seen[name], 2, name)
	}
	if os.Getenv("UPDATE") != "" {
		require.NoError(t, os.WriteFile(vectors, b.Bytes(), 0o644))
	}
	kept, err := os.ReadFile(vectors)
	require.NoError(t, err)
	require.Equal(t, string(kept), b.String(), "UPDATE=1 go test ./sidecar/account -run Vectors writes the stories of today")
}
