package commands

import (
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// invalidated is the message that keys are no longer what they were; all of them
// without any.
func invalidated(keys ...any) resptest.Push {
	if keys == nil {
		return resptest.Push{"invalidate", resptest.Nil3}
	}
	return resptest.Push{"invalidate", keys}
}

// told takes the messages that were pushed to the client since it was last asked.
func (c *testClient) told() []any {
	told := c.pushes
	c.pushes = nil
	return told
}

// all runs a command and returns everything that it brings: its reply, and what is
// pushed to the client itself.
func (c *testClient) all(line string) (replies []any) {
	c.t.Helper()
	c.send(resptest.Command(c.split([]any{line})...))
	for out := c.session.Output(); len(out) > 0; {
		reply, n, err := resptest.Parse(out)
		require.NoError(c.t, err)
		replies = append(replies, reply)
		out = out[n:]
	}
	c.session.Sent()
	return replies
}

// trackers are a client that tracks with some options, in RESP3, and another one.
func trackers(t *testing.T, options string) (h *harness, tracker, other *testClient) {
	h = newHarness(t)
	tracker, other = h.client(t), h.client(t)
	tracker.do("HELLO 3")
	tracker.want("CLIENT TRACKING ON "+options, ok)
	return h, tracker, other
}

func TestClientTracking(t *testing.T) {
	_, tracker, other := trackers(t, "")
	tracker.do("GET a")
	tracker.do("MGET b c")
	other.do("INCR unread")
	require.Empty(t, tracker.told())
	other.do("INCR a")
	other.do("INCR a")
	require.Equal(t, []any{invalidated("a")}, tracker.told(), "told once for each read")
	other.do("MSET c 1 b 2 d 3")
	require.Equal(t, []any{invalidated("c"), invalidated("b")}, tracker.told())

	tracker.do("GET a")
	tracker.want("CLIENT TRACKING OFF", ok)
	other.do("INCR a")
	require.Empty(t, tracker.told())
}

func TestClientTrackingOwnChanges(t *testing.T) {
	_, tracker, _ := trackers(t, "")
	tracker.do("GET a")
	require.Equal(t, []any{int64(1), invalidated("a")}, tracker.all("INCR a"), "after the reply")
	tracker.do("MULTI")
	tracker.do("GET a")
	tracker.do("INCR a")
	require.Equal(t, []any{[]any{"1", int64(2)}, invalidated("a")}, tracker.all("EXEC"))
	tracker.do("MULTI")
	tracker.do("INCR a")
	tracker.do("GET a")
	tracker.do("EXEC")
	require.Equal(t, []any{int64(4), invalidated("a")}, tracker.all("INCR a"), "read after the change inside EXEC")
}

func TestClientTrackingNoLoop(t *testing.T) {
	_, tracker, other := trackers(t, "NOLOOP")
	tracker.do("GET a")
	require.Equal(t, []any{int64(1)}, tracker.all("INCR a"))
	other.do("INCR a")
	require.Empty(t, tracker.told(), "its own change has ended the memory of the read")
	tracker.do("MULTI")
	tracker.do("INCR a")
	tracker.do("GET a")
	tracker.do("EXEC")
	other.do("INCR a")
	require.Equal(t, []any{invalidated("a")}, tracker.told())
}

func TestClientTrackingExpiredKeys(t *testing.T) {
	h, tracker, other := trackers(t, "NOLOOP")
	other.do("SET a 1 PX 100")
	tracker.do("GET a")
	h.advance(time.Second)
	require.Equal(t, []any{resptest.Nil3}, tracker.all("GET a"))
	other.do("INCR a")
	require.Equal(t, []any{invalidated("a")}, tracker.told(), "the key's absence was remembered, after its end")
	other.do("SET a 1 PX 100")
	tracker.do("GET a")
	h.advance(time.Second)
	h.do("GET a")
	require.Equal(t, []any{invalidated("a")}, tracker.told())
}

func TestClientTrackingFlush(t *testing.T) {
	_, tracker, other := trackers(t, "")
	tracker.do("GET a")
	other.do("FLUSHALL")
	require.Equal(t, []any{invalidated()}, tracker.told())
	other.do("INCR a")
	require.Empty(t, tracker.told())
	require.Equal(t, []any{ok, invalidated()}, tracker.all("FLUSHDB"))
	other.do("SWAPDB 0 1")
	require.Equal(t, []any{invalidated()}, tracker.told())
}

// How rueidis reads through its cache: one write of CLIENT CACHING YES, MULTI, PTTL,
// GET, EXEC.
func TestClientTrackingOptIn(t *testing.T) {
	_, tracker, other := trackers(t, "OPTIN")
	tracker.do("GET a")
	tracker.want("CLIENT CACHING YES", ok)
	tracker.do("GET b")
	tracker.do("GET c")
	tracker.want("CLIENT CACHING YES", ok)
	tracker.do("MULTI")
	tracker.do("PTTL d")
	tracker.do("GET d")
	tracker.do("EXEC")
	tracker.do("GET e")
	for _, key := range []string{"a", "b", "c", "d", "e"} {
		other.do("SET " + key + " 1")
	}
	require.Equal(t, []any{invalidated("b"), invalidated("d")}, tracker.told())
	tracker.want("CLIENT CACHING NO", errCachingNo)
	tracker.want("CLIENT CACHING MAYBE", errSyntax)
}

func TestClientTrackingOptOut(t *testing.T) {
	_, tracker, other := trackers(t, "OPTOUT")
	tracker.do("GET a")
	tracker.want("CLIENT CACHING NO", ok)
	tracker.do("GET b")
	tracker.do("GET c")
	other.do("MSET a 1 b 1 c 1")
	require.Equal(t, []any{invalidated("a"), invalidated("c")}, tracker.told())
	tracker.want("CLIENT CACHING YES", errCachingYes)
}

func TestClientTrackingBroadcast(t *testing.T) {
	_, tracker, other := trackers(t, "BCAST PREFIX user: PREFIX item:")
	other.do("MULTI")
	other.do("MSET user:2 1 user:1 1 other 1")
	other.do("INCR item:1")
	other.do("INCR user:1")
	other.do("EXEC")
	require.Equal(t, []any{invalidated("item:1"), invalidated("user:1", "user:2")}, tracker.told())
	require.Equal(t, []any{int64(2), invalidated("item:1")}, tracker.all("INCR item:1"))
	tracker.want("CLIENT TRACKING ON BCAST PREFIX user:1", Error("ERR Prefix 'user:1' overlaps with an existing prefix 'user:'. Prefixes for a single client must not overlap."))
	tracker.want("CLIENT TRACKING ON BCAST PREFIX x PREFIX y PREFIX ya", Error("ERR Prefix 'y' overlaps with another provided prefix 'ya'. Prefixes for a single client must not overlap."))
	tracker.want("CLIENT TRACKING ON BCAST PREFIX other NOLOOP", ok)
	require.Equal(t, []any{int64(2)}, tracker.all("INCR other"))
	other.do("INCR other")
	require.Equal(t, []any{invalidated("other")}, tracker.told())
	tracker.want("CLIENT TRACKING OFF", ok)
	other.do("INCR other")
	require.Empty(t, tracker.told())
	tracker.want("CLIENT TRACKING ON BCAST", ok)
	other.do("INCR any")
	require.Equal(t, []any{invalidated("any")}, tracker.told())
}

func TestClientTrackingRedirect(t *testing.T) {
	h := newHarness(t)
	target, other := h.client(t), h.client(t)
	target.do("HELLO 3")
	h.want("CLIENT TRACKING ON REDIRECT 2", ok)
	h.want("CLIENT GETREDIR", 2)
	h.do("GET a")
	require.Equal(t, []any{int64(1)}, h.all("INCR a"))
	require.Equal(t, []any{invalidated("a")}, target.told())
	h.do("HELLO 3")
	h.do("GET a")
	target.state.Closed()
	other.do("INCR a")
	require.Equal(t, []any{resptest.Push{"tracking-redir-broken", int64(2)}}, h.told())
	require.Contains(t, h.do("CLIENT INFO").(resptest.Verbatim).Text, " flags=tR ")
	h.want("CLIENT TRACKING ON REDIRECT 2", errRedirectGone)
	h.want("CLIENT TRACKING OFF", ok)
	h.want("CLIENT GETREDIR", -1)
}

func TestClientTrackingErrors(t *testing.T) {
	h := newHarness(t)
	h.want("CLIENT TRACKING ON REDIRECT 1 REDIRECT 1", errRedirectTwice)
	h.want("CLIENT TRACKING ON REDIRECT x", errNotInteger)
	h.want("CLIENT TRACKING ON REDIRECT 99", errRedirectGone)
	h.want("CLIENT TRACKING ON REDIRECT", errSyntax)
	h.want("CLIENT TRACKING MAYBE", errSyntax)
	h.want("CLIENT TRACKING ON PREFIX a", errPrefixBcast)
	h.want("CLIENT TRACKING ON BCAST OPTIN", errOptBcast)
	h.want("CLIENT TRACKING ON OPTIN OPTOUT", errOptBoth)
	h.want("CLIENT CACHING YES", errCachingOff)
	h.want("CLIENT TRACKINGINFO", []any{"flags", []any{"off"}, "redirect", -1, "prefixes", []any{}})
	h.want("CLIENT TRACKING ON OPTIN", ok)
	h.want("CLIENT TRACKING ON OPTOUT", errSwitchOpt)
	h.want("CLIENT TRACKING ON BCAST", errSwitchBcast)
	h.want("CLIENT TRACKINGINFO", []any{"flags", []any{"on", "optin"}, "redirect", 0, "prefixes", []any{}})
	h.do("CLIENT CACHING YES")
	h.want("CLIENT TRACKINGINFO", []any{"flags", []any{"on", "optin", "caching-yes"}, "redirect", 0, "prefixes", []any{}})
	require.Contains(t, h.do("CLIENT INFO"), " flags=t ")
	h.do("RESET")
	h.want("CLIENT TRACKING ON BCAST PREFIX b PREFIX a NOLOOP", ok)
	h.want("CLIENT TRACKINGINFO", []any{"flags", []any{"on", "bcast", "noloop"}, "redirect", 0, "prefixes", []any{"a", "b"}})
	h.do("HELLO 3")
	h.want("CLIENT TRACKINGINFO", resptest.Map{{Key: "flags", Value: resptest.Set{"on", "bcast", "noloop"}}, {Key: "redirect", Value: int64(0)},
		{Key: "prefixes", Value: []any{"a", "b"}}})
}

func TestClientTrackingTableIsBounded(t *testing.T) {
	h, tracker, other := trackers(t, "NOLOOP")
	tracker.do("MGET a b c")
	other.do("CONFIG SET tracking-table-max-keys 2")
	require.Equal(t, []any{invalidated("a")}, tracker.told(), "the longest remembered goes")
	tracker.do("MGET d e")
	require.Equal(t, []any{invalidated("b"), invalidated("c")}, tracker.told(), "by the client's own command, NOLOOP or not")
	require.EqualValues(t, 2, h.server.tracking.size.Load())
}

func TestTrackingForgetsClientsThatAreGone(t *testing.T) {
	h, stays, _ := trackers(t, "")
	for range 1000 {
		c := h.client(t)
		c.do("HELLO 3")
		c.do("CLIENT TRACKING ON")
		c.do("GET hot")
		c.state.Closed()
	}
	require.LessOrEqual(t, h.server.tracking.items, 8)
	require.EqualValues(t, 1, h.server.tracking.size.Load())
	stays.do("CLIENT TRACKING OFF")
	require.Zero(t, h.server.tracking.items)
	require.Zero(t, h.server.tracking.size.Load())
	require.Zero(t, h.server.tracking.on.Load())
}
