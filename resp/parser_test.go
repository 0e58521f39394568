package resp

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/redcon"
)

// hostile are requests that Redis refuses, ignores or does not answer yet, each with the reply.
var hostile = []struct{ in, out string }{
	{"*1\r\n$9223372036854775807\r\nabc\r\n", "invalid bulk length"},
	{"*1\r\n$9223372036854775808\r\n", "invalid bulk length"},
	{"*1\r\n$536870913\r\n", "invalid bulk length"},
	{"*1\r\n$536870912\r\nabc", ""},
	{"*1\r\n$-1\r\n", "invalid bulk length"},
	{"*1\r\n$-0\r\n", "invalid bulk length"},
	{"*1\r\n$+1\r\n", "invalid bulk length"},
	{"*1\r\n$01\r\n", "invalid bulk length"},
	{"*1\r\n$ 1\r\n", "invalid bulk length"},
	{"*1\r\n$\r\n", "invalid bulk length"},
	{"*1\r\n$4x\r\n", "invalid bulk length"},
	{"*4000000000\r\n", "invalid multibulk length"},
	{"*9223372036854775808\r\n", "invalid multibulk length"},
	{"*-9223372036854775809\r\n", "invalid multibulk length"},
	{"*99999999999999999999999999\r\n", "invalid multibulk length"},
	{"*1048577\r\n", ""},
	{"*2147483647\r\n", ""},
	{"*2147483648\r\n", "invalid multibulk length"},
	{"*\r\n", "invalid multibulk length"},
	{"*x\r\n", "invalid multibulk length"},
	{"*+1\r\n", "invalid multibulk length"},
	{"*1 \r\n", "invalid multibulk length"},
	{"**1\r\n", "invalid multibulk length"},
	{"*00\r\n", "invalid multibulk length"},
	{"*-\r\n", "invalid multibulk length"},
	{"*0\r\n*-1\r\n*-9223372036854775808\r\n\r\n\n \t\v\r\n", ""},
	{"*1\r\n:1\r\n", "expected '$', got ':'"},
	{"*1\r\n\r\n", "expected '$', got ' '"},
	{"*1\r\n\n$1\r\n", "expected '$', got ' '"},
	{"*1\r\nGET\r\n", "expected '$', got 'G'"},
	{"*1\r\n\xff\r\n", "expected '$', got '\xff'"},
	{"*1\r\nGET", ""},
	{"*1\r\n*1\r\n*1\r\n", "expected '$', got '*'"},
	{"*1\n$1\na\n", ""},
	{"*1\n$1\na\r\n", "invalid multibulk length"},
	{"\r", ""},
	{"*\x00\r\n", ""},
	{"*1\r\n$\x001\r\n", ""},
	{"a\x00b\r\n\r\n", ""},
	{"\x00", ""},
	{"*1" + strings.Repeat("0", 70_000), "too big mbulk count string"},
	{"*1\r\n$" + strings.Repeat("1", 70_000), "too big bulk count string"},
	{"*1\r\n" + strings.Repeat("x", 70_000), "too big bulk count string"},
	{strings.Repeat("x", 70_000), "too big inline request"},
	{strings.Repeat("\x00", 70_000), "too big inline request"},
	{strings.Repeat("x", 65_536), ""},
	{"eval 'return ARGV' 0 'a\r\n", "unbalanced quotes in request"},
	{"eval 'return ARGV' 0 \"a\r\n", "unbalanced quotes in request"},
	{"eval 'return ARGV' 0 \"a\\\"\r\n", "unbalanced quotes in request"},
	{"eval 'return ARGV' 0 'a'b\r\n", "unbalanced quotes in request"},
	{"eval 'return ARGV' 0 \"a\"b\r\n", "unbalanced quotes in request"},
	{"\"\n", "unbalanced quotes in request"},
}

