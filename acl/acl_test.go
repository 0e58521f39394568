package acl_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"cellserver/acl"

	"github.com/stretchr/testify/require"
)

// table is a small table of commands. Tests name a command by its position.
var table = acl.NewTable([]acl.Command{
	get:       {Name: "get", Categories: []string{"read", "string"}},
	set:       {Name: "set", Categories: []string{"write", "string"}},
	auth:      {Name: "auth", Categories: []string{"connection"}, Free: true},
	config:    {Name: "config"},
	configGet: {Name: "config|get", Categories: []string{"admin"}},
	configSet: {Name: "config|set", Categories: []string{"admin"}},
	publish:   {Name: "publish", Categories: []string{"pubsub"}},
	check:     {Name: "cl.check", Categories: []string{"write", "throttle"}},
}, []string{"read", "write", "string", "list", "admin", "connection", "pubsub", "throttle"})

const (
	get = iota
	set
	auth
	config
	configGet
	configSet
	publish
	check
)

// made returns the user that words make.
func made(t *testing.T, words string) *acl.User {
	t.Helper()
	u, err := acl.New(table).Set("u", strings.Fields(words), false)
	require.NoError(t, err, words)
	return u
}

const (
	fooHash = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
	barHash = "fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9"
)

// The lines are those of Redis 7.0 for the same words.
func TestWords(t *testing.T) {
	for words, want := range map[string]string{
		"":                                 "off resetchannels -@all",
		"on nopass":                        "on nopass resetchannels -@all",
		"ON NoPass ALLKEYS":                "on nopass ~* resetchannels -@all",
		">foo":                             "off #" + fooHash + " resetchannels -@all",
		">foo >bar":                        "off #" + fooHash + " #" + barHash + " resetchannels -@all",
		">foo #" + fooHash:                 "off #" + fooHash + " resetchannels -@all",
		">foo >bar <foo":                   "off #" + barHash + " resetchannels -@all",
		">foo >bar !" + barHash:            "off #" + fooHash + " resetchannels -@all",
		"nopass >foo":                      "off #" + fooHash + " resetchannels -@all",
		">foo nopass":                      "off nopass resetchannels -@all",
		">foo nopass resetpass":            "off resetchannels -@all",
		"~a ~b ~a":                         "off ~a ~b resetchannels -@all",
		"%R~a %W~b %RW~c":                  "off %R~a %W~b ~c resetchannels -@all",
		"%R~a %w~a":                        "off ~a resetchannels -@all",
		"%R":                               "off %R~ resetchannels -@all",
		"~a ~*":                            "off ~* resetchannels -@all",
		"~* resetkeys ~a":                  "off ~a resetchannels -@all",
		"&a &b &a":                         "off resetchannels &a &b -@all",
		"&a &*":                            "off &* -@all",
		"allchannels":                      "off &* -@all",
		"+get":                             "off resetchannels -@all +get",
		"+GET -Get":                        "off resetchannels -@all",
		"+@string":                         "off resetchannels -@all +@string",
		"+get +@string":                    "off resetchannels -@all +@string",
		"+@string -get":                    "off resetchannels -@all +@string -get",
		"+@string -get +get":               "off resetchannels -@all +@string",
		"+@string -@string":                "off resetchannels -@all",
		"+@all":                            "off resetchannels +@all",
		"allcommands -config|set":          "off resetchannels +@all -config|set",
		"+@all -@read nocommands":          "off resetchannels -@all",
		"+config":                          "off resetchannels -@all +config",
		"+config -config|set":              "off resetchannels -@all +config -config|set",
		"+config|set +config":              "off resetchannels -@all +config",
		"+@all -@list":                     "off resetchannels +@all -@list",
		"+@all -@list +@list":              "off resetchannels +@all",
		"+@list":                           "off resetchannels -@all +@list",
		"+@write +@list -@list":            "off resetchannels -@all +@write -@list",
		"+@all -@write -@list +@list":      "off resetchannels +@all -@write +@list",
		"-@list":                           "off resetchannels -@all",
		"-config":                          "off resetchannels -@all",
		"+get|x +get|X +get|y":             "off resetchannels -@all +get|x +get|y",
		"+get|x -get":                      "off resetchannels -@all",
		"+get|x +@string":                  "off resetchannels -@all +@string",
		"+@string +get|x":                  "off resetchannels -@all +@string",
		"+@string +get|x -@string":         "off resetchannels -@all",
		"(+get ~a)":                        "off resetchannels -@all (~a resetchannels -@all +get)",
		"( +get ~a )":                      "off resetchannels -@all (~a resetchannels -@all +get)",
		"(%R~a &c) +set ()":                "off resetchannels -@all +set (%R~a resetchannels &c -@all) (resetchannels -@all)",
		"(+get) clearselectors":            "off resetchannels -@all",
		"skip-sanitize-payload":            "off skip-sanitize-payload resetchannels -@all",
		"on >foo ~* &* +@all (+get) reset": "off sanitize-payload resetchannels -@all",
	} {
		u := made(t, words)
		require.Equal(t, "user u "+want, u.Line(), words)
		again, err := acl.New(table).Set("u", strings.Fields(want), false)
		require.NoError(t, err)
		require.Equal(t, u.Line(), again.Line(), "the line makes the same user")
	}
}

