package admin

import (
	"encoding/json"
	"testing"
	"time"

	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// statusOf decodes the reply of CL.STATUS.
func statusOf(t *testing.T, h *servertest.Harness) (s map[string]any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(h.Do("CL.STATUS").(string)), &s))
	return s
}

func TestStatus(t *testing.T) {
	h := servertest.New(t, "--maxmemory", "1gb")
	before := statusOf(t, h)
	require.Empty(t, before["commands"])
	require.Empty(t, before["rules"])
	require.Nil(t, before["cluster"])

	h.Do("CL.RULE SET api CL.WINDOW 1 60")
	h.Do("CL.RULE SET trial CL.WINDOW 1 60 SHADOW")
	for range 3 {
		h.Do("CL.CHECK api secret-key")
		h.Do("CL.CHECK trial secret-key")
		h.Do("CL.THROTTLE secret-key 0 1 60")
	}
	h.Do("CL.PROBE secret-key 0 1 60")
	h.Do("CL.THROTTLE secret-key 0 1 x")
	h.Advance(2 * time.Second)
	s := statusOf(t, h)
	require.Equal(t, []any{
		map[string]any{"name": "cl.check", "allowed": 4.0, "limited": 2.0, "looked": 0.0, "failed": 0.0},
		map[string]any{"name": "cl.probe", "allowed": 0.0, "limited": 0.0, "looked": 1.0, "failed": 0.0},
		map[string]any{"name": "cl.throttle", "allowed": 1.0, "limited": 2.0, "looked": 0.0, "failed": 1.0},
	}, s["commands"])
	require.Equal(t, []any{
		map[string]any{"name": "api", "allowed": 1.0, "limited": 2.0, "shadow_limited": 0.0},
		map[string]any{"name": "trial", "allowed": 1.0, "limited": 0.0, "shadow_limited": 2.0},
	}, s["rules"])
	decisions := 0.0
	for _, bucket := range s["decision_ns"].([]any) {
		decisions += bucket.([]any)[1].(float64)
	}
	require.Equal(t, 11.0, decisions)
	server := s["server"].(map[string]any)
	require.Equal(t, []any{3.0, 1.0, float64(1 << 30)}, []any{server["keys"], server["clients"], server["memory_max"]})
	require.Equal(t, before["uptime_ms"].(float64)+2000, s["uptime_ms"])
	require.NotContains(t, h.Do("CL.STATUS"), "secret-key", "it has no names of keys")
}

func TestStatusOfCluster(t *testing.T) {
	h, _ := servertest.NewMember(t, 0, 1)
	cluster := statusOf(t, h)["cluster"].(map[string]any)
	require.Equal(t, "ok", cluster["state"])
	require.Equal(t, false, cluster["leads"])
	leaders := 0
	for _, n := range cluster["nodes"].([]any) {
		if n := n.(map[string]any); n["leads"].(bool) {
			leaders++
			require.Equal(t, "10.0.0.2:6379", n["address"])
		}
	}
	require.Equal(t, 1, leaders)
}
