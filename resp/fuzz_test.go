package resp

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// fuzzLimits are so low that a fuzzer can exceed them.
var fuzzLimits = Limits{MaxBulk: 2000, MaxArgs: 50, MaxInline: 40, MaxBuffer: 1 << 30}

func seed(f *testing.F, add func(in string)) {
	for _, c := range hostile {
		add(c.in[:min(len(c.in), 100)])
	}
	add(wire("SET", "k", "v", "PX", "100") + "ping\r\n" + wire("GET", "k"))
	add("a \"b\\x41\" 'c\\'' d\"e\"\r\n*0\r\n\r\n*2\r\n$1\r\na\r\n$0\r\n\r\n")
}

// FuzzParser compares the parser, which gets the input byte by byte, with the naive one.
func FuzzParser(f *testing.F) {
	seed(f, func(in string) { f.Add([]byte(in), false) })
	f.Fuzz(func(t *testing.T, in []byte, unauthenticated bool) {
		l := fuzzLimits
		l.Unauthenticated = unauthenticated
		for len(in) > 0 {
			args, n, found, err := naive(in, l)
			var p parser
			p.reset()
			p.limits = l
			var got outcome
			var failed error
			for end := 1; end <= len(in) && got == incomplete && failed == nil; end++ {
				got, failed = p.parse(in[:end:end])
			}
			require.Equal(t, err, failed)
			require.Equal(t, found, got)
			if got == incomplete {
				return
			}
			require.Equal(t, n, p.pos)
			require.Len(t, p.spans, len(args))
			for i, s := range p.spans {
				require.Equal(t, args[i], string(in[s.start:s.end]))
			}
			in = in[n:]
		}
	})
}

// FuzzSession checks that replies do not depend on how the bytes are cut into reads, and that memory is bounded by
// the bytes.
func FuzzSession(f *testing.F) {
	seed(f, func(in string) { f.Add([]byte(in), uint16(3), uint16(1)) })
	f.Fuzz(func(t *testing.T, in []byte, first, chunk uint16) {
		want, whole := feed(NewSession(&quiet{fuzzLimits}), []byte(string(in)), len(in)+1)
		s := NewSession(&quiet{fuzzLimits})
		cut := min(int(first), len(in))
		got, st := feed(s, []byte(string(in[:cut])), cut+1)
		if st != Close {
			var rest string
			rest, st = feed(s, []byte(string(in[cut:])), int(chunk)+1)
			got += rest
		}
		require.Equal(t, want, got)
		require.Equal(t, whole, st)
		require.LessOrEqual(t, s.Capacity(), 16*len(in)+BusyBuffer)
	})
}
