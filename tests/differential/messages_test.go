package differential

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// messageStories are what a client in RESP3 waits with, and what another one then sends in one write. Both cache the
// lists from and to, and the first one is subscribed to news.
var messageStories = []struct{ waits, brings string }{
	{"BLMOVE from to LEFT LEFT 0", "RPUSH from a"},
	{"BRPOPLPUSH from to 0", "RPUSH from a b"},
	{"BLPOP from to 0", "RPUSH from a"},
	{"BLMPOP 0 2 from to LEFT", "LPUSH to a"},
	{"BLMOVE from to LEFT LEFT 0", "MULTI; RPUSH from a; RPUSH to b; EXEC"},
	{"BLMOVE from to LEFT LEFT 0", "PUBLISH news 1; RPUSH from a; PUBLISH news 2; DEL to"},
	{"BLMOVE from to LEFT LEFT 0", "MULTI; PUBLISH news 1; RPUSH from a; EXEC; PUBLISH news 2"},
}

// TestMessagesOfClientsThatWait: a client that waits gets the messages of Redis, in the same places beside its reply. The
// client that serves it gets them, too. It may get a message of the other one's change only after its whole batch.
func TestMessagesOfClientsThatWait(t *testing.T) {
	redis, ours := startRedis(t, false), startOurs(t)
	for _, story := range messageStories {
		for _, tracking := range []string{"CLIENT TRACKING on", "CLIENT TRACKING on NOLOOP"} {
			for range 5 { // the order must not depend on chance
				waits, brings := tellStory(t, redis, tracking, story.waits, story.brings)
				oursWaits, oursBrings := tellStory(t, ours, tracking, story.waits, story.brings)
				require.Equal(t, waits, oursWaits, "%s: %s, waits: %s", tracking, story.brings, story.waits)
				require.Equal(t, brings, oursBrings, "%s: %s, waits: %s", tracking, story.brings, story.waits)
			}
		}
	}
}

// tellStory returns all that the two clients of a story get.
func tellStory(t *testing.T, p *peer, tracking, wait, bring string) (waits, brings []string) {
	one, other := dialed(t, p), dialed(t, p)
	_, err := p.admin.do("FLUSHALL")
	require.NoError(t, err)
	for _, w := range []*wire{one, other} {
		for _, command := range []string{"HELLO 3", tracking, "LRANGE from 0 -1", "LRANGE to 0 -1"} {
			_, err := w.do(strings.Fields(command)...)
			require.NoError(t, err)
		}
	}
	require.NoError(t, one.send([]string{"SUBSCRIBE", "news"}))
	require.NoError(t, one.send(strings.Fields(wait)))
	require.Eventually(t, func() bool {
		info, err := p.admin.do("INFO", "clients")
		require.NoError(t, err)
		return strings.Contains(info.text, "blocked_clients:1\r\n")
	}, time.Minute, time.Millisecond)
	var commands strings.Builder // in the inline form
	for command := range strings.SplitSeq(bring, "; ") {
		commands.WriteString(command + "\r\n")
	}
	_, err = other.conn.Write([]byte(commands.String()))
	require.NoError(t, err)
	var messages []string
	for range strings.Count(commands.String(), "\n") {
		r := readReply(t, other, &messages)
		brings = append(brings, r.String())
	}
	return untilEnd(t, one), append(append(brings, messages...), untilEnd(t, other)...)
}

func dialed(t *testing.T, p *peer) *wire {
	w, err := dial(p.addr)
	require.NoError(t, err)
	t.Cleanup(func() { w.conn.Close() })
	return w
}

// untilEnd returns the replies and messages up to the reply of a last command, without it.
func untilEnd(t *testing.T, w *wire) (all []string) {
	require.NoError(t, w.send([]string{"ECHO", "the end"}))
	for {
		r := readReply(t, w, &all)
		if r.text == "the end" {
			return all
		}
		all = append(all, r.String())
	}
}

// readReply returns the next reply. It adds the messages before it to messages.
func readReply(t *testing.T, w *wire, messages *[]string) reply {
	require.NoError(t, w.conn.SetReadDeadline(time.Now().Add(replyTimeout)))
	for {
		r, err := w.read()
		require.NoError(t, err)
		if r.kind != '>' {
			return r
		}
		*messages = append(*messages, r.String())
	}
}
