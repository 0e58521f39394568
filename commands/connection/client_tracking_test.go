package connection

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/resp"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// invalidated is the message that keys have changed. Without names it means all keys.
func invalidated(keys ...any) resptest.Push {
	if keys == nil {
		return resptest.Push{"invalidate", resptest.Nil3}
	}
	return resptest.Push{"invalidate", keys}
}

// trackers returns a RESP3 client that tracks with some options, and another client.
func trackers(t *testing.T, options string) (h *servertest.Harness, tracker, other *servertest.Client) {
	h = servertest.New(t)
	tracker, other = h.NewClient(t), h.NewClient(t)
	tracker.Do("HELLO 3")
	tracker.Want("CLIENT TRACKING ON "+options, ok)
	return h, tracker, other
}

func TestClientTracking(t *testing.T) {
	_, tracker, other := trackers(t, "")
	tracker.Do("GET a")
	tracker.Do("MGET b c")
	other.Do("INCR unread")
	require.Empty(t, tracker.TakePushes())
	other.Do("INCR a")
	other.Do("INCR a")
	require.Equal(t, []any{invalidated("a")}, tracker.TakePushes(), "told once for each read")
	other.Do("MSET c 1 b 2 d 3")
	require.Equal(t, []any{invalidated("c"), invalidated("b")}, tracker.TakePushes())

	tracker.Do("GET a")
	tracker.Want("CLIENT TRACKING OFF", ok)
	other.Do("INCR a")
	require.Empty(t, tracker.TakePushes())
}

// TestClientTrackingOfRenamedKeys: a rename changes two keys.
func TestClientTrackingOfRenamedKeys(t *testing.T) {
	_, tracker, other := trackers(t, "")
	other.Do("MSET a 1 b 2")
	tracker.Do("MGET a b")
	other.Want("RENAME a b", ok)
	require.Equal(t, []any{invalidated("a"), invalidated("b")}, tracker.TakePushes())
	tracker.Do("GET b")
	other.Want("MOVE b 1", 1)
	require.Equal(t, []any{invalidated("b")}, tracker.TakePushes())

	_, tracker, other = trackers(t, "BCAST")
	other.Do("SET a 1")
	require.Equal(t, []any{invalidated("a")}, tracker.TakePushes())
	other.Want("RENAME a b", ok)
	require.Equal(t, []any{invalidated("a", "b")}, tracker.TakePushes())
}

func TestClientTrackingOwnChanges(t *testing.T) {
	_, tracker, _ := trackers(t, "")
	tracker.Do("GET a")
	require.Equal(t, []any{int64(1), invalidated("a")}, tracker.All("INCR a"), "after the reply")
	tracker.Do("MULTI")
	tracker.Do("GET a")
	tracker.Do("INCR a")
	require.Equal(t, []any{[]any{"1", int64(2)}, invalidated("a")}, tracker.All("EXEC"))
	tracker.Do("MULTI")
	tracker.Do("INCR a")
	tracker.Do("GET a")
	tracker.Do("EXEC")
	require.Equal(t, []any{int64(4), invalidated("a")}, tracker.All("INCR a"), "read after the change inside EXEC")
}

func TestClientTrackingNoLoop(t *testing.T) {
	_, tracker, other := trackers(t, "NOLOOP")
	tracker.Do("GET a")
	require.Equal(t, []any{int64(1)}, tracker.All("INCR a"))
	other.Do("INCR a")
	require.Empty(t, tracker.TakePushes(), "its own change has ended the memory of the read")
	tracker.Do("MULTI")
	tracker.Do("INCR a")
	tracker.Do("GET a")
	tracker.Do("EXEC")
	other.Do("INCR a")
	require.Equal(t, []any{invalidated("a")}, tracker.TakePushes())
}

func TestClientTrackingExpiredKeys(t *testing.T) {
	h, tracker, other := trackers(t, "NOLOOP")
	other.Do("SET a 1 PX 100")
	tracker.Do("GET a")
	h.Advance(time.Second)
	require.Equal(t, []any{resptest.Nil3}, tracker.All("GET a"))
	other.Do("INCR a")
	require.Equal(t, []any{invalidated("a")}, tracker.TakePushes(), "the key's absence was remembered, after its end")
	other.Do("SET a 1 PX 100")
	tracker.Do("GET a")
	h.Advance(time.Second)
	h.Do("GET a")
	require.Equal(t, []any{invalidated("a")}, tracker.TakePushes())
}