func TestHostileRequests(t *testing.T) {
	for _, c := range hostile {
		for _, chunk := range []int{1 << 20, 1000, 1} {
			h := &echo{}
			s := NewSession(h)
			out, st := feed(s, []byte(c.in), chunk)
			if c.out == "" {
				require.Empty(t, out, "%.60q", c.in)
				require.Equal(t, Continue, st, "%.60q", c.in)
			} else {
				require.Equal(t, "-ERR Protocol error: "+c.out+"\r\n", out, "%.60q", c.in)
				require.Equal(t, Close, st)
				require.Equal(t, []string{"failed: Protocol error: " + c.out + ", stack false"}, h.diary[:1])
			}
			require.LessOrEqual(t, s.Capacity(), 4*max(len(c.in), IdleBuffer), "%.60q", c.in)
		}
	}
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		limits  Limits
		in, out string
	}{
		{Limits{Unauthenticated: true}, "*11\r\n", "-ERR Protocol error: unauthenticated multibulk length\r\n"},
		{Limits{Unauthenticated: true}, "*10\r\n$16384\r\n", ""},
		{Limits{Unauthenticated: true}, "*1\r\n$16385\r\n", "-ERR Protocol error: unauthenticated bulk length\r\n"},
		{Limits{Unauthenticated: true, MaxArgs: 5, MaxBulk: 5}, "*6\r\n", "-ERR Protocol error: invalid multibulk length\r\n"},
		{Limits{MaxArgs: 2}, wire("a", "b"), echoed("a", "b")},
		{Limits{MaxArgs: 2}, "*3\r\n", "-ERR Protocol error: invalid multibulk length\r\n"},
		{Limits{MaxBulk: 2}, wire("ab"), echoed("ab")},
		{Limits{MaxBulk: 2}, "*1\r\n$3\r\n", "-ERR Protocol error: invalid bulk length\r\n"},
		{Limits{MaxInline: 5}, "abcde\n", echoed("abcde")},
		{Limits{MaxInline: 5}, "abcdef\n", "-ERR Protocol error: too big inline request\r\n"},
	} {
		out, _ := feed(NewSession(&echo{limits: c.limits}), []byte(c.in), 1)
		require.Equal(t, c.out, out, c.in)
	}
}

// A session closes without a reply if an incomplete request exceeds the query buffer, as in Redis.
func TestBufferLimit(t *testing.T) {
	h := &echo{limits: Limits{MaxBuffer: 10_000}}
	s := NewSession(h)
	out, st := feed(s, []byte(wire("a", strings.Repeat("x", 9000))+wire(strings.Repeat("x", 20_000))), 1000)
	require.Equal(t, echoed("a", strings.Repeat("x", 9000)), out)
	require.Equal(t, Close, st)
	require.Equal(t, "failed: query buffer limit reached, stack false", h.diary[len(h.diary)-1])
}

// The parser reads each byte of a request in a million pieces once. A parser that starts again for each piece would
// take hours.
func TestPiecesAreReadOnce(t *testing.T) {
	args := make([]string, 200_000)
	for i := range args {
		args[i] = "abc"
	}
	in := wire(args...)
	out, _ := feed(NewSession(&echo{}), []byte(in), 7)
	require.Equal(t, in, out)

	long := wire("SET", strings.Repeat("x", 8<<20))
	s := NewSession(&echo{})
	out, _ = feed(s, []byte(long), 4096)
	require.Equal(t, long, out)
	s.Space()
	require.LessOrEqual(t, s.Capacity(), BusyBuffer+manyArgs*40, "the big buffers are given back")
}

// randomRequests returns valid commands in both forms: as one stream, and as their arguments.
func randomRequests(r *rand.Rand, n int) (stream []byte, commands [][]string) {
	for range n {
		args := make([]string, 1+r.IntN(6))
		for i := range args {
			args[i] = string(randomBytes(r, 20))
			if r.IntN(50) == 0 {
				args[i] = strings.Repeat("long", r.IntN(20_000))
			}
		}
		commands = append(commands, args)
		if r.IntN(4) > 0 {
			stream = append(stream, wire(args...)...)
			continue
		}
		stream = append(stream, inlined(r, args)...)
		if r.IntN(3) == 0 {
			stream = append(stream, []string{"\r\n", "\n", "*0\r\n", "*-7\r\n", "  \r\n"}[r.IntN(5)]...)
		}
	}
	return stream, commands
}

