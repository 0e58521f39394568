package limits

import (
	"encoding/json"
	"math"
	"os"
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// phrases has limits in words with their meaning, and texts that are refused.
type phrases struct {
	Phrases []struct {
		Words, Command, Scope string
		Passes                int64   // how many actions pass at once
		Then                  float64 // seconds until the next one passes
	}
	Refused []struct{ Words, Error string }
}

func readPhrases(t *testing.T) (table phrases) {
	text, err := os.ReadFile("../../limiters/phrase/testdata/phrases.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &table))
	return table
}

// phraseTime is when the phrases are tried: a Friday, 2027-01-15 08:20:00 UTC.
const phraseTime = 1_800_001_200_000_000_000

// TestPhrasesAsCounters: exactly as many actions pass as the words say, and the next one passes exactly when
// they say it.
func TestPhrasesAsCounters(t *testing.T) {
	for _, one := range readPhrases(t).Phrases {
		t.Run(one.Words, func(t *testing.T) {
			h := servertest.New(t)
			h.At(phraseTime)
			require.Equal(t, ok, h.Do("CL.RULE", "SET", "r", one.Words))
			text := one.Command
			if one.Scope != "" {
				text = "SCOPE " + one.Scope + " " + text
			}
			h.Want("CL.RULE GET r", text)
			limited := func(quantity int64) bool {
				return h.Do("CL.CHECK", "r", "k", quantity).([]any)[0] == int64(1)
			}
			if one.Passes < math.MaxInt64 {
				require.True(t, limited(one.Passes+1), "more than the limit at once")
			}
			for range min(one.Passes-1, 200) {
				require.False(t, limited(1))
			}
			if rest := one.Passes - 1 - min(one.Passes-1, 200); rest > 0 && one.Passes <= 10_000 || rest > 10_000 {
				require.False(t, limited(rest))
			}
			require.False(t, limited(1), "the last action of the limit")
			require.True(t, limited(1), "one action more")
			wait := time.Duration(math.Round(one.Then * 1e9))
			h.Advance(wait - 1)
			require.True(t, limited(1), "a nanosecond too early")
			h.Advance(1)
			require.False(t, limited(1), "at its time")
		})
	}
}

// TestPhrasesHoldInEachPeriod: a limit of any period holds wherever the period begins, and a client that keeps to
// it is never refused. A bucket of the same numbers does not hold it.
func TestPhrasesHoldInEachPeriod(t *testing.T) {
	for words, most := range map[string]int{"5/minute": 5, "100/minute": 100, "5/minute burst 5": 9} {
		h := servertest.New(t)
		h.At(phraseTime)
		h.Do("CL.RULE", "SET", "r", words)
		var passed []int64
		found := 0
		for i := range 5000 {
			h.Advance(time.Duration(1+i%7) * 20 * time.Millisecond)
			if h.Do("CL.CHECK r k").([]any)[0] == int64(0) {
				passed = append(passed, h.Clock.Now())
			}
			for passed[0] <= h.Clock.Now()-60e9 {
				passed = passed[1:]
			}
			found = max(found, len(passed))
		}
		require.Equal(t, most, found, words)

		h.Do("CL.RULE", "SET", "keeps", words)
		for range 10 {
			for range 5 {
				require.Equal(t, int64(0), h.Do("CL.CHECK keeps k").([]any)[0], words)
			}
			h.Advance(time.Minute)
		}
	}
}

// TestPhrasesThatAreRefused: nothing changes, and the error says what is wrong and what may stand there.
func TestPhrasesThatAreRefused(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET rule 5/minute")
	before := h.Do("CL.RULE LIST")
	for _, one := range readPhrases(t).Refused {
		for _, command := range [][]any{
			{"CL.RULE", "SET", "r"}, {"CL.RULE", "TRY", "rule"}, {"CL.RULE", "OVERRIDE", "rule", "-", "k"},
		} {
			err, is := h.Do(append(command, one.Words)...).(error)
			require.True(t, is, one.Words)
			require.ErrorContains(t, err, "ERR "+one.Error, one.Words)
		}
		err := h.Server.UseRules("f", []byte("rules:\n  r:\n    limits: ["+quoted(one.Words)+"]"))
		require.ErrorContains(t, err, one.Error)
		require.ErrorContains(t, err, "f:3: rule r: limit ")
	}
	require.Equal(t, before, h.Do("CL.RULE LIST"))
}

func quoted(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

// TestPhrasesInRules: wherever a rule takes a limit, it takes words, also several in one argument, and shows them.
func TestPhrasesInRules(t *testing.T) {
	h := servertest.New(t)
	listed := func(name, text, source, words string) []any {
		return []any{name, text, source, []any{}, "", words}
	}
	h.Want(`CL.RULE SET a "100 per minute" and 1000 a day shadow`, ok)
	h.Want("CL.RULE GET a", "CL.LOG 100 60 and CL.WINDOW 1000 0 ALIGN day shadow")
	h.Want("CL.RULE GET a words", []any{"100/minute AND 1000 a day SHADOW",
		"CL.LOG 100 60 and CL.WINDOW 1000 0 ALIGN day shadow"})
	h.Want("CL.RULE SET b 50M tokens a month per org AND SCOPE user 5/second AND SCOPE user CL.SLIDING 5 1", ok)
	h.Want("CL.RULE LIST", []any{
		listed("a", "CL.LOG 100 60 and CL.WINDOW 1000 0 ALIGN day shadow", "key", "100/minute AND 1000 a day SHADOW"),
		listed("b", "SCOPE org CL.WINDOW 50000000 0 ALIGN month AND SCOPE user CL.LOG 5 1 AND SCOPE user CL.SLIDING 5 1",
			"key", "50M a month per org AND 5/second per user AND SCOPE user CL.SLIDING 5 1"),
	})
	h.Want("CL.RULE SET a CL.SLIDING 5 60", ok)
	h.Want("CL.RULE GET a WORDS", []any{"CL.SLIDING 5 60", "CL.SLIDING 5 60"})
	h.Want("CL.RULE GET nope WORDS", nil)
	h.Want("CL.RULE GET a WORDS WORDS", commands.Error("ERR syntax error: 'WORDS' is a word too much after CL.RULE GET"))

	h.Want("CL.RULE OVERRIDE b org acme 90M a month per org", ok)
	h.Want("CL.RULE OVERRIDE b org acme 90M a month per user", commands.Error("ERR 'per' 'user': the scope of this limit is 'org'"))
	h.Want("CL.RULE OVERRIDE b org acme SCOPE org 90M a month", noLimiter("'SCOPE' is not a limiter of a rule"))
	h.Want("CL.RULE SET c SCOPE org 5/minute per user", commands.Error("ERR 'per' 'user': the scope of this limit is 'org'"))
	const notScope = "ERR 'shadow' is not the name of a scope after 'per': " +
		"write per org, or SCOPE and the name before the limit"
	h.Want("CL.RULE SET c 100/minute per shadow", commands.Error(notScope))
	h.Want("CL.RULE SET c 100/minute per shadow SHADOW", commands.Error(notScope))
	h.Want("CL.RULE SET s SCOPE shadow CL.LOG 100 60", ok)
	h.Want("CL.RULE GET s WORDS", []any{"SCOPE shadow 100/minute", "SCOPE shadow CL.LOG 100 60"})
	h.Want("CL.RULE SET s SCOPE shadow 100/minute", ok)
	h.Want("CL.RULE GET s", "SCOPE shadow CL.LOG 100 60")
	h.Want("CL.RULE DEL s", 1)
	h.Want("CL.RULE OVERRIDE a - k 50/minute per org",
		commands.Error("ERR 'per' 'org': the rule has no scopes: leave it out"))
	for _, limits := range []string{"50/minute SHADOW", "CL.LOG 50 60 shadow", "50/minute AND 5/s SHADOW"} {
		h.Want("CL.RULE OVERRIDE a - k "+limits,
			commands.Error("ERR SHADOW is of a whole rule: leave it out"))
	}
	h.Want("CL.RULE SET c 5/minute AND 5/hour per user", h.Do("CL.RULE SET c CL.LOG 5 60 AND SCOPE user CL.LOG 5 60"))
	h.Want("CL.RULE SET c 5/minute per a:b", h.Do("CL.RULE SET c SCOPE a:b CL.LOG 5 60"))
	h.Want("CL.RULE SET c 1 per 40000 days", h.Do("CL.RULE SET c CL.LOG 1 3456000000"))
	h.Want("CL.RULE SET c 5 a day in Bonn", commands.Error("ERR tz 'Bonn' is not a time zone such as Europe/Berlin"))
	h.Want("CL.RULE SET c 9G/s burst 5", h.Do("CL.RULE SET c CL.THROTTLE 4 9000000000 1"))
	h.Want(`CL.RULE SET c ""`, noLimiter("a limiter is missing"))
	list := h.Do("CL.RULE LIST").([]any)[1].([]any)
	require.Equal(t, []any{[]any{"org", "acme", "CL.WINDOW 90000000 0 ALIGN month", "90M a month"}}, list[3])
	h.Want("CL.RULE TRY a 5 per minute burst 9", []any{0, 0, 0, 0, 0})
}

// TestPhrasesInAFile: a file has words as commands have them, and JSON has the commands.
func TestPhrasesInAFile(t *testing.T) {
	h := servertest.New(t)
	const file = `rules:
  api: {limits: [100/minute per user, 50M tokens a month per org]}
  llm:
    scopes:
      org: [50M tokens a month, 5 per second per org burst 20]
      user: 100/minute
    overrides:
      org: {acme: 90M tokens a month per org}
`
	require.NoError(t, h.Server.UseRules("f", []byte(file)))
	h.Want("CL.RULE GET api", "SCOPE user CL.LOG 100 60 AND SCOPE org CL.WINDOW 50000000 0 ALIGN month")
	h.Want("CL.RULE GET llm JSON", `{"scopes":{"org":["CL.WINDOW 50000000 0 ALIGN month","CL.THROTTLE 19 5 1"],`+
		`"user":["CL.LOG 100 60"]},"overrides":{"org":{"acme":["CL.WINDOW 90000000 0 ALIGN month"]}}}`)
	list := h.Do("CL.RULE LIST")
	require.NoError(t, h.Server.UseRules("f", []byte(h.Do("CL.RULE LIST JSON").(string))))
	require.Equal(t, list, h.Do("CL.RULE LIST"))
	for text, want := range map[string]string{
		"scopes: {org: 5/minute per user}":    `'per' 'user': the scope of this limit is 'org'`,
		"limits: 5/minute AND 5/hour":         `"AND" does not stand in a limit of a file`,
		"scopes: {user: 5/s, And: 5/minute}":  `f:3: rule r: scope "And": AND joins limits: write another name`,
		"limits: [5/minute, 5/hour per user]": plain(h.Do("CL.RULE SET c CL.LOG 5 60 AND SCOPE user CL.LOG 5 60").(error)),
		"limits: 1 per 40000 days":            `limit "1 per 40000 days": period is too long`,
	} {
		require.ErrorContains(t, h.Server.UseRules("f", []byte("rules:\n  r:\n    "+text)), want)
	}
}

// TestScopesReadBack: a name of a scope that a text of a rule cannot have is refused. What is accepted reads
// back.
func TestScopesReadBack(t *testing.T) {
	h := servertest.New(t)
	h.Want(`CL.RULE SET j JSON '{"scopes": {"and": "6/minute"}}'`,
		commands.Error(`ERR rule j: scope "and": AND joins limits: write another name`))
	h.Want("CL.RULE GET j", nil)
	h.Want(`CL.RULE SET j JSON '{"scopes": {"shadow": "6/minute", "scope": "7/minute"}}'`, ok)
	for _, form := range []int{0, 1} {
		shown := h.Do("CL.RULE GET j WORDS").([]any)
		h.Want("CL.RULE SET j "+shown[form].(string), ok)
		require.Equal(t, shown, h.Do("CL.RULE GET j WORDS"))
	}
}

// TestPhrasesAreShort: the log of a large limit has at most 101 entries, and holds the limit all the same. Its
// memory is that which docs/rules.md says.
func TestPhrasesAreShort(t *testing.T) {
	h := servertest.New(t)
	h.At(phraseTime)
	h.Want("CL.RULE SET r 10k per minute", ok)
	passed := int64(0)
	for range 1500 {
		h.Advance(97 * time.Millisecond)
		if h.Do("CL.CHECK r k 9").([]any)[0] == int64(0) {
			passed += 9
		}
		require.LessOrEqual(t, h.Do("ZCARD r:{k}:log"), int64(101))
	}
	require.EqualValues(t, 1500*9, passed, "618 × 9 a minute is below the limit")
	h.Do("CL.RULE SET exact 100/minute")
	for range 100 {
		h.Advance(time.Millisecond)
		h.Do("CL.CHECK exact k")
	}
	require.InDelta(t, 1900, h.Do("MEMORY USAGE exact:{k}:log"), 300)
	h.Do("CL.RULE SET cheap 100/minute in windows")
	h.Do("CL.CHECK cheap k")
	require.InDelta(t, 40, h.Do("MEMORY USAGE cheap:{k}:window"), 10)
}