// TestBroadcastOfExpiredKeys: NOLOOP leaves out what the client has changed. A key that had expired when it came is
// no such change.
func TestBroadcastOfExpiredKeys(t *testing.T) {
	h, tracker, other := trackers(t, "BCAST NOLOOP")
	other.Do("MSET a 1 b 2")
	other.Do("PEXPIRE a 100")
	tracker.TakePushes()
	h.Advance(time.Second)
	require.Equal(t, []any{int64(1), invalidated("a")}, tracker.All("DEL a b"))
	other.Do("SET a 1 PX 100")
	tracker.TakePushes()
	h.Advance(time.Second)
	require.Equal(t, []any{ok}, tracker.All("MSET a 1 b 2"), "it has the new value")
}

func TestClientTrackingFlush(t *testing.T) {
	_, tracker, other := trackers(t, "")
	tracker.Do("GET a")
	other.Do("FLUSHALL")
	require.Equal(t, []any{invalidated()}, tracker.TakePushes())
	other.Do("INCR a")
	require.Empty(t, tracker.TakePushes())
	require.Equal(t, []any{ok, invalidated()}, tracker.All("FLUSHDB"))
	other.Do("SWAPDB 0 1")
	require.Equal(t, []any{invalidated()}, tracker.TakePushes())
}

// TestClientTrackingOptIn sends the commands of a cached read of rueidis: CLIENT CACHING YES,
// MULTI, PTTL, GET, EXEC in one write.
func TestClientTrackingOptIn(t *testing.T) {
	_, tracker, other := trackers(t, "OPTIN")
	tracker.Do("GET a")
	tracker.Want("CLIENT CACHING YES", ok)
	tracker.Do("GET b")
	tracker.Do("GET c")
	tracker.Want("CLIENT CACHING YES", ok)
	tracker.Do("MULTI")
	tracker.Do("PTTL d")
	tracker.Do("GET d")
	tracker.Do("EXEC")
	tracker.Do("GET e")
	for _, key := range []string{"a", "b", "c", "d", "e"} {
		other.Do("SET " + key + " 1")
	}
	require.Equal(t, []any{invalidated("b"), invalidated("d")}, tracker.TakePushes())
	tracker.Want("CLIENT CACHING NO", errCachingNo)
	tracker.Want("CLIENT CACHING MAYBE", commands.ErrSyntax)
}

func TestClientTrackingOptOut(t *testing.T) {
	_, tracker, other := trackers(t, "OPTOUT")
	tracker.Do("GET a")
	tracker.Want("CLIENT CACHING NO", ok)
	tracker.Do("GET b")
	tracker.Do("GET c")
	other.Do("MSET a 1 b 1 c 1")
	require.Equal(t, []any{invalidated("a"), invalidated("c")}, tracker.TakePushes())
	tracker.Want("CLIENT CACHING YES", errCachingYes)
}

func TestClientTrackingBroadcast(t *testing.T) {
	_, tracker, other := trackers(t, "BCAST PREFIX user: PREFIX item:")
	other.Do("MULTI")
	other.Do("MSET user:2 1 user:1 1 other 1")
	other.Do("INCR item:1")
	other.Do("INCR user:1")
	other.Do("EXEC")
	require.Equal(t, []any{invalidated("item:1"), invalidated("user:1", "user:2")}, tracker.TakePushes())
	require.Equal(t, []any{int64(2), invalidated("item:1")}, tracker.All("INCR item:1"))
	tracker.Want("CLIENT TRACKING ON BCAST PREFIX user:1", commands.Error("ERR Prefix 'user:1' overlaps with an existing prefix 'user:'. Prefixes for a single client must not overlap."))
	tracker.Want("CLIENT TRACKING ON BCAST PREFIX x PREFIX y PREFIX ya", commands.Error("ERR Prefix 'y' overlaps with another provided prefix 'ya'. Prefixes for a single client must not overlap."))
	tracker.Want("CLIENT TRACKING ON BCAST PREFIX other NOLOOP", ok)
	require.Equal(t, []any{int64(2)}, tracker.All("INCR other"))
	other.Do("INCR other")
	require.Equal(t, []any{invalidated("other")}, tracker.TakePushes())
	tracker.Want("CLIENT TRACKING OFF", ok)
	other.Do("INCR other")
	require.Empty(t, tracker.TakePushes())
	tracker.Want("CLIENT TRACKING ON BCAST", ok)
	other.Do("INCR any")
	require.Equal(t, []any{invalidated("any")}, tracker.TakePushes())
}