// inlined returns an inline command with quoted arguments. Long arguments are cut off.
func inlined(r *rand.Rand, args []string) string {
	var b strings.Builder
	for i, a := range args {
		args[i] = a[:min(len(a), 1000)]
		b.WriteString(strings.Repeat(" ", r.IntN(2)) + `"`)
		for _, c := range []byte(args[i]) {
			switch {
			case c == '\n' && r.IntN(2) == 0:
				b.WriteString(`\n`)
			case c < ' ' || c > '~':
				const hex = "0123456789abcdefABCDEF"
				b.WriteString(`\x` + hex[c>>4:c>>4+1] + hex[c&15:c&15+1])
			case c == '"' || c == '\\':
				b.WriteByte('\\')
				fallthrough
			default:
				b.WriteByte(c)
			}
		}
		b.WriteString(`" `)
	}
	return b.String() + []string{"\n", "\r\n"}[r.IntN(2)]
}

func TestRandomCommandsInRandomPieces(t *testing.T) {
	r := newRand(t)
	for range 200 {
		stream, commands := randomRequests(r, 1+r.IntN(30))
		want := ""
		for _, args := range commands {
			want += echoed(args...)
		}
		s := NewSession(&quiet{})
		var got strings.Builder
		for rest := stream; len(rest) > 0; {
			space := s.Space()
			n := copy(space, rest[:min(len(rest), 1+r.IntN(1<<r.IntN(17)))])
			rest = rest[n:]
			require.Equal(t, Continue, s.Filled(n))
			got.Write(s.Output())
			s.Sent()
		}
		require.Equal(t, want, got.String())
		require.Zero(t, s.Buffered())
	}
}

// quiet answers every command with its arguments.
type quiet struct{ limits Limits }

func (*quiet) Prefetch([][]byte)   {}
func (*quiet) End() uint64         { return 0 }
func (*quiet) Closed()             {}
func (*quiet) RetryAfter() int64   { return NoTime }
func (*quiet) OutputLimit() int    { return 0 }
func (*quiet) MessageNeed() uint64 { return 0 }
func (*quiet) Failed(any, []byte)  {}
func (p *quiet) Limits() Limits    { return p.limits }
func (*quiet) Handle(args [][]byte, w *Writer) Status {
	w.Array(len(args))
	for _, a := range args {
		w.Bulk(a)
	}
	return Continue
}

// Redcon's parser reads valid requests the same.
func TestAgainstRedcon(t *testing.T) {
	r := newRand(t)
	for range 200 {
		stream, commands := randomRequests(r, 1)
		if !bytes.HasPrefix(stream, []byte("*")) {
			continue
		}
		var p parser
		p.reset()
		p.limits = Limits{}.orDefault()
		found, err := p.parse(stream)
		require.NoError(t, err)
		require.Equal(t, complete, found)
		ok, args, _, left, err := redcon.ReadNextCommand(stream, nil)
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, len(stream)-p.pos, len(left))
		require.Len(t, p.spans, len(args))
		for i, s := range p.spans {
			require.Equal(t, string(args[i]), string(stream[s.start:s.end]))
			require.Equal(t, commands[0][i], string(args[i]))
		}
	}
}

func TestSplitInline(t *testing.T) {
	for line, want := range map[string][]string{
		``:                   nil,
		" \t\v\f\r":          nil,
		`a  b`:               {"a", "b"},
		`a"b c"`:             {"ab c"},
		`"" ''`:              {"", ""},
		`"\x41\x0a\xzz\x4"`:  {"A\nxzzx4"},
		`"\n\r\t\b\a\\\"\q"`: {"\n\r\t\b\a\\\"q"},
		`'\n\'"'`:            {`\n'"`},
		"a\vb\fc":            {"a\vb\fc"},
		"\"a\"\v'b'":         {"a", "b"},
		`\x41`:               {`\x41`},
		"\xff \x80":          {"\xff", "\x80"},
		`'a`:                 {"!"},
		`"a\"`:               {"!"},
		`"a"b`:               {"!"},
		`'a''b'`:             {"!"},
	} {
		b := []byte(line)
		spans, ok := splitInline(b, nil)
		var got []string
		for _, s := range spans {
			got = append(got, string(b[s.start:s.end]))
		}
		if !ok {
			got = []string{"!"}
		}
		require.Equal(t, want, got, line)
	}
}
