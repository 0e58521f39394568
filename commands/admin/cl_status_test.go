package admin

import (
	"encoding/json"
	"fmt"
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

// TestHolders: CL.STATUS, INFO and the metrics show who leases. Only a sidecar marks its connection.
func TestHolders(t *testing.T) {
	h := servertest.New(t)
	require.Contains(t, h.Do("INFO clients"), "\r\nconnected_sidecars:0\r\n")
	none := map[string]any{"sidecars": 0.0, "asks": 0.0, "granted": 0.0, "returned": 0.0, "holders": []any{}}
	require.Equal(t, none, statusOf(t, h)["leases"])

	sidecar, library, idle := h.NewClient(t), h.NewClient(t), h.NewClient(t)
	for _, c := range []*servertest.Client{sidecar, idle} {
		c.Do("CLIENT SETINFO LIB-NAME cellserver-sidecar")
	}
	sidecar.Do("CLIENT SETNAME web-1")
	at := sidecar.Do("CL.LEASE 10 1000 CL.WINDOW w 25 60").([]any)[6]
	sidecar.Do("CL.LEASE 20 1000 CL.WINDOW w 25 60")
	sidecar.Do("CL.LEASE 1 1000 CL.WINDOW w 25 60") // refused
	sidecar.Do(fmt.Sprintf("CL.LEASE 0 1000 BACK 4 %v 1000 CL.WINDOW w 25 60", at))
	sidecar.Do("CL.LEASE 0 1000 BACK 4 1 1000 CL.WINDOW w 25 60") // too late
	sidecar.Do("CL.LEASE 0 1000 GET w")                           // an error
	library.Do(`EVAL "return redis.call('CL.LEASE', 3, 1000, 'CL.WINDOW', KEYS[1], 25, 60)" 1 w`)

	require.Equal(t, map[string]any{
		"sidecars": 2.0, "asks": 6.0, "granted": 28.0, "returned": 4.0,
		"holders": []any{
			holder(sidecar, "web-1", true, 5, 25, 4), holder(library, "", false, 1, 3, 0), holder(idle, "", true, 0, 0, 0),
		},
	}, statusOf(t, h)["leases"])
	require.Contains(t, h.Do("INFO clients"), "\r\nconnected_sidecars:2\r\n")
	require.Contains(t, h.Do("INFO throttle"), "\r\nleases:asks=6,granted=28,returned=4\r\n")
	got := servertest.Samples(t, h.Server.Metrics())
	for sample, want := range map[string]float64{
		"sidecars": 2, "lease_asks_total": 6,
		`leased_units_total{outcome="granted"}`: 28, `leased_units_total{outcome="returned"}`: 4,
	} {
		require.InDelta(t, want, got["cellserver_"+sample], 0, sample)
	}

	h.Do("CONFIG RESETSTAT")
	sidecar.State.Closed()
	leases := statusOf(t, h)["leases"].(map[string]any)
	require.Equal(t, []any{holder(library, "", false, 1, 3, 0), holder(idle, "", true, 0, 0, 0)}, leases["holders"])
	require.Equal(t, []any{1.0, 0.0, 0.0}, []any{leases["sidecars"], leases["asks"], leases["granted"]})
}

func holder(c *servertest.Client, name string, sidecar bool, asks, granted, returned float64) map[string]any {
	return map[string]any{
		"name": name, "address": c.RemoteAddr().String(), "sidecar": sidecar, "user": "default",
		"asks": asks, "granted": granted, "returned": returned,
	}
}

// TestManyHolders: the reply is bounded, and has those who ask most.
func TestManyHolders(t *testing.T) {
	h := servertest.New(t)
	for i := range 150 {
		c := h.NewClient(t)
		for range i + 1 {
			c.Do("CL.LEASE 1 1000 CL.WINDOW w 25 60")
		}
	}
	holders := statusOf(t, h)["leases"].(map[string]any)["holders"].([]any)
	require.Len(t, holders, 100)
	require.InDelta(t, 150, holders[0].(map[string]any)["asks"], 0)
	require.InDelta(t, 51, holders[99].(map[string]any)["asks"], 0)
}