func TestClientTrackingRedirect(t *testing.T) {
	h := servertest.New(t)
	target, other := h.NewClient(t), h.NewClient(t)
	target.Do("HELLO 3")
	h.Want("CLIENT TRACKING ON REDIRECT 2", ok)
	h.Want("CLIENT GETREDIR", 2)
	h.Do("GET a")
	require.Equal(t, []any{int64(1)}, h.All("INCR a"))
	require.Equal(t, []any{invalidated("a")}, target.TakePushes())
	h.Do("HELLO 3")
	h.Do("GET a")
	target.State.Closed()
	other.Do("INCR a")
	require.Equal(t, []any{resptest.Push{"tracking-redir-broken", int64(2)}}, h.TakePushes())
	require.Contains(t, h.Do("CLIENT INFO").(resptest.Verbatim).Text, " flags=tR ")
	h.Want("CLIENT TRACKING ON REDIRECT 2", errRedirectGone)
	h.Want("CLIENT TRACKING OFF", ok)
	h.Want("CLIENT GETREDIR", -1)
}

func TestClientTrackingErrors(t *testing.T) {
	h := servertest.New(t)
	h.Want("CLIENT TRACKING ON REDIRECT 1 REDIRECT 1", errRedirectTwice)
	h.Want("CLIENT TRACKING ON REDIRECT x", commands.ErrNotInteger)
	h.Want("CLIENT TRACKING ON REDIRECT 99", errRedirectGone)
	h.Want("CLIENT TRACKING ON REDIRECT", commands.ErrSyntax)
	h.Want("CLIENT TRACKING MAYBE", commands.ErrSyntax)
	h.Want("CLIENT TRACKING ON PREFIX a", errPrefixBcast)
	h.Want("CLIENT TRACKING ON BCAST OPTIN", errOptBcast)
	h.Want("CLIENT TRACKING ON OPTIN OPTOUT", errOptBoth)
	h.Want("CLIENT CACHING YES", errCachingOff)
	h.Want("CLIENT TRACKINGINFO", []any{"flags", []any{"off"}, "redirect", -1, "prefixes", []any{}})
	h.Want("CLIENT TRACKING ON OPTIN", ok)
	h.Want("CLIENT TRACKING ON OPTOUT", errSwitchOpt)
	h.Want("CLIENT TRACKING ON BCAST", errSwitchBcast)
	h.Want("CLIENT TRACKINGINFO", []any{"flags", []any{"on", "optin"}, "redirect", 0, "prefixes", []any{}})
	h.Do("CLIENT CACHING YES")
	h.Want("CLIENT TRACKINGINFO", []any{"flags", []any{"on", "optin", "caching-yes"}, "redirect", 0, "prefixes", []any{}})
	require.Contains(t, h.Do("CLIENT INFO"), " flags=t ")
	h.Do("RESET")
	h.Want("CLIENT TRACKING ON BCAST PREFIX b PREFIX a NOLOOP", ok)
	h.Want("CLIENT TRACKINGINFO", []any{"flags", []any{"on", "bcast", "noloop"}, "redirect", 0, "prefixes", []any{"a", "b"}})
	h.Do("HELLO 3")
	h.Want("CLIENT TRACKINGINFO", resptest.Map{{Key: "flags", Value: resptest.Set{"on", "bcast", "noloop"}}, {Key: "redirect", Value: int64(0)},
		{Key: "prefixes", Value: []any{"a", "b"}}})
}

