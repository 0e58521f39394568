package phrase

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// readTable reads testdata/phrases.json: phrases with their meaning, and texts that are refused.
func readTable(t testing.TB) (table struct {
	Phrases []struct{ Words, Command, Scope string }
	Refused []struct{ Words, Error string }
}) {
	text, err := os.ReadFile("testdata/phrases.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &table))
	require.GreaterOrEqual(t, len(table.Phrases), 60)
	require.GreaterOrEqual(t, len(table.Refused), 40)
	return table
}

func TestPhrases(t *testing.T) {
	table := readTable(t)
	for _, one := range table.Phrases {
		m, err := Read(one.Words)
		require.NoError(t, err, one.Words)
		require.Equal(t, Meaning{one.Command, one.Scope}, m, one.Words)
		shown := Words(one.Command, one.Scope)
		require.NotEmpty(t, shown, one.Words)
		again, err := Read(shown)
		require.NoError(t, err, shown)
		require.Equal(t, m, again, shown)
	}
	for _, one := range table.Refused {
		_, err := Read(one.Words)
		require.ErrorContains(t, err, one.Error, one.Words)
		require.LessOrEqual(t, strings.Count(err.Error(), joins), 1, "an error says each remedy once")
		for _, w := range strings.Fields(strings.ToLower(one.Words)) {
			require.NotContains(t, err.Error(), "did you mean "+w+"?", "the word is there")
		}
	}
}

func TestWords(t *testing.T) {
	for command, want := range map[string]string{
		"CL.LOG 5 60":                                "5/minute",
		"cl.log 5 60":                                "5/minute",
		"CL.LOG 5 86400":                             "5 per 24 hours",
		"CL.LOG 20000 1 RESOLUTION 0.01":             "20k/second",
		"CL.THROTTLE 4 5 60":                         "5/minute burst 5",
		"CL.THROTTLE 99 5000 3600":                   "5000/hour burst 100",
		"CL.WINDOW 100 60":                           "100/minute in windows",
		"CL.WINDOW 100 86400 ALIGN":                  "100/day by the clock",
		"CL.WINDOW 50000 0 ALIGN week TZ Asia/Tokyo": "50k a week in Asia/Tokyo",

		// No words mean these.
		"CL.LOG 200 60": "", "CL.LOG 5 60 RESOLUTION 1": "", "CL.LOG 5 60 STRICT": "", "CL.SLIDING 5 60": "",
		"CL.WINDOW 5 86400 ALIGN day": "", "CL.WINDOW 5 0 ALIGN month DAY 15": "", "CL.WINDOW 0 60": "",
		"CL.WINDOW 5 604800 ALIGN": "", "CL.THROTTLE 9223372036854775807 1 1": "", "CL.THROTTLE +4 5 60": "",
		"CL.WINDOW 5 60.0": "", "CL.LOG 5": "", "BLOCK": "", "": "", "CL.WINDOW x y z": "",
	} {
		require.Equal(t, want, Words(command, ""), command)
	}
	require.Equal(t, "5/minute per org", Words("CL.LOG 5 60", "org"))
	require.Empty(t, Words("CL.LOG 5 60", "hour"), "the words would say a second period")
	require.Empty(t, Words("CL.LOG 5 60", "Shadow"), "the words would end with SHADOW")
}

// TestNotPositive: BLOCK is the remedy for the limit itself, and for no other number.
func TestNotPositive(t *testing.T) {
	for text, want := range map[string]string{
		"0/minute": "'0' must be positive: BLOCK refuses every action", "10/s burst 0": "'0' must be positive",
		"1 per 0 minutes": "'0' must be positive", "1/-5m": "'-5' must be positive",
	} {
		_, err := Read(text)
		require.EqualError(t, err, want, text)
	}
}

// TestBounds: a long text is refused as a whole, before somebody reads it.
func TestBounds(t *testing.T) {
	const form = "5/minute per "
	_, err := Read(form + strings.Repeat("a", MaxBytes-len(form)))
	require.NoError(t, err)
	_, err = Read(form + strings.Repeat("a", MaxBytes-len(form)+1))
	require.EqualError(t, err, "a limit in words has at most 256 bytes")
	_, err = Read(strings.Repeat("5/", 1<<15))
	require.Error(t, err)
}

// FuzzRead: any text has a meaning or an error, and what is shown of a meaning means the same.
func FuzzRead(f *testing.F) {
	table := readTable(f)
	for _, one := range table.Phrases {
		f.Add(one.Words)
	}
	for _, one := range table.Refused {
		f.Add(one.Words)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Read(text)
		if err != nil {
			require.Less(t, len(err.Error()), 3*MaxBytes)
			require.NotContains(t, err.Error(), "\n")
			require.NotContains(t, err.Error(), "\x1b")
			return
		}
		require.True(t, Is([]byte(strings.Fields(text)[0])), text)
		if shown := Words(m.Command, m.Scope); shown != "" {
			again, err := Read(shown)
			require.NoError(t, err)
			require.Equal(t, m, again, text)
		}
	})
}

// FuzzWords: words of a command mean this command.
func FuzzWords(f *testing.F) {
	for _, one := range readTable(f).Phrases {
		f.Add(one.Command, one.Scope)
	}
	f.Fuzz(func(t *testing.T, command, scope string) {
		if words := Words(command, scope); words != "" {
			m, err := Read(words)
			require.NoError(t, err)
			require.True(t, strings.EqualFold(command, m.Command), words)
			require.Equal(t, scope, m.Scope)
		}
	})
}