func TestWrongWords(t *testing.T) {
	const unknown, syntax = "Unknown command or category name in ACL", "Syntax error"
	for words, want := range map[string]string{
		"+nosuch": unknown, "-nosuch": unknown, "+@nosuch": unknown, "-@": unknown, "+": unknown, "-get|x": unknown,
		"+config|nosuch": unknown, "+config|": syntax, "+get|": syntax, "+config|set|x": "Allowing first-arg of a subcommand is not supported",
		"foo": syntax, ")": syntax, "%Z~a": syntax, "%~a": syntax, "%": syntax, "%RR~a": syntax, "((+get)": syntax, "(on)": syntax, "(>foo)": syntax,
		"~* ~a": "Adding a pattern after the * pattern (or the 'allkeys' flag) is not valid and does not have any effect. " +
			"Try 'resetkeys' to start with an empty list of patterns",
		"&* &a": "Adding a pattern after the * pattern (or the 'allchannels' flag) is not valid and does not have any effect. " +
			"Try 'resetchannels' to start with an empty list of channels",
		"<foo":                         "The password you are trying to remove from the user does not exist",
		"#aa":                          "The password hash must be exactly 64 characters and contain only lowercase hexadecimal characters",
		"!" + strings.ToUpper(fooHash): "The password hash must be exactly 64 characters and contain only lowercase hexadecimal characters",
	} {
		users := acl.New(table)
		_, err := users.Set("u", strings.Fields("on +get "+words), false)
		last := strings.Fields(words)[len(strings.Fields(words))-1]
		if strings.HasPrefix(words, "(") {
			last = words
		}
		require.EqualError(t, err, fmt.Sprintf("'%s': %s", last, want), words)
		require.Nil(t, users.Find("u"), "an error changes nothing")
	}
	_, err := acl.New(table).Set("u", []string{"(+get", "~a"}, false)
	require.EqualError(t, err, "Unmatched parenthesis in acl selector starting at '(+get'.")
	for _, name := range []string{"a b", "a\x00", "a\n"} {
		_, err := acl.New(table).Set(name, nil, false)
		require.ErrorIs(t, err, acl.ErrName)
	}
	for _, word := range []string{"~a b", "&a\x00", "+get|a b"} {
		_, err := acl.New(table).Set("u", []string{word}, false)
		require.ErrorContains(t, err, syntax, word)
	}
}

