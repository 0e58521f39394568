package all_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"cellserver/acl"
	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// TestEveryCommandOfRedisHasAName: a user of Redis may have a right to any command of redis-server, with its
// categories. No other name is known.
func TestEveryCommandOfRedisHasAName(t *testing.T) {
	redis := resptest.Dial(t, resptest.StartRedis(t))
	h := servertest.New(t)
	theirs := map[string]any{}
	for _, name := range redisCommands(func(args ...any) any { return redis.Do(args...) }) {
		theirs[name] = redis.Do("COMMAND", "INFO", name).([]any)[0].([]any)[6]
		for _, word := range []string{"+" + name, "-" + name, "+" + strings.ToUpper(name)} {
			require.Equal(t, servertest.OK, h.Do("ACL", "SETUSER", "u", "reset", word), word)
		}
		require.Contains(t, h.Do("ACL", "SETUSER", "u", "+q"+name), "Unknown command or category name in ACL")
	}
	all := commands.Absent()
	for i, c := range all {
		require.Nil(t, commands.Named([]byte(c.Name)), "%s is here", c.Name)
		same := func(other acl.Command) bool { return other.Name == c.Name }
		require.False(t, slices.ContainsFunc(all[:i], same), c.Name)
		if reply, known := theirs[c.Name]; known {
			var categories []any
			for _, category := range c.Categories {
				categories = append(categories, resptest.Simple("@"+category))
			}
			require.ElementsMatch(t, reply, categories, c.Name)
		}
	}
}

// TestUsersOfRedisMoveIn loads the users that exporters and failover tools of Redis recommend. What was
// loaded is saved.
func TestUsersOfRedisMoveIn(t *testing.T) {
	const hash = "#30c952fab122c3f9759f02a6d95c3758b246b4fee239957b2d4fee46e26170c4"
	words := map[string]string{
		"metrics": "-@all +@connection +memory +strlen +config|get +xinfo +xlen +pfcount +zcard +type +llen +hlen " +
			"+get +slowlog +info +latency +scan",
		"failover": "&* -@all +multi +slaveof +ping +exec +subscribe +config|rewrite +role +publish +info",
		"app":      "~* +@all -@dangerous -migrate -module -bitop",
		"stream":   "%R~in:* %W~out:* -@all +@stream -xtrim +xgroup|create +xread|block (~s:* -@all +xadd -@stream +xlen)",
		"valkey":   "-@all +@read alldbs -commandlog +script|show -delifeq",
	}
	var text, log strings.Builder
	for name, rules := range words {
		fmt.Fprintf(&text, "user %s on >pw %s\r\n\n", name, rules)
	}
	file := &servertest.MemoryFile{Text: text.String()}
	h := servertest.NewAt(t, &servertest.Edge{UserFile: file, Log: &log})
	warnings := func() int { return strings.Count(log.String(), "level=WARN") }
	require.Equal(t, 1, warnings())
	require.Contains(t, log.String(), `commands="bitop commandlog delifeq migrate pfcount script|show xadd `+
		`xgroup|create xinfo xlen xread xtrim"`)
	saved := func() {
		t.Helper()
		h.Want("ACL SAVE", servertest.OK)
		for name, rules := range words {
			line := file.Text[strings.Index(file.Text, "user "+name+" "):]
			line, _, _ = strings.Cut(line, "\n")
			require.Contains(t, line, "user "+name+" on "+hash)
			for _, word := range strings.Fields(rules) {
				if word != "alldbs" { // it has no meaning here
					require.Contains(t, " "+line+" ", word, name)
				}
			}
		}
	}
	saved()
	h.Want("ACL LOAD", servertest.OK)
	require.Equal(t, 2, warnings())
	saved()
	h.Want("ACL DRYRUN app SET k v", servertest.OK)
	h.Want("ACL DRYRUN app CONFIG GET x", "This user has no permissions to run the 'config|get' command")
	h.Want("ACL DRYRUN metrics ZCARD k", "This user has no permissions to access the 'k' key")
	h.Want("ACL DRYRUN app XADD k", commands.Error("ERR Command 'XADD' not found"))
	h.Want("ACL SETUSER app +xadd", servertest.OK)
	require.Equal(t, 3, warnings())
	require.NotContains(t, fmt.Sprint(h.Do("ACL CAT stream"), h.Do("COMMAND LIST")), "xadd")

	file.Text = "user app on +xadd\nuser other on +nosuch -@nosuch +xgroup|nosuch\n"
	before := h.Do("ACL LIST")
	require.Regexp(t, `'\+nosuch'.*'-@nosuch'.*'\+xgroup\|nosuch'`, h.Do("ACL LOAD"))
	require.Equal(t, before, h.Do("ACL LIST"))
}

// TestAUserOfAllThatIsHereHasNoLimits: a hardened user of Redis costs nothing if it may do all that this
// server has.
func TestAUserOfAllThatIsHereHasNoLimits(t *testing.T) {
	h := servertest.New(t)
	h.Want("ACL SETUSER u on nopass ~* &* +@all -bitop -@stream -sort", servertest.OK)
	require.Nil(t, h.Server.Users().Find("u").Limits())
	h.Want("ACL SETUSER u -get", servertest.OK)
	require.NotNil(t, h.Server.Users().Find("u").Limits())
}
