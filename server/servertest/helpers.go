package servertest

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cellserver/resp"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// Info returns the fields of sections of INFO.
func (c *Client) Info(sections string) map[string]string {
	c.T.Helper()
	fields := map[string]string{}
	for line := range strings.SplitSeq(c.InfoText(sections), "\r\n") {
		if name, value, ok := strings.Cut(line, ":"); ok {
			require.NotContains(c.T, fields, name)
			fields[name] = value
		}
	}
	return fields
}

// InfoText returns the text of INFO.
func (c *Client) InfoText(sections string) string {
	c.T.Helper()
	text, isText := c.Do("INFO " + sections).(string)
	require.True(c.T, isText)
	return text
}

// InfoTitles returns the titles of INFO's sections.
func (c *Client) InfoTitles(sections string) []string {
	var titles []string
	for line := range strings.SplitSeq(c.InfoText(sections), "\r\n") {
		if title, ok := strings.CutPrefix(line, "# "); ok {
			titles = append(titles, title)
		}
	}
	return titles
}

// HeldBack sends a command that must wait. The returned function resumes the command and returns
// its reply. Messages after the reply are among the client's Pushes.
func (c *Client) HeldBack(line string) func() any {
	c.T.Helper()
	c.Silent(line)
	require.Equal(c.T, resp.Retry, c.Status, line)
	return func() any {
		c.T.Helper()
		c.Status = c.Session.Resume()
		require.NotEqual(c.T, resp.Retry, c.Status, line)
		replies := c.output()
		c.Pushes = append(c.Pushes, replies[1:]...)
		return replies[0]
	}
}

// All runs a command and returns all that the client gets: the reply, and messages of the client to
// itself.
func (c *Client) All(line string) (replies []any) {
	c.T.Helper()
	c.Send(resptest.Command(c.split([]any{line})...))
	return c.output()
}

// output takes all that the session has for the client.
func (c *Client) output() (replies []any) {
	c.T.Helper()
	for out := c.Session.Output(); len(out) > 0; {
		reply, n, err := resptest.Parse(out)
		require.NoError(c.T, err)
		replies = append(replies, reply)
		out = out[n:]
	}
	c.Session.Sent()
	return replies
}

// Samples parses an exposition as Prometheus does, and requires that it is valid. Each family has a
// help text and a type, and is one block. No sample repeats, and every value is a number.
func Samples(t testing.TB, text string) map[string]float64 {
	t.Helper()
	sample := regexp.MustCompile(`^([a-z_]+)(\{(?:,?[a-z_]+="(?:[^"\\\n]|\\[\\"n])*")+\})? (\S+)$`)
	all, kinds, family := map[string]float64{}, map[string]string{}, ""
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		if help, ok := strings.CutPrefix(line, "# HELP "); ok {
			family, _, _ = strings.Cut(help, " ")
			require.NotContains(t, kinds, family, "a family stands twice")
			continue
		}
		if kind, ok := strings.CutPrefix(line, "# TYPE "+family+" "); ok {
			require.Contains(t, []string{"counter", "gauge", "histogram"}, kind)
			kinds[family] = kind
			continue
		}
		m := sample.FindStringSubmatch(line)
		require.NotNil(t, m, line)
		name := m[1]
		if kinds[family] == "histogram" {
			name = regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")
		}
		require.Equal(t, family, name)
		require.Equal(t, kinds[family] == "counter", strings.HasSuffix(name, "_total"), name)
		value, err := strconv.ParseFloat(m[3], 64)
		require.NoError(t, err, line)
		require.NotContains(t, all, m[1]+m[2])
		all[m[1]+m[2]] = value
	}
	return all
}

// Pipeline returns n requests of a command. Each argument "key" becomes a key of 16 bytes, another
// one in each request.
func Pipeline(n int, args ...any) (sent []byte) {
	for i := range n {
		one := append([]any{}, args...)
		for j, arg := range one {
			if arg == "key" {
				one[j] = fmt.Sprintf("key:%012d", i)
			}
		}
		sent = append(sent, resptest.Command(one...)...)
	}
	return sent
}

// Exchange feeds requests to a session, which must fit into its input, and drops the replies.
func Exchange(t testing.TB, s *resp.Session, sent []byte) {
	for rest := sent; len(rest) > 0; {
		n := copy(s.Space(), rest)
		if st := s.Filled(n); st != resp.Continue {
			t.Fatalf("the session ends or waits: %v", st)
		}
		rest = rest[n:]
	}
	s.Sent()
}

// NoAllocs requires that do allocates nothing, on average of some runs. Under the race detector it only runs
// do.
func NoAllocs(t testing.TB, runs int, do func(), about ...any) {
	t.Helper()
	if allocs := testing.AllocsPerRun(runs, do); !poolsForget {
		require.Zero(t, allocs, about...)
	}
}

// MapOf returns a RESP3 map of alternating keys and values.
func MapOf(pairs ...any) resptest.Map {
	var m resptest.Map
	wire := func(v any) any {
		if n, ok := v.(int); ok {
			return int64(n)
		}
		return v
	}
	for pair := range slices.Chunk(pairs, 2) {
		m = append(m, resptest.Pair{Key: wire(pair[0]), Value: wire(pair[1])})
	}
	return m
}
