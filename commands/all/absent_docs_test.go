package all_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// namesIn returns the names in the second column of a table of commands, in the form of COMMAND LIST.
func namesIn(table string) (names []string) {
	row := regexp.MustCompile("(?m)^\\|[^|`]*\\|(( `[^`]+`)+) \\|$")
	for _, cells := range row.FindAllStringSubmatch(table, -1) {
		for _, name := range regexp.MustCompile("`[^`]+`").FindAllString(cells[1], -1) {
			names = append(names, strings.ReplaceAll(strings.ToLower(strings.Trim(name, "`")), " ", "|"))
		}
	}
	slices.Sort(names)
	return names
}

// TestMigratingNamesEveryAbsentCommand compares the page with the list of redis-server. Each command of Redis
// that is not here is on the page, and no other one.
func TestMigratingNamesEveryAbsentCommand(t *testing.T) {
	page, err := os.ReadFile("../../docs/migrating.md")
	require.NoError(t, err)
	_, section, _ := strings.Cut(string(page), "\n## Commands that are not here\n")
	section, _, _ = strings.Cut(section, "\n## ")
	redis7, later, _ := strings.Cut(section, "Later commands")

	redis := resptest.Dial(t, resptest.StartRedis(t))
	var theirs, others []string
	for _, name := range redisCommands(func(args ...any) any { return redis.Do(args...) }) {
		if commands.Named([]byte(name)) == nil {
			theirs = append(theirs, name)
		}
	}
	require.Greater(t, len(theirs), 60)
	require.Equal(t, theirs, namesIn(redis7))
	for _, c := range commands.Absent() {
		if !slices.Contains(theirs, c.Name) {
			others = append(others, c.Name)
		}
	}
	slices.Sort(others)
	require.Equal(t, others, namesIn(later))
	require.Contains(t, section, "`rename-command`")

	libraries, err := os.ReadFile("../../docs/libraries.md")
	require.NoError(t, err)
	_, queues, _ := strings.Cut(string(libraries), "\nBullMQ and RQ keep a Redis of their own.")
	queues, _, _ = strings.Cut(queues, "\n## ")
	absent := regexp.MustCompile("`[A-Z]+`").FindAllString(queues, -1)
	require.NotEmpty(t, absent)
	for _, name := range absent {
		require.Contains(t, theirs, strings.ToLower(strings.Trim(name, "`")), "it is here")
	}
}
