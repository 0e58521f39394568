package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"cellserver/internal/randtest"
	"cellserver/limiters/rules"

	"github.com/stretchr/testify/require"
)

// TestQuestionsAreCommands: a question over HTTP has the answer that its words get from a client.
func TestQuestionsAreCommands(t *testing.T) {
	w, random := newWeb(t), rand.New(randtest.Source(t))
	w.Do("CL.RULE SET many CL.THROTTLE 4 5 60 AND CL.WINDOW 3 60 AND CL.WINDOW 9 3600")
	w.Do("CL.RULE SET scoped SCOPE user CL.SLIDING 5 60 AND SCOPE org CL.LOG 7 60")
	w.Do("CL.RULE SET shadow CL.WINDOW 2 60 SHADOW")
	w.Do("CL.RULE OVERRIDE many - vip CL.WINDOW 50 60")
	names := [][]string{{"many"}, {"scoped@user", "scoped@org"}, {"shadow"}}
	passed := 0
	for range 400 {
		w.Clock.Advance(int64(random.IntN(3e9)))
		var q rules.Question
		var all []map[string]string
		random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		asked := names[:1+random.IntN(len(names))]
		var pairs, keys []string
		for _, rule := range asked {
			for _, name := range rule {
				key := []string{"ann", "bob", "vip", "{t}x", "a{}b"}[random.IntN(5)]
				pairs, keys = append(pairs, name), append(keys, key)
				all = append(all, map[string]string{"rule": name, "key": key})
			}
		}
		q.Quantity, q.Charge, q.Peek = int64(random.IntN(4)), random.IntN(5) == 0, random.IntN(3) == 0
		body, err := json.Marshal(map[string]any{
			"rules": joinScopes(all), "quantity": q.Quantity, "charge": q.Charge, "peek": q.Peek,
		})
		require.NoError(t, err)
		q.Peek = true
		line := string(bytes.Join(q.Words(pairs, keys), []byte(" ")))
		reply := w.Do(line).([]any)
		got := w.post("/check", string(body))
		require.Equal(t, reply[0] == int64(0), got.Body["allowed"], line)
		if got.Status == 200 {
			passed++
		}
		var want, have []string
		for _, rule := range reply[2:] {
			for _, one := range rule.([]any)[7].([]any) {
				numbers := one.([]any)
				want = append(want, fmt.Sprintf("%s %v", numbers[0], numbers[3:8]))
			}
		}
		for _, one := range got.Body["policies"].([]any) {
			policy := one.(map[string]any)
			_, scope, _ := strings.Cut(policy["policy"].(string), ":")
			if !strings.HasPrefix(policy["policy"].(string), "scoped") {
				scope = ""
			}
			if policy["retry_after"] == nil {
				policy["retry_after"] = -1
			}
			have = append(have, fmt.Sprintf("%s [%v %v %v %v %v]", scope, policy["limit"], policy["remaining"],
				policy["retry_after"], policy["reset_after"], policy["window"]))
		}
		require.Equal(t, want, have, line)
	}
	require.Greater(t, passed, 50)
	require.Less(t, passed, 350)
}

// joinScopes joins the pairs of the rule with scopes, which a body names once.
func joinScopes(pairs []map[string]string) (all []map[string]any) {
	scopes := map[string]string{}
	for _, pair := range pairs {
		name, scope, scoped := strings.Cut(pair["rule"], "@")
		if !scoped {
			all = append(all, map[string]any{"rule": name, "key": pair["key"]})
			continue
		}
		if scopes[scope] = pair["key"]; len(scopes) == 1 {
			all = append(all, map[string]any{"rule": name, "keys": scopes})
		}
	}
	return all
}