func TestClientTrackingTableIsBounded(t *testing.T) {
	h, tracker, other := trackers(t, "NOLOOP")
	tracker.Do("MGET a b c")
	other.Do("CONFIG SET tracking-table-max-keys 2")
	require.Equal(t, []any{invalidated("a")}, tracker.TakePushes(), "the longest remembered goes")
	tracker.Do("MGET d e")
	require.Equal(t, []any{invalidated("b"), invalidated("c")}, tracker.TakePushes(), "by the client's own command, NOLOOP or not")
	require.EqualValues(t, 2, number(t, h, "tracking_total_keys"))
}

// TestTrackingPrefixesAreBounded: a client keeps no more prefixes than client-query-buffer-limit allows.
func TestTrackingPrefixesAreBounded(t *testing.T) {
	h := servertest.New(t, "--client-query-buffer-limit", "1mb")
	prefix, sent := make([]byte, 100_000), 0
	for ; h.Status == resp.Continue && sent < 20; sent++ {
		prefix[0] = byte(sent)
		h.Send(resptest.Command("CLIENT", "TRACKING", "ON", "BCAST", "PREFIX", prefix))
		h.Session.Sent()
	}
	require.Equal(t, resp.Close, h.Status)
	require.Equal(t, 1<<20/(len(prefix)+128)+1, sent)

	h = servertest.New(t, "--client-query-buffer-limit", "1mb")
	for prefix[0] = 0; prefix[0] < 10; prefix[0]++ {
		h.Send(resptest.Command("CLIENT", "TRACKING", "ON", "BCAST", "PREFIX", prefix))
		h.Session.Sent()
	}
	h.Want("MULTI", ok)
	h.Send(resptest.Command("CLIENT", "TRACKING", "ON", "BCAST", "PREFIX", prefix))
	h.Session.Sent()
	h.Send(resptest.Command("EXEC"))
	require.Equal(t, "*1\r\n+OK\r\n", string(h.Session.Output()), "a reply of each command")
	require.Equal(t, resp.Close, h.Status)
}

func TestTrackingForgetsDisconnectedClients(t *testing.T) {
	h, stays, _ := trackers(t, "")
	for range 1000 {
		c := h.NewClient(t)
		c.Do("HELLO 3")
		c.Do("CLIENT TRACKING ON")
		c.Do("GET hot")
		c.State.Closed()
	}
	require.LessOrEqual(t, number(t, h, "tracking_total_items"), 8)
	require.EqualValues(t, 1, number(t, h, "tracking_total_keys"))
	stays.Do("CLIENT TRACKING OFF")
	require.Zero(t, number(t, h, "tracking_total_items"))
	require.Zero(t, number(t, h, "tracking_total_keys"))
	require.Zero(t, number(t, h, "tracking_clients"))
}

// number returns a field of INFO as a number.
func number(t *testing.T, h *servertest.Harness, field string) int {
	t.Helper()
	n, err := strconv.Atoi(h.Info("all")[field])
	require.NoError(t, err)
	return n
}

// TestOverlapsAreThoseOfAllPairs compares checkOverlap with a check of all pairs, in the order of
// Redis.
func TestOverlapsAreThoseOfAllPairs(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	some := func(n int) (all []string) {
		for range random.IntN(n) {
			all = append(all, []string{"", "a", "ab", "abc", "b", "ba", "c", "ca", "cb", "dd", "de", "f"}[random.IntN(12)])
		}
		return all
	}
	pairs := func(inForce, prefixes []string) error {
		for i, p := range prefixes {
			for _, old := range inForce {
				if overlaps(p, old) {
					return overlapError(p, "an existing", old)
				}
			}
			for _, q := range prefixes[i+1:] {
				if overlaps(p, q) {
					return overlapError(p, "another provided", q)
				}
			}
		}
		return nil
	}
	for range 50_000 {
		inForce, prefixes := some(4), some(4)
		if checkOverlap(&commands.Tracking{}, slices.DeleteFunc(slices.Clone(inForce), func(p string) bool { return p == "" })) != nil {
			continue // the prefixes in force overlap with the empty one only
		}
		slices.Sort(inForce)
		inForce = slices.Compact(inForce)
		tracking := commands.Tracking{TrackingOptions: commands.TrackingOptions{Prefixes: inForce}}
		require.Equal(t, pairs(inForce, prefixes), checkOverlap(&tracking, prefixes), "%q %q", inForce, prefixes)
	}
}