func TestCheck(t *testing.T) {
	k := func(at int, need acl.Permission) []acl.Key { return []acl.Key{{At: at, Need: need}} }
	for _, c := range []struct {
		words string
		r     acl.Request
		args  string
		want  acl.Denial
		at    int
	}{
		{"", acl.Request{Command: get}, "get", acl.DeniedCommand, 0},
		{"", acl.Request{Command: auth}, "auth x", acl.Allowed, 0},
		{"+get", acl.Request{Command: get, Keys: k(1, acl.Read)}, "get a", acl.DeniedKey, 1},
		{"+get ~a", acl.Request{Command: get, Keys: k(1, acl.Read)}, "get a", acl.Allowed, 0},
		{"+get ~b ~a*", acl.Request{Command: get, Keys: k(1, acl.Read)}, "get aa", acl.Allowed, 0},
		{"+set %R~a", acl.Request{Command: set, Keys: k(1, acl.Write)}, "set a", acl.DeniedKey, 1},
		{"+set %W~a", acl.Request{Command: set, Keys: k(1, acl.Write)}, "set a", acl.Allowed, 0},
		{"+set %W~a %R~*", acl.Request{Command: set, Keys: k(1, acl.Write|acl.Read)}, "set a", acl.DeniedKey, 1},
		{"+set %R~a", acl.Request{Command: set, Keys: k(1, 0)}, "set a", acl.Allowed, 0},
		{"+set ~x", acl.Request{Command: set, Keys: k(1, 0)}, "set a", acl.DeniedKey, 1},
		{"+cl.check ~api:*", acl.Request{Command: check, Keys: k(2, acl.Read|acl.Write)}, "cl.check rule api:7", acl.Allowed, 0},
		{"+cl.check ~api:*", acl.Request{Command: check, Keys: k(2, acl.Read|acl.Write)}, "cl.check rule web:7", acl.DeniedKey, 2},
		{"+cl.check|api ~*", acl.Request{Command: check, Keys: k(2, acl.Read|acl.Write)}, "cl.check API k", acl.Allowed, 0},
		{"+cl.check|api ~*", acl.Request{Command: check, Keys: k(2, acl.Read|acl.Write)}, "cl.check web k", acl.DeniedCommand, 0},
		{"+@all -config|set", acl.Request{Command: configSet}, "config set", acl.DeniedCommand, 0},
		{"+@all -config|set", acl.Request{Command: configGet}, "config get", acl.Allowed, 0},
		{"+publish &c*", acl.Request{Command: publish, Channels: 1, OneOnly: true}, "publish c1 x", acl.Allowed, 0},
		{"+publish &c*", acl.Request{Command: publish, Channels: 1, OneOnly: true}, "publish x c1", acl.DeniedChannel, 1},
		{"+publish &c*", acl.Request{Command: publish, Channels: 1}, "subscribe c1 x", acl.DeniedChannel, 2},
		{"+publish &c*", acl.Request{Command: publish, Channels: 1, Literal: true}, "psubscribe c1", acl.DeniedChannel, 1},
		{"+publish &c*", acl.Request{Command: publish, Channels: 1, Literal: true}, "psubscribe c*", acl.Allowed, 0},
		// One selector must allow all of a command.
		{"+get (~a)", acl.Request{Command: get, Keys: k(1, acl.Read)}, "get a", acl.DeniedKey, 1},
		{"(+get ~a) (+set ~b)", acl.Request{Command: get, Keys: k(1, acl.Read)}, "get a", acl.Allowed, 0},
		{"(+get ~a) (+set ~b)", acl.Request{Command: get, Keys: k(1, acl.Read)}, "get b", acl.DeniedKey, 1},
		{"+get ~a (+get ~b)", acl.Request{Command: get, Keys: []acl.Key{{At: 1, Need: acl.Read}, {At: 2, Need: acl.Read}}}, "get a b", acl.DeniedKey, 2},
	} {
		for _, a := range strings.Fields(c.args) {
			c.r.Args = append(c.r.Args, []byte(a))
		}
		denied, at := made(t, c.words).Limits().Check(&c.r)
		require.Equal(t, c.want, denied, "%s: %s", c.words, c.args)
		require.Equal(t, c.at, at, "%s: %s", c.words, c.args)
	}
}

func TestWhoMayDoEverythingHasNoLimits(t *testing.T) {
	require.Nil(t, acl.New(table).Default.Limits())
	require.Nil(t, made(t, "~* &* +@all").Limits())
	require.Nil(t, made(t, "+get (allkeys allchannels allcommands)").Limits())
	require.Nil(t, made(t, "~* &* +@all -get +get").Limits())
	for _, words := range []string{"~* &* +@all -get", "~* +@all", "&* +@all", "~* &* +@read +@write +@admin", "(~* &*) +@all"} {
		require.NotNil(t, made(t, words).Limits(), words)
	}
}

func TestAuthenticate(t *testing.T) {
	users := acl.New(table)
	login := func(name, password string) bool { return users.Authenticate([]byte(name), []byte(password)) != nil }
	require.True(t, login("default", "any"))
	require.False(t, login("u", "foo"))
	require.False(t, users.Guessable())
	_, err := users.Set("u", []string{">foo", ">b\x00ar"}, false)
	require.NoError(t, err)
	require.True(t, users.Guessable())
	require.False(t, login("u", "foo"), "the user is off")
	_, _ = users.Set("u", []string{"on"}, false)
	require.True(t, login("u", "foo"))
	require.True(t, login("u", "b\x00ar"))
	require.False(t, login("u", "b"))
	require.False(t, login("u", ""))
	_, _ = users.Set("u", []string{"resetpass"}, false)
	require.False(t, login("u", "foo"))
	require.False(t, login("u", ""))
	_, _ = users.Set("u", []string{"nopass"}, false)
	require.True(t, login("u", ""))

	users.SetPassword("secret")
	require.False(t, login("default", "any"))
	require.True(t, login("default", "secret"))
	require.Same(t, users.Guest, users.Arriving())
	users.SetPassword("")
	require.True(t, login("default", "any"))
	require.Same(t, users.Default, users.Arriving())
}

