package acl_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"cellserver/acl"
	"cellserver/internal/randtest"

	"github.com/stretchr/testify/require"
)

func lines(u *acl.Users) string { return strings.TrimSpace(string(u.File())) }

func TestLoad(t *testing.T) {
	users := acl.New(table)
	alice, err := users.Set("alice", []string{"on", "+@all", "~*", "&*"}, false)
	require.NoError(t, err)
	bob, err := users.Set("bob", nil, false)
	require.NoError(t, err)
	change, err := users.Load("users.acl", []byte("\n  user alice on >foo ~a +get ( ~b +set )\r\n\nuser carol off  +config|set"), "", false)
	require.NoError(t, err)
	require.Equal(t, []*acl.User{bob}, change.Deleted)
	require.ElementsMatch(t, []*acl.User{alice, users.Default}, change.Changed)
	require.NotNil(t, alice.Limits(), "a user that stays has its new rights at once")
	require.True(t, bob.Limits().Deleted())
	require.Equal(t, "user alice on #"+fooHash+" ~a resetchannels -@all +get (~b resetchannels -@all +set)\n"+
		"user carol off resetchannels -@all +config|set\n"+
		"user default on nopass ~* &* +@all", lines(users))
}

func TestLoadAfterAByteOrderMark(t *testing.T) {
	_, err := acl.New(table).Load("f", []byte("\ufeffuser alice on"), "", false)
	require.NoError(t, err)
}

func TestLoadKeepsRequirePass(t *testing.T) {
	users := acl.New(table)
	_, err := users.Load("f", []byte("user alice on"), "foo", false)
	require.NoError(t, err)
	require.Contains(t, lines(users), "user default on #"+fooHash+" ~* &* +@all")
	_, err = users.Load("f", []byte("user default on >bar ~* +@all"), "foo", false)
	require.NoError(t, err)
	require.Equal(t, "user default on #"+barHash+" ~* resetchannels +@all", lines(users))
}

// The text is that of Redis 7.0.15 for the same file.
func TestLoadRefusesTheWholeFile(t *testing.T) {
	users := acl.New(table)
	alice, err := users.Set("alice", []string{"on", "+get"}, false)
	require.NoError(t, err)
	before := lines(users)
	text := "user alice on >pw ~a +get\n\n  user bob off (~x +get) ( ~y +set )  +nosuch foo\n# comment\nuser alice on\n" +
		"user x y +@nosuch\nuseralice\nuser c ( ~x\nuser\ttab on\nUSER up on\n"
	_, err = users.Load("/f.acl", []byte(text), "", false)
	require.EqualError(t, err, "/f.acl:3: Error in applying operation '+nosuch': Unknown command or category name in ACL. /f.acl:3: Syntax error. "+
		"/f.acl:4 should start with user keyword followed by the username. WARNING: Duplicate user 'alice' found on line 5. "+
		"/f.acl:6: Syntax error. /f.acl:6: Error in applying operation '+@nosuch': Unknown command or category name in ACL. "+
		"/f.acl:7 should start with user keyword followed by the username. /f.acl:8: Unmatched parenthesis in selector definition. "+
		"/f.acl:9 should start with user keyword followed by the username. /f.acl:10 should start with user keyword followed by the username. "+
		"WARNING: ACL errors detected, no change to the previously active ACL rules was performed")
	require.Equal(t, before, lines(users))
	require.Same(t, alice, users.Find("alice"))
	require.False(t, alice.Limits().Deleted())

	_, err = users.Load("f", []byte("user a\x00b on"), "", false)
	require.ErrorContains(t, err, "contains invalid characters")
	_, err = users.Load("f", []byte(strings.Repeat("nonsense\n", 100_000)), "", false)
	require.Less(t, len(err.Error()), 5000, "an error has a bound")
	_, err = users.Load("f", []byte("user a ~"+strings.Repeat("x", acl.MaxUserBytes)), "", false)
	require.ErrorContains(t, err, "the rules of one user have at most 65536 bytes")
	var many strings.Builder
	for i := range acl.MaxUsers {
		fmt.Fprintf(&many, "user %d\n", i)
	}
	_, err = users.Load("f", []byte(many.String()), "", false)
	require.ErrorContains(t, err, "there are at most 10000 users")
	require.Equal(t, before, lines(users))
}

