package resp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/redcon"
)

// throttles returns a pipeline of n typical commands.
func throttles(n int) []byte {
	return []byte(strings.Repeat(wire("CL.THROTTLE", "user:123456", "15", "30", "60", "1"), n))
}

// fixed answers every command as CL.THROTTLE does, and changes nothing.
type fixed struct{ quiet }

func (*fixed) Handle(args [][]byte, w *Writer) Status {
	w.Array(5)
	for i := range int64(5) {
		w.Int(i)
	}
	return Continue
}

func TestSessionDoesNotAllocate(t *testing.T) {
	in := throttles(16)
	s := NewSession(&fixed{})
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		// Two reads; the first ends within a command.
		cut := len(in) / 3
		s.Filled(copy(s.Space(), in[:cut]))
		s.Filled(copy(s.Space(), in[cut:]))
		s.Sent()
	}))
	require.Zero(t, s.Buffered())
}

// BenchmarkSession measures a command in a pipeline of 16, from request bytes to reply bytes.
func BenchmarkSession(b *testing.B) {
	in := throttles(16)
	s := NewSession(&fixed{})
	b.ReportAllocs()
	for b.Loop() {
		s.Filled(copy(s.Space(), in))
		s.Sent()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/16, "ns/command")
}

// BenchmarkPlain, BenchmarkParse and BenchmarkParseRedcon compare the parsers alone.
func BenchmarkPlain(b *testing.B) {
	in := throttles(1)
	var args [][]byte
	b.ReportAllocs()
	for b.Loop() {
		var n int
		if args, n = plain(in, args[:0]); n == 0 {
			b.Fatal("not plain")
		}
	}
}

func BenchmarkParse(b *testing.B) {
	in := throttles(1)
	var p parser
	p.reset()
	p.limits = Limits{}.orDefault()
	b.ReportAllocs()
	for b.Loop() {
		if found, err := p.parse(in); found != complete || err != nil {
			b.Fatal(found, err)
		}
		p.reset()
	}
}

func BenchmarkParseRedcon(b *testing.B) {
	in := throttles(1)
	var args [][]byte
	b.ReportAllocs()
	for b.Loop() {
		var ok bool
		var err error
		if ok, args, _, _, err = redcon.ReadNextCommand(in, args[:0]); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
}

func BenchmarkFormatDouble(b *testing.B) {
	var buf [32]byte
	for _, c := range []struct {
		name string
		f    float64
	}{{"Whole", 1700000000}, {"Fraction", 0.1}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				FormatDouble(buf[:0], c.f)
			}
		})
	}
}
