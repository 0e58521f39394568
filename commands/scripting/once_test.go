package scripting

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"cellserver/server/servertest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// TestWhatBeginsAgainHappensOnce: messages, keyspace events, the lines of MONITOR and the statistics know nothing of a run
// that began again, because of a key that was not declared or because it took long.
func TestWhatBeginsAgainHappensOnce(t *testing.T) {
	for _, again := range []string{"redis.call('incr', 'undeclared')", "for i = 1, 100000 do KEYS[i] = i end"} {
		h := servertest.New(t)
		h.Want("CONFIG SET notify-keyspace-events KEA", ok)
		reader, monitor := h.NewClient(t), h.NewClient(t)
		for _, channel := range []string{"news", "__keyevent@0__:incrby", "__keyevent@0__:set"} {
			reader.Do("SUBSCRIBE", channel)
		}
		reader.Do("PSUBSCRIBE", "n*")
		monitor.Want("MONITOR", ok)
		source := "redis.call('incr', KEYS[1]) redis.call('cl.throttle', KEYS[1] .. 'x', 0, 1, 60) " +
			"redis.call('cl.throttle', KEYS[1] .. 'x', 0, 1, 60) redis.call('flushdb') redis.call('incr', KEYS[1]) " +
			"local n = redis.call('publish', 'news', 'text') " + again + " return n"
		h.Want("CONFIG RESETSTAT", ok)
		require.Equal(t, h.Wire(2), send(h.Client, "EVAL", source, 1, "{k}"))
		want := map[string]int{"text": 2, "{k}": 2, "{k}x": 1}
		if strings.Contains(again, "undeclared") {
			want["undeclared"] = 1
		}
		got := map[string]int{}
		for _, push := range reader.Peer.TakePushes() {
			parts := push.([]any)
			got[parts[len(parts)-1].(string)]++
		}
		require.Equal(t, want, got, again)
		lines := ""
		for _, push := range monitor.Peer.TakePushes() {
			lines += "\n" + strings.ToLower(fmt.Sprint(push))
		}
		require.Equal(t, 1, strings.Count(lines, `"eval"`), lines)
		require.Equal(t, 1, strings.Count(lines, `lua] "publish"`), lines)
		require.Less(t, strings.Index(lines, `"eval"`), strings.Index(lines, `lua] "incr"`))
		stats := h.InfoText("commandstats")
		require.Contains(t, stats, "cmdstat_publish:calls=1,")
		require.Contains(t, stats, "cmdstat_eval:calls=1,")
		require.Contains(t, stats, "cmdstat_cl.throttle:calls=2,")
	}
}

// removed notes the keys that effects delete.
type removed struct{ keys []string }

func (r *removed) Committed(_ *store.Tx, effects []store.Effect) {
	for _, e := range effects {
		if e.Op == store.OpDel {
			r.keys = append(r.keys, string(e.Key))
		}
	}
}

// TestReadsRemoveTheirOwnKeys: the log learns of the expired key that a command of a script has removed, and
// not of a key of a later command. A run that begins again has removed it, too.
func TestReadsRemoveTheirOwnKeys(t *testing.T) {
	for _, last := range []string{"KEYS[2]", "'undeclared'"} {
		h, log := servertest.New(t), &removed{}
		h.Store.Observe(log)
		h.Want("SET gone 1 PX 1", ok)
		h.Want("SET kept 2", ok)
		h.Advance(time.Second)
		source := "for _, key in ipairs(KEYS) do redis.call('get', key) end redis.call('get', " + last + ")"
		send(h.Client, "EVAL", source, 2, "gone", "kept")
		require.Equal(t, []string{"gone"}, log.keys, last)
		h.Want("GET kept", "2")
	}
}
