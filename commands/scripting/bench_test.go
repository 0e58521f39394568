package scripting

import (
	"testing"

	"cellserver/resp/resptest"
	"cellserver/script/scripttest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// request loads a script and returns a call of it.
func request(h *servertest.Harness, l *scripttest.Limiter) []byte {
	require.Equal(h.T, l.SHA(), h.Do("SCRIPT", "LOAD", l.Source))
	call := []any{"EVALSHA", l.SHA(), l.Keys, "user:1", "user:2"}[:3+l.Keys]
	for _, arg := range l.Args {
		call = append(call, arg)
	}
	return resptest.Command(call...)
}

// TestScriptsAllocateLittle: most of the garbage of a server that runs scripts would be theirs.
func TestScriptsAllocateLittle(t *testing.T) {
	// What a number allocates as text counts too: redis_rate and Spring make several of them.
	most := map[string]float64{"ulule": 10, "rate-limiter-flexible": 10, "redis_rate": 35, "Spring Cloud Gateway": 35}
	for _, l := range scripttest.Limiters {
		h := servertest.New(t)
		sent := request(h, &l)
		servertest.Exchange(t, h.Session, sent)
		require.LessOrEqual(t, testing.AllocsPerRun(1000, func() { servertest.Exchange(t, h.Session, sent) }), most[l.Library], l.Library)
	}
}

// BenchmarkEvalsha measures scripts from the request to the reply.
func BenchmarkEvalsha(b *testing.B) {
	for _, l := range scripttest.Limiters {
		b.Run(l.Library, func(b *testing.B) {
			h := servertest.New(b)
			sent := request(h, &l)
			b.ReportAllocs()
			for b.Loop() {
				servertest.Exchange(b, h.Session, sent)
			}
		})
	}
}
