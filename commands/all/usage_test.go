package all_test

import (
	"strings"
	"testing"

	"cellserver/commands"

	"github.com/stretchr/testify/require"
)

// TestArgumentsAreWhole requires that the arguments of each command are of known types, and complete. A command
// with key specifications has a key for each of them, and one without has none.
func TestArgumentsAreWhole(t *testing.T) {
	for _, c := range commands.ByName() {
		specs := map[int]bool{}
		for i := range c.Docs().Arguments {
			requireWhole(t, c, &c.Docs().Arguments[i], specs)
		}
		for spec := range specs {
			require.Less(t, spec, len(c.Keys.Specs()), c.FullName())
		}
	}
}

func requireWhole(t *testing.T, c *commands.Command, a *commands.Argument, specs map[int]bool) {
	types := []string{"string", "integer", "double", "pattern", "unix-time", commands.ArgumentKey,
		commands.ArgumentToken, commands.ArgumentOneOf, commands.ArgumentBlock}
	where := c.FullName() + " " + a.Name
	require.NotEmpty(t, a.Name, where)
	require.Contains(t, types, a.Type, where)
	nests := a.Type == commands.ArgumentOneOf || a.Type == commands.ArgumentBlock
	require.Equal(t, nests, len(a.Arguments) > 0, where)
	require.True(t, a.Token != "" || a.Type != commands.ArgumentToken && !a.MultipleToken, where)
	require.True(t, a.Multiple || !a.MultipleToken, where)
	require.True(t, a.KeySpec == 0 || a.Type == commands.ArgumentKey, where)
	if a.Type == commands.ArgumentKey {
		specs[a.KeySpec] = true
	}
	for i := range a.Arguments {
		requireWhole(t, c, &a.Arguments[i], specs)
	}
}

// usageOf writes arguments in the notation of Redis: key [NX | XX].
func usageOf(args []commands.Argument) string {
	var words []string
	for i := range args {
		words = append(words, usageOfOne(&args[i]))
	}
	return strings.Join(words, " ")
}

func usageOfOne(a *commands.Argument) string {
	value := a.Name
	switch a.Type {
	case commands.ArgumentToken:
		value = ""
	case commands.ArgumentBlock:
		value = usageOf(a.Arguments)
	case commands.ArgumentOneOf:
		var choices []string
		for i := range a.Arguments {
			choices = append(choices, usageOfOne(&a.Arguments[i]))
		}
		value = strings.Join(choices, " | ")
		if !a.Optional || a.Token != "" {
			value = "<" + value + ">"
		}
	}
	text := strings.TrimSpace(a.Token + " " + value)
	switch {
	case a.MultipleToken:
		text += " [" + text + " ...]"
	case a.Multiple:
		text += " [" + value + " ...]"
	}
	if a.Optional {
		text = "[" + text + "]"
	}
	return text
}
