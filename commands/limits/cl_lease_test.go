package limits

import (
	"fmt"
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/internal/rediserr"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// leaseEpoch is the time at which the stories of leases begin, 20 s into a minute. leaseMicros is the same
// time as CL.LEASE replies it.
const (
	leaseEpoch  = 1_790_000_000_000_000_000
	leaseMicros = leaseEpoch / 1000
)

func leaseHarness(t *testing.T) *servertest.Harness {
	h := servertest.New(t)
	h.At(leaseEpoch)
	return h
}

// TestClLease: each limit counts units at the grant, as if all were spent at the end of the lease.
func TestClLease(t *testing.T) {
	h := leaseHarness(t)
	const at = leaseMicros
	h.Want("CL.LEASE 10 1000 CL.THROTTLE k 15 30 60", []any{10, 16, 5, -1, 21000, 1000, at})
	h.Want("CL.LEASE 10 1000 CL.THROTTLE k 15 30 60", []any{5, 16, 0, 1000, 31000, 1000, at})
	h.Want("CL.LEASE 10 1000 CL.THROTTLE k 15 30 60", []any{0, 16, 0, 1000, 31000, 1000, at})
	h.Want("CL.LEASE 0 1000 CL.THROTTLE k 15 30 60", []any{0, 16, 0, -1, 31000, 1000, at})
	h.Want("CL.THROTTLE k 15 30 60", []any{1, 16, 0, 1, 31})
	h.Want("GET k", "1790000031000000000")

	h.Want("CL.LEASE 3 60000 gcra g 4 1 1", []any{3, 5, 1, -1, 4000, 1000, at}) // one second at most
	h.Want("CL.LEASE 3 60000 THROTTLE t 5 1 0.1", []any{3, 5, 0, -1, 425, 125, at})
	h.Want("CL.LEASE 3 60000 CL.THROTTLE one 0 1 60", []any{0, 1, 1, -1, 0, 1000, at}) // it would never leave a unit

	h.Want("CL.LEASE 60 60000 CL.WINDOW w 100 60", []any{60, 100, 40, -1, 60000, 15000, at})
	h.Want("CL.LEASE 60 60000 CL.WINDOW w 100 60", []any{40, 100, 0, 60000, 60000, 15000, at})
	h.Want("CL.LEASE 60 60000 CL.WINDOW w 100 60", []any{0, 100, 0, 60000, 60000, 15000, at})
	h.Advance(55 * time.Second)
	h.Want("CL.LEASE 1 60000 CL.WINDOW w 100 60", []any{0, 100, 0, 5000, 5000, 5000, at + 55_000_000}) // it ends with the window
	h.At(leaseEpoch)
	h.Want("CL.LEASE 1 20000 CL.WINDOW a 100 60 ALIGN", []any{1, 100, 99, -1, 40000, 15000, at})
	h.Want("CL.LEASE 1 60000 CL.WINDOW d 100 0 ALIGN day", []any{1, 100, 99, -1, 35200_000, 60000, at})
	h.Want("CL.LEASE 7 60000 CL.SLIDING s 10 60", []any{7, 10, 3, -1, 91429, 15000, at})
	h.Want("CL.LEASE 7 60000 CL.SLIDING s 10 60", []any{3, 10, 0, 40001, 94001, 15000, at})
	h.Want("CL.LEASE 7 60000 CL.LOG l 10 60", []any{7, 10, 3, -1, 63000, 3000, at})
	h.Want("ZRANGE l 0 -1 WITHSCORES", []any{"1790000003000000000x7", "1790000003000000"})
	h.Want("CL.LOG l 10 60 3", []any{0, 10, 0, -1, 63})
	h.Want("CL.LEASE 7 60000 CL.LOG l 10 60", []any{0, 10, 0, 60000, 63000, 3000, at})
	h.Advance(60 * time.Second)
	h.Want("CL.LOG l 10 60 4", []any{1, 10, 3, 3, 3}) // the lease counts from its end on
	h.Advance(3 * time.Second)
	h.Want("CL.LOG l 10 60 4", []any{0, 10, 6, -1, 60})
}

// TestLeaseBehindALease: equal actions of one moment count, also behind the later entry of a lease.
func TestLeaseBehindALease(t *testing.T) {
	h := leaseHarness(t)
	for range 3 {
		h.Do("CL.LEASE 2 1000 CL.LOG l 20 60")
		h.Do("CL.LOG l 20 60 2")
	}
	h.Want("CL.LOG l 20 60 0", []any{0, 20, 8, -1, 61})
	h.Want("ZCARD l", 2)
}

// TestLeasesOfOneMoment: units that come back lower one entry, and nothing else is lost.
func TestLeasesOfOneMoment(t *testing.T) {
	for _, n := range [][3]int64{{10, 5, 5}, {12, 6, 6}, {5, 10, 5}} {
		h := leaseHarness(t)
		h.Do(fmt.Sprintf("CL.LEASE %d 1000 CL.LOG k 100 60", n[0]))
		h.Do(fmt.Sprintf("CL.LEASE %d 1000 CL.LOG k 100 60", n[1]))
		left := 100 - n[0] - n[1] + n[2]
		h.Want(fmt.Sprintf("CL.LEASE 0 1 BACK %d %d 1000 CL.LOG k 100 60", n[2], int64(leaseMicros)),
			[]any{0, 100, left, -1, 61000, 1, int64(leaseMicros)})
		h.Want("CL.LOG k 100 60 0", []any{0, 100, left, -1, 61})
	}
	h := leaseHarness(t)
	h.Do("CL.RULE SET m CL.LOG 100 60")
	h.Do("CL.LEASE 1 1000 CL.CHECK m u")
	h.Do("CL.RESERVE m u 10 a 60")
	h.Do("CL.RESERVE m u 5 b 60")
	h.Want("CL.SETTLE m u b 0", []any{0, 100, 89, -1, 61})
	h.Want("CL.CHECK m u 0", []any{0, 100, 89, -1, 61})
}

// TestLeasesKeepALogShort: while a lease is out, requests still share entries, and so do charges and leases.
func TestLeasesKeepALogShort(t *testing.T) {
	h := leaseHarness(t)
	for range 200 {
		h.Do("CL.LEASE 1 60000 CL.LOG big 1000000 3600 RESOLUTION 36")
		for range 20 {
			h.Advance(time.Second / 10)
			h.Do("CL.LOG big 1000000 3600 RESOLUTION 36")
		}
	}
	h.Want("CL.LOG big 1000000 3600 0 RESOLUTION 36", []any{0, 1000000, 995800, -1, 3658})
	require.LessOrEqual(t, h.Do("ZCARD big"), int64(2*100+6))
	h.Do("CL.RULE SET s CL.LOG 100 60")
	h.Do("CL.LEASE 1 60000 CL.CHECK s v")
	for range 1500 {
		h.Advance(time.Millisecond)
		h.Do("CL.CHECK s v 1 CHARGE")
	}
	h.Want("ZCARD s:{v}:log", 1000) // slidinglog.ChargedEntries
}

// TestLeaseBack: what is left of a lease comes back.
func TestLeaseBack(t *testing.T) {
	h := leaseHarness(t)
	const at = leaseMicros
	h.Do("CL.LEASE 10 1000 CL.THROTTLE k 15 30 60")
	back := fmt.Sprint("CL.LEASE 0 1000 BACK 4 ", at, " 1000 ")
	h.Want(back+"CL.THROTTLE k 15 30 60", []any{0, 16, 9, -1, 13000, 1000, at})
	h.Advance(900 * time.Millisecond) // of the 8 s of 4 units 0.9 s may have come back
	h.Want(back+"CL.THROTTLE k 15 30 60", []any{0, 16, 13, -1, 5000, 1000, at + 900_000})
	h.Want(fmt.Sprint("CL.LEASE 0 1000 BACK 1 ", at, " 500 CL.THROTTLE k 15 30 60"), []any{0, 16, 13, -1, 4400, 1000, at + 900_000}) // others may hold longer leases
	h.Want("CL.LEASE 0 1000 BACK 9 1790000001000000 1000 CL.THROTTLE k 15 30 60", []any{0, 16, 13, -1, 4400, 1000, at + 900_000})    // of the future
	h.Advance(61 * time.Second)
	h.Do("CL.THROTTLE k 15 30 60 10")
	h.Want(back+"CL.THROTTLE k 15 30 60", []any{0, 16, 6, -1, 20000, 1000, at + 61_900_000}) // over a minute old

	for _, limit := range []string{"CL.WINDOW w%d 100 60", "CL.WINDOW w%d 100 60 ALIGN", "CL.SLIDING w%d 100 60", "CL.LOG w%d 100 60"} {
		h.At(leaseEpoch)
		name := fmt.Sprintf(limit, len(limit))
		h.Do("CL.LEASE 10 1000 " + name)
		h.Do(name + " QUANTITY 5")
		h.Advance(500 * time.Millisecond)
		got := h.Do(fmt.Sprint("CL.LEASE 3 1000 BACK 4 ", at, " 1000 ", name))
		require.Contains(t, fmt.Sprint(got), "[3 100 86 ", name)
		h.Advance(59*time.Second + 500*time.Millisecond)
		if limit[3] == 'W' { // the window of the lease has ended
			h.Do(name + " QUANTITY 5")
			got = h.Do(fmt.Sprint("CL.LEASE 0 1000 BACK 4 ", at, " 1000 ", name))
			require.Contains(t, fmt.Sprint(got), "[0 100 95 ", name)
		}
	}
}

// TestLeaseOfARule: a rule grants the least of its limits, and charges all of them or none.
func TestLeaseOfARule(t *testing.T) {
	h := leaseHarness(t)
	h.Want("CL.RULE SET api SCOPE user CL.WINDOW 100 60 AND SCOPE org CL.THROTTLE 15 30 60", ok)
	h.Advance(time.Millisecond)
	const at = leaseMicros + 1000
	h.Want("CL.LEASE 20 60000 CL.CHECK api ann acme", []any{15, 16, 0, 1000, 31000, 1000, at})
	h.Want("CL.CHECK api@org,user acme ann 0", []any{0, 16, 0, -1, 31})
	h.Want("CL.WINDOW api@user:{ann}:window 100 60 0", []any{0, 100, 85, -1, 60})
	h.Want("CL.LEASE 20 60000 CL.CHECK api bob acme", []any{0, 16, 0, 1000, 31000, 1000, at})
	h.Want("EXISTS api@user:{bob}:window", 0)
	back := fmt.Sprint(" BACK 5 ", at, " 1000 ")
	h.Advance(time.Millisecond)
	h.Want("CL.LEASE 2 60000"+back+"CL.CHECK api@org,user acme ann", []any{2, 16, 3, -1, 25000, 1000, at + 1000})
	h.Want("CL.WINDOW api@user:{ann}:window 100 60 0", []any{0, 100, 88, -1, 60})

	h.Advance(time.Millisecond)
	h.Want("CL.RULE RESET api@user ann", 1)
	h.Do("CL.CHECK api ann acme 2")
	h.Want("CL.LEASE 0 60000"+back+"CL.CHECK api ann acme", []any{0, 16, 6, -1, 19001, 1000, at + 2000})
	h.Want("CL.WINDOW api@user:{ann}:window 100 60 0", []any{0, 100, 98, -1, 60}) // the reset has removed the lease

	h.Want("CL.RULE SET api SCOPE user CL.WINDOW 100 60 AND SCOPE org CL.THROTTLE 15 30 60 AND SCOPE org CL.WINDOW 50 60", ok)
	h.Do("CL.CHECK api ann acme 1")
	h.Want("CL.LEASE 0 1000"+back+"CL.CHECK api ann acme", []any{0, 16, 5, -1, 21001, 1000, at + 2000}) // the rule is newer

	h.Want("CL.RULE OVERRIDE api user eve BLOCK", ok)
	h.Want("CL.LEASE 5 1000 CL.CHECK api eve free", []any{0, 0, 0, -1, 0, 1000, at + 2000})
	h.Want("CL.RULE OVERRIDE api user eve ALLOW", ok)
	h.Want("CL.LEASE 5 1000 CL.CHECK api eve free", []any{5, 16, 10, -1, 11000, 1000, at + 2000})
}

// TestLeaseErrors: an error says what may stand there, and writes nothing.
func TestLeaseErrors(t *testing.T) {
	h := leaseHarness(t)
	h.Do("CL.RULE SET shadow CL.WINDOW 1 1 SHADOW")
	h.Do("CL.RULE SET gap CL.THROTTLE 5 1 1 AND CL.LOG 5 60 GAP 1")
	h.Do("CL.RULE SET api CL.THROTTLE 5 1 1")
	h.Do("RPUSH list x")
	h.Do("RPUSH api:{typed}:throttle x")
	before := h.Store.Changes()
	const cannot = " cannot be leased: " +
		"use CL.THROTTLE, CL.WINDOW, CL.SLIDING, CL.LOG, CL.CHECK, GCRA or THROTTLE"
	const noLog = "ERR CL.LOG with GAP or STRICT, or of more than 10000 without RESOLUTION, " +
		"cannot be leased: ask it for each action"
	for line, want := range map[string]string{
		"x 1 CL.WINDOW k 1 1":                      "ERR want 'x' is not an integer or out of range",
		"-1 1 CL.WINDOW k 1 1":                     "ERR want '-1' must be from 0 to 1000000000",
		"1 0 CL.WINDOW k 1 1":                      "ERR ttl '0' must be from 1 to 60000, in milliseconds",
		"1 60001 CL.WINDOW k 1 1":                  "ERR ttl '60001' must be from 1 to 60000, in milliseconds",
		"1 1 BACK 1 1":                             "ERR wrong number of arguments for 'cl.lease' command",
		"1 1 BACK 1 1 1":                           "ERR wrong number of arguments for 'cl.lease' command",
		"1 1 BACK -1 1 1 CL.WINDOW k 1 1":          "ERR n '-1' must be from 0 to 1000000000",
		"1 1 BACK 1 9223372036854775 1 GCRA k 1 1": "ERR at '9223372036854775' must be that of a lease: a Unix time in microseconds",
		"1 1 BACK 1 1 -1 CL.WINDOW k 1 1":          "ERR ends '-1' must be that of a lease: from 0 to 60000 milliseconds",
		"1 1 CL.NONE k":                            "ERR unknown command 'CL.NONE', with args beginning with: 'k' ",
		"1 1 SET k v":                              "ERR SET" + cannot,
		"1 1 CL.LEASE 1 1 CL.WINDOW k 1 1":         "ERR CL.LEASE" + cannot,
		"1 1 CL.PACE k 1 1 1":                      "ERR CL.PACE" + cannot,
		"1 1 CL.THROTTLE k":                        "ERR max_burst is missing in CL.THROTTLE",
		"1 1 CL.THROTTLE k 1 1 1 1":                "ERR syntax error: '1' is a word too much after CL.THROTTLE in a lease",
		"1 1 CL.THROTTLE k 1 1 1 MS":               "ERR syntax error: 'MS' is a word too much after CL.THROTTLE in a lease",
		"1 1 GCRA k 1 1 1 TOKENS 1":                "ERR syntax error: a lease has no TOKENS: the argument want says how many",
		"1 1 CL.LOG k 5 60 GAP 1":                  noLog,
		"1 1 CL.LOG k 5 60 STRICT":                 noLog,
		"1 1 CL.CHECK gap k":                       noLog,
		"1 1 CL.CHECK shadow k":                    "ERR a rule with SHADOW cannot be leased: ask it for each action",
		"1 1 CL.CHECK none k":                      "ERR no such rule: 'none'",
		"1 1 CL.CHECK api k 1":                     "ERR a lease has no quantity and no options: leave out '1'",
		"1 1 CL.CHECK api k PEEK":                  "ERR a lease has no quantity and no options: leave out 'PEEK'",
		"1 1 CL.CHECK api":                         "ERR wrong number of arguments for 'cl.check' command",
		"1 1 CL.WINDOW list 1 1":                   string(rediserr.WrongType),
		"1 1 CL.LOG list 1 1":                      string(rediserr.WrongType),
		"1 1 CL.CHECK api typed":                   string(rediserr.WrongType),
		"1 1 CL.THROTTLE k -1 1 1":                 "ERR max_burst '-1' must not be negative: BLOCK refuses every action",
	} {
		h.Want("CL.LEASE "+line, commands.Error(want))
	}
	require.Equal(t, before, h.Store.Changes())
}

// TestLeaseKeys: the keys of a lease are those of its command, for ACL, slots and clients.
func TestLeaseKeys(t *testing.T) {
	h := leaseHarness(t)
	h.Do("CL.RULE SET two SCOPE user CL.WINDOW 9 60 AND SCOPE org CL.WINDOW 9 60")
	h.Want("COMMAND GETKEYS CL.LEASE 1 1 CL.WINDOW k 1 1", []any{"k"})
	h.Want("COMMAND GETKEYS CL.LEASE 1 1 BACK 1 1 1 CL.CHECK two ann acme", []any{"ann", "acme"})
	h.Want("COMMAND GETKEYS CL.LEASE 1 1 PING x", commands.Error("ERR Invalid arguments specified for command"))
	h.Want("ACL SETUSER ann on nopass ~a* +cl.lease +cl.check +cl.window", ok)
	h.Want("ACL SETUSER bob on nopass ~* +cl.lease", ok)
	const noKey = "NOPERM this user has no permissions to access one of the keys used as arguments"
	c := h.NewClient(t)
	c.Want("AUTH ann x", ok)
	c.Want("CL.LEASE 1 1000 CL.WINDOW b 9 60", commands.Error(noKey))
	c.Want("CL.LEASE 1 1000 CL.CHECK two ann bob", commands.Error(noKey))
	c.Want("CL.LEASE 1 1000 CL.CHECK two@org,user bob ann", commands.Error(noKey))
	c.Want("CL.LEASE 1 1000 CL.THROTTLE a 1 1 1", commands.Error("NOPERM this user has no permissions to run the 'cl.throttle' command"))
	require.Contains(t, fmt.Sprint(c.Do("CL.LEASE 1 1000 CL.CHECK two ann acme")), "[1 9 8 ")
	h.Want("ACL DRYRUN bob CL.LEASE 1 1000 CL.WINDOW b 9 60",
		"This user has no permissions to run the 'cl.window' command")
	h.Want("ACL SETUSER one on nopass ~* +cl.lease +cl.check|two", ok)
	h.Want("ACL DRYRUN one CL.LEASE 1 1000 CL.CHECK two a b", ok)
	h.Want("ACL DRYRUN one CL.LEASE 1 1000 CL.CHECK other a",
		"This user has no permissions to run the 'cl.check' command")
	c.Want("AUTH bob x", ok)
	c.Want("CL.LEASE 1 1000 CL.WINDOW b 9 60", commands.Error("NOPERM this user has no permissions to run the 'cl.window' command"))
}