// A connection keeps its user, whatever happens to it.
func TestUsersChangeInPlace(t *testing.T) {
	users := acl.New(table)
	u, err := users.Set("u", []string{"~*", "&*", "+@all"}, false)
	require.NoError(t, err)
	require.Nil(t, u.Limits())
	same, err := users.Set("u", []string{"-get"}, false)
	require.NoError(t, err)
	require.Same(t, u, same)
	denied, _ := u.Limits().Check(&acl.Request{Command: get})
	require.Equal(t, acl.DeniedCommand, denied)

	require.Equal(t, []*acl.User{u}, users.Delete([]string{"nobody", "u", "default", "u"}))
	require.True(t, u.Limits().Deleted())
	require.Nil(t, users.Find("u"))
	require.Len(t, users.All(), 1)
	again, err := users.Set("u", nil, false)
	require.NoError(t, err)
	require.NotSame(t, u, again)
	require.True(t, u.Limits().Deleted())
}

func TestNewSelectorsHaveTheDefaultChannels(t *testing.T) {
	u, err := acl.New(table).Set("u", []string{"(+get)", "reset"}, true)
	require.NoError(t, err)
	require.Equal(t, "user u off sanitize-payload &* -@all", u.Line())
	u, err = acl.New(table).Set("u", []string{"(+get)"}, true)
	require.NoError(t, err)
	require.Equal(t, "user u off &* -@all (&* -@all +get)", u.Line())
}

func TestBounds(t *testing.T) {
	users := acl.New(table)
	var words []string
	for i := range acl.MaxSelectors + 1 {
		words = append(words, fmt.Sprintf("(~%d)", i))
	}
	_, err := users.Set("u", words, false)
	require.ErrorContains(t, err, "a user has at most 64 selectors")
	_, err = users.Set("u", words[1:], false)
	require.NoError(t, err)

	words = nil
	for i := range acl.MaxUserBytes / 10 {
		words = append(words, fmt.Sprintf("~%09d", i))
	}
	_, err = users.Set("v", words, false)
	require.ErrorContains(t, err, "the rules of one user have at most 65536 bytes")
	_, err = users.Set("v", []string{"(" + strings.Join(words, " ") + ")"}, false)
	require.ErrorContains(t, err, "the rules of one user have at most 65536 bytes")
	_, err = users.Set("v", []string{"~" + strings.Repeat("x", 5*acl.MaxUserBytes)}, false)
	require.ErrorContains(t, err, "the words of one change have at most 262144 bytes")
	require.Nil(t, users.Find("v"))

	half := []string{"~" + strings.Repeat("x", acl.MaxUserBytes/2)}
	n := 0
	for err = nil; err == nil; n++ {
		_, err = users.Set(fmt.Sprint("w", n), half, false)
	}
	require.ErrorContains(t, err, "the rules of all users have at most 16777216 bytes")
	require.InDelta(t, 2*acl.MaxBytes/acl.MaxUserBytes, n, 5)
	users.Delete([]string{"w0"})
	_, err = users.Set("w0", half, false)
	require.NoError(t, err)

	users = acl.New(table)
	for i := range acl.MaxUsers - 1 {
		_, err = users.Set(fmt.Sprint(i), nil, false)
		require.NoError(t, err)
	}
	_, err = users.Set("more", nil, false)
	require.ErrorContains(t, err, "there are at most 10000 users")
}

// A user may have thousands of rules with a first argument: a word for each rule that it may ask.
func TestManyFirstArguments(t *testing.T) {
	var words []string
	for i := range 1500 {
		words = append(words, fmt.Sprint("+get|", i))
	}
	words = append(words, "+auth", "-auth")
	users := acl.New(table)
	began := time.Now()
	u, err := users.Set("u", words, false)
	require.NoError(t, err)
	require.Less(t, time.Since(began), 10*time.Second, "each word takes the square of the words before it")
	require.Equal(t, 1500, strings.Count(u.Line(), "+get|"))
	_, err = users.Set("u", words[:100], false)
	require.NoError(t, err)
	require.Equal(t, 1500, strings.Count(u.Line(), "+get|"), "no rule is there twice")
}
