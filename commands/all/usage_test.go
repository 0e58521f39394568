package all_test

import (
	"strings"
	"testing"

	"cellserver/commands"
	"cellserver/internal/usage"

	"github.com/stretchr/testify/require"
)

// TestUsageLinesAreRead requires that the arguments of every command, written in the notation of
// its usage line, are that line again.
func TestUsageLinesAreRead(t *testing.T) {
	for _, c := range commands.ByName() {
		args, err := usage.Parse(c.FullName(), c.Docs().Usage, len(c.Keys.Specs()))
		require.NoError(t, err)
		require.Equal(t, c.Docs().Usage, written(args), c.FullName())
	}
}

func written(args []usage.Argument) string {
	var words []string
	for _, a := range args {
		words = append(words, writtenOne(a))
	}
	return strings.Join(words, " ")
}

func writtenOne(a usage.Argument) string {
	value := a.Name
	switch a.Type {
	case usage.PureToken:
		value = ""
	case usage.Block:
		value = written(a.Arguments)
	case usage.OneOf:
		var choices []string
		for _, one := range a.Arguments {
			choices = append(choices, writtenOne(one))
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
