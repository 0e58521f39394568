package httpapi

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"cellserver/commands"

	"github.com/stretchr/testify/require"
)

// notOverHTTP are words that no body has. HTTP has seconds, and a list has its own length.
var notOverHTTP = []string{"ms", "n"}

// wordsOf returns the arguments and the options of a command, and the units of ALIGN.
func wordsOf(t testing.TB, command string) (words, units []string) {
	found := commands.Lookup([]byte(command))
	require.NotNil(t, found, command)
	words, units = argumentWords(found.Docs().Arguments)
	words = slices.DeleteFunc(words, func(word string) bool { return slices.Contains(notOverHTTP, word) })
	slices.Sort(words)
	return slices.Compact(words), units
}

// argumentWords returns the words of arguments in their order: the token of an option, else the name. A choice
// of words alone is one of units.
func argumentWords(args []commands.Argument) (words, units []string) {
	for _, arg := range args {
		isGroup := arg.Type == commands.ArgumentOneOf || arg.Type == commands.ArgumentBlock
		if word := cmp.Or(arg.Token, arg.Name); arg.Token != "" || !isGroup {
			words = append(words, strings.ToLower(word))
		}
		inner, more := argumentWords(arg.Arguments)
		isWord := func(a commands.Argument) bool { return a.Type == commands.ArgumentToken }
		if arg.Type == commands.ArgumentOneOf && arg.Token == "" && arg.Optional &&
			!slices.ContainsFunc(arg.Arguments, func(a commands.Argument) bool { return !isWord(a) }) {
			units = inner
			continue
		}
		words, units = append(words, inner...), append(units, more...)
	}
	return words, units
}

// fieldsOf adds the fields of an object, and those of the objects of its field limits. It leaves out limiter.
func fieldsOf(object map[string]any, inside string, into map[string]bool) {
	for name, value := range object {
		switch {
		case name == "limits" && inside != "":
			fieldsOf(value.(map[string]any)["items"].(map[string]any)[inside].(map[string]any), inside, into)
		case name == "limits":
			for _, one := range value.([]any) {
				fieldsOf(one.(map[string]any), inside, into)
			}
		case name != "limiter":
			into[name] = true
		}
	}
}

// TestThrottleHasAllOptions compares the fields of each limiter with the words of its command. The description has
// each of them, and so has a body that the server takes.
func TestThrottleHasAllOptions(t *testing.T) {
	sent := map[string]map[string]bool{}
	for _, text := range rightBodies {
		var body map[string]any
		require.NoError(t, json.Unmarshal([]byte(text), &body))
		name, _ := body["limiter"].(string)
		if _, inWords := body["limit"].(string); inWords {
			name = "words"
		} else if name == "" {
			name = "throttle"
		}
		if sent[name] == nil {
			sent[name] = map[string]bool{}
		}
		fieldsOf(body, "", sent[name])
	}
	described := map[string]bool{}
	for _, one := range at("components", "schemas", "Throttle", "oneOf").([]any) {
		properties := one.(map[string]any)["properties"].(map[string]any)
		if properties["limiter"] == nil { // a limit in words
			require.Equal(t, slices.Sorted(maps.Keys(properties)), slices.Sorted(maps.Keys(sent["words"])))
			continue
		}
		name := properties["limiter"].(map[string]any)["const"].(string)
		described[name] = true
		words, units := wordsOf(t, "cl."+name)
		has := map[string]bool{}
		fieldsOf(properties, "properties", has)
		require.Equal(t, words, slices.Sorted(maps.Keys(has)), "the description of %s", name)
		require.Equal(t, words, slices.Sorted(maps.Keys(sent[name])), "the bodies of %s", name)
		for _, unit := range units {
			require.True(t, slices.ContainsFunc(rightBodies, func(body string) bool {
				return strings.Contains(body, `"`+name+`"`) && strings.Contains(body, `"align": "`+unit+`"`)
			}), unit)
			if limits, several := properties["limits"].(map[string]any); several {
				properties = limits["items"].(map[string]any)["properties"].(map[string]any)
			}
			require.Contains(t, properties["align"].(map[string]any)["enum"], unit)
		}
	}
	for _, command := range commands.TopLevel() {
		name, isLimiter := strings.CutPrefix(command.Name, "cl.")
		words, _ := argumentWords(command.Docs().Arguments)
		isKeyed := len(words) > 1 && words[0] == "key" || len(words) > 2 && words[0] == "n" && words[1] == "key"
		if isLimiter && isKeyed && name != "probe" { // throttle with peek
			require.True(t, described[name] || at("paths", "/"+name) != nil, name)
		}
	}
}
