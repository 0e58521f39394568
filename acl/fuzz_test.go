package acl_test

import (
	"strings"
	"testing"

	"cellserver/acl"

	"github.com/stretchr/testify/require"
)

// FuzzWords makes a user of random words. The description of the user makes the same user again: with the same description,
// and with the same rights. Words are separated by line breaks, because a word may have spaces.
func FuzzWords(f *testing.F) {
	for _, words := range []string{
		"on\nnopass\n~*\n&*\n+@all", "on\n>foo\n#" + fooHash + "\n<foo\n!" + barHash, "%R~a\n%w~b\n%RW~c\nresetkeys\n~d",
		"&a\nresetchannels\n&b\nallchannels", "+@string\n-get\n+config|get\n-config|set\n+set|x", "(~a +get)\n(&b +@all -set)\nclearselectors\n(~\"c\")",
		"(%R~a\n+get\n+set)", "reset\noff\nskip-sanitize-payload\nsanitize-payload", "(~it's)\n~a\"b\n(~\"\\x41\\n\")", "allcommands\n-@admin\nnocommands", "(~a) +get)", "(~\xca))",
	} {
		f.Add(words, true)
		f.Add(words, false)
	}
	f.Fuzz(func(t *testing.T, text string, allChannels bool) {
		users := acl.New(table)
		first, err := users.Set("u", strings.Split(text, "\n"), allChannels)
		if err != nil {
			return
		}
		words := first.Definition().String()
		again, err := acl.New(table).Set("u", strings.Split(words, " "), allChannels)
		require.NoError(t, err, "%q", words)
		require.Equal(t, words, again.Definition().String(), "of %q", text)
		require.Equal(t, first.Definition().Views(), again.Definition().Views())
		for i := range requests {
			denied, at := first.Limits().Check(&requests[i])
			deniedAgain, atAgain := again.Limits().Check(&requests[i])
			require.Equal(t, []any{denied, at}, []any{deniedAgain, atAgain}, "request %d: %q is not %q", i, words, text)
		}
		loaded := acl.New(table)
		_, err = loaded.Load("file", users.File(), "", allChannels)
		require.NoError(t, err, "%q", users.File())
		require.Equal(t, string(users.File()), string(loaded.File()))
	})
}

// requests are checked against each user and its copy.
var requests = []acl.Request{
	{Command: get, Args: arguments("get a"), Keys: []acl.Key{{At: 1, Need: acl.Read}}},
	{Command: set, Args: arguments("set b 1"), Keys: []acl.Key{{At: 1, Need: acl.Write}}},
	{Command: configGet, Args: arguments("config get")},
	{Command: publish, Args: arguments("publish a b"), Channels: 1, OneOnly: true},
	{Command: publish, Args: arguments("psubscribe b*"), Channels: 1, Literal: true},
	{Command: check, Args: arguments("cl.check x c"), Keys: []acl.Key{{At: 2, Need: acl.Read | acl.Write}}},
}

func arguments(text string) (all [][]byte) {
	for _, word := range strings.Fields(text) {
		all = append(all, []byte(word))
	}
	return all
}