func TestDefine(t *testing.T) {
	define := func(lines ...string) (*acl.Users, error) {
		users := acl.New(table)
		var all []acl.Line
		for i, l := range lines {
			all = append(all, acl.Line{Place: fmt.Sprint("r.conf:", i+1), Words: strings.Fields(l)})
		}
		return users, users.Define(all, false)
	}
	users, err := define("alice on +get ~a (~b +set)", "default on nopass ~x +@all")
	require.NoError(t, err)
	require.Equal(t, "user alice on ~a resetchannels -@all +get (~b resetchannels -@all +set)\n"+
		"user default on nopass sanitize-payload ~x resetchannels +@all", lines(users))
	for line, want := range map[string]string{
		"alice on":         "r.conf:2: Error in user declaration 'alice': Duplicate user found. A user can only be defined once in config files",
		"bob +nosuch":      "r.conf:2: Error in user declaration 'bob': '+nosuch': Unknown command or category name in ACL",
		"bob (+get":        "r.conf:2: Error in user declaration 'bob': Unmatched parenthesis in acl selector starting at '(+get'.",
		"b\x00ob on nopas": "r.conf:2: Error in user declaration 'b\x00ob': Usernames can't contain spaces or null characters",
	} {
		users, err := define("alice on", line)
		require.EqualError(t, err, want)
		require.Equal(t, "user default on nopass ~* &* +@all", lines(users))
	}
}

func TestLinesLeaveOutThePlainDefaultUser(t *testing.T) {
	users := acl.New(table)
	users.SetPassword("foo")
	require.Empty(t, users.Lines("foo"))
	require.Len(t, users.Lines("bar"), 1)
	_, err := users.Set("default", []string{"-get"}, false)
	require.NoError(t, err)
	require.Len(t, users.Lines("foo"), 1)
}

// TestFilesKeepRandomUsers writes users of random words to a file, and reads the same users from it.
func TestFilesKeepRandomUsers(t *testing.T) {
	rng := rand.New(randtest.Source(t))
	words := strings.Fields(`on off nopass >foo >bar #` + fooHash + ` allkeys resetkeys ~a %R~b* %W~c ~d"e ~'f ~\g ~[h] %R~i(j ` +
		`&k resetchannels allchannels &l'm +get -get +set +@read -@read +@all -@all +config -config|set +get|x +publish|y +cl.check reset ` +
		`(+get) (~a"b) (~'c) (~\d) (&e) clearselectors skip-sanitize-payload sanitize-payload`)
	for range 2000 {
		users := acl.New(table)
		for i := range 1 + rng.IntN(4) {
			var some []string
			for range rng.IntN(12) {
				word := words[rng.IntN(len(words))]
				if _, err := acl.New(table).Set("u", append(some, word), false); err == nil {
					some = append(some, word)
				}
			}
			_, err := users.Set(fmt.Sprintf("u%d", i), some, false)
			if err != nil { // a selector with a quote
				require.ErrorContains(t, err, "Syntax error")
			}
		}
		again := acl.New(table)
		_, err := again.Load("f", users.File(), "", false)
		require.NoError(t, err, lines(users))
		require.Equal(t, lines(users), lines(again))
		define := acl.New(table)
		require.NoError(t, define.Define(users.Lines(""), false))
		require.Equal(t, lines(users), lines(define))
	}
}

// TestFilesKeepPatternsAfterAll: patterns may follow %RW~* in the rules of a user, and so in its line.
func TestFilesKeepPatternsAfterAll(t *testing.T) {
	for _, all := range [][]string{{"%RW~*"}, {"%R~*", "%W~*"}} {
		users := acl.New(table)
		_, err := users.Set("alice", append(all, "%R~b"), false)
		require.NoError(t, err)
		before := lines(users)
		_, err = users.Load("users.acl", users.File(), "", false)
		require.NoError(t, err)
		require.Equal(t, before, lines(users))
	}
}
