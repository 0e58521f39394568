package watching

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// firing is a history in which an alert fires, and one that is nearly the same, in which it does not. Series have a sample a
// minute, in the notation of promtool: "0+1x30" goes from 0 to 30.
type firing struct {
	alert   string
	series  map[string]string
	before  string // the alert does not fire yet; "" if it fires at once
	at      string // it fires
	labels  map[string]string
	summary string
	quiet   map[string]string
}

type series = map[string]string

var onA = map[string]string{"instance": "a"}

// firings has every alert of deploy/alerts.yaml.
var firings = []firing{
	{"CellserverDiskFails", series{`cellserver_persistence_failed{instance="a",file="log"}`: "0 1x9"}, "1m", "2m",
		map[string]string{"instance": "a", "file": "log"}, "a cannot write its log",
		series{`cellserver_persistence_failed{instance="a",file="log"}`: "0 1 0 1 0 1 0"}},
	{"CellserverIsGone", series{`up{job="cellserver",instance="a"}`: "1 0x9", `cellserver_info{instance="b"}`: "1x10"}, "2m", "3m",
		map[string]string{"instance": "a", "job": "cellserver"}, "a does not answer",
		series{`up{job="cellserver",instance="a"}`: "1 0 1 1 1", `cellserver_info{instance="a"}`: "1x10", `up{job="node"}`: "0x10"}},
	// One of three nodes of a cluster is lost, and then two.
	{"CellserverIsGone", series{`up{job="cellserver",instance="a"}`: "1 0x9", `up{job="cellserver",instance="b"}`: "1x10",
		`cellserver_cluster_up{job="cellserver",instance="b"}`: "1 0x9", `cellserver_info{job="cellserver",instance="b"}`: "1x10"}, "2m", "3m",
		map[string]string{"instance": "a", "job": "cellserver"}, "a does not answer",
		series{`up{job="cellserver",instance="a"}`: "1 0x9", `cellserver_cluster_up{job="cellserver",instance="b"}`: "1x10",
			`cellserver_cluster_up{job="cellserver",instance="c"}`: "1x10", `cellserver_info{job="cellserver",instance="b"}`: "1x10"}},
	{"CellserverIsGone", series{`up{job="node"}`: "1x10"}, "1m", "2m", nil, "cellserver does not answer", series{`cellserver_info{instance="a"}`: "1x10"}},
	{"CellserverRestarts", series{`cellserver_uptime_seconds{instance="a"}`: "100 200 10 20 10 20 10 20 30"}, "5m", "6m", onA,
		"a has started more than twice in half an hour", series{`cellserver_uptime_seconds{instance="a"}`: "100 200 10 20 10 20 30 40 50"}},
	{"CellserverMemoryIsNearlyFull", series{`cellserver_memory_used_bytes{instance="a"}`: "91x10", `cellserver_memory_max_bytes{instance="a"}`: "100x10"}, "4m", "5m", onA,
		"a uses 91% of maxmemory", series{`cellserver_memory_used_bytes{instance="a"}`: "91x10", `cellserver_memory_max_bytes{instance="a"}`: "0x10",
			`cellserver_memory_used_bytes{instance="b"}`: "90x10", `cellserver_memory_max_bytes{instance="b"}`: "100x10"}},
	{"CellserverEvictsKeys", series{`cellserver_keys_evicted_total{instance="a"}`: "0+1x30"}, "10m", "11m", onA,
		"a evicts keys", series{`cellserver_keys_evicted_total{instance="a"}`: "7x30"}},
	{"CellserverClientsAreNearlyFull", series{`cellserver_clients{instance="a"}`: "95x10", `cellserver_clients_max{instance="a"}`: "100x10"}, "4m", "5m", onA,
		"a has 95% of maxclients", series{`cellserver_clients{instance="a"}`: "90x10", `cellserver_clients_max{instance="a"}`: "100x10"}},
	{"CellserverRefusesClients", series{`cellserver_connections_rejected_total{instance="a"}`: "0+1x10"}, "0m", "1m", onA,
		"a refuses connections", series{`cellserver_connections_rejected_total{instance="a"}`: "9x10"}},
	{"CellserverErrors", series{`cellserver_errors_total{instance="a",code="OOM"}`: "0+1x10"}, "1m", "2m", map[string]string{"instance": "a", "code": "OOM"},
		"a answers OOM", series{`cellserver_errors_total{instance="a",code="ERR"}`: "0+1x10"}},
	{"CellserverIsSlow", series{`cellserver_command_duration_seconds_bucket{instance="a",le="0.05"}`: "0+90x30",
		`cellserver_command_duration_seconds_bucket{instance="a",le="0.1"}`: "0+100x30", `cellserver_command_duration_seconds_bucket{instance="a",le="+Inf"}`: "0+100x30"},
		"10m", "11m", onA, "one command in a hundred takes longer than 95ms on a",
		series{`cellserver_command_duration_seconds_bucket{instance="a",le="0.05"}`: "0+100x30", `cellserver_command_duration_seconds_bucket{instance="a",le="+Inf"}`: "0+101x30"}},
	{"CellserverAdaptiveLimitIsAtItsLeast", series{`cellserver_adaptive_limit{instance="a",key="k"}`: "5x30", `cellserver_adaptive_least{instance="a",key="k"}`: "5x30",
		`cellserver_adaptive_refused_total{instance="a",key="k"}`: "0+9x30"}, "5m", "6m", map[string]string{"instance": "a", "key": "k"},
		"the limit of k is at its least, and callers are refused",
		series{`cellserver_adaptive_limit{instance="a",key="k"}`: "6x30", `cellserver_adaptive_least{instance="a",key="k"}`: "5x30",
			`cellserver_adaptive_refused_total{instance="a",key="k"}`: "0+9x30", `cellserver_adaptive_limit{instance="a",key="l"}`: "5x30",
			`cellserver_adaptive_least{instance="a",key="l"}`: "5x30", `cellserver_adaptive_refused_total{instance="a",key="l"}`: "9x30"}},
	{"CellserverPanics", series{`cellserver_panics_total{instance="a"}`: "0 1x10"}, "0m", "1m", onA,
		"a command panicked on a", series{`cellserver_panics_total{instance="a"}`: "1x10"}},
	{"CellserverClockWasWrong", series{`cellserver_clock_steps_back_total{instance="a"}`: "0 1x10"}, "0m", "1m", onA,
		"the clock of a was set back", series{`cellserver_clock_steps_back_total{instance="a"}`: "1x10"}},
	{"CellserverPasswordsAreGuessed", series{`cellserver_auth_failures_total{instance="a"}`: "0+60x30"}, "10m", "11m", onA,
		"a gets wrong passwords", series{`cellserver_auth_failures_total{instance="a"}`: "0+4x30"}},
	{"CellserverRefusesMuch", series{`cellserver_decisions_total{instance="a",outcome="limited"}`: "0+60x30", `cellserver_decisions_total{instance="a",outcome="allowed"}`: "0+40x30"},
		"10m", "11m", onA, "a refuses 60% of all actions",
		series{`cellserver_decisions_total{instance="a",outcome="limited"}`: "0+50x30", `cellserver_decisions_total{instance="a",outcome="allowed"}`: "0+50x30"}},
	{"CellserverRulesAreOld", series{`cellserver_rules_failing{instance="a",source="url"}`: "0 1x30"}, "10m", "11m", map[string]string{"instance": "a", "source": "url"},
		"a cannot use the rules of its url", series{`cellserver_rules_failing{instance="a",source="url"}`: "0 1x9 0 1x9"}},
	{"CellserverMoveHasStopped", series{`cellserver_master_link_stopped{instance="a"}`: "0 1x9"}, "1m", "2m", onA,
		"a has stopped to follow its master", series{`cellserver_master_link_stopped{instance="a"}`: "0 1 0 1 0 1 0"}},
	{"CellserverMasterIsLost", series{`cellserver_master_link_up{instance="a"}`: "1 0x9", `cellserver_master_link_stopped{instance="a"}`: "0x10"}, "2m", "3m", onA,
		"a has no link to its master", series{`cellserver_master_link_up{instance="a"}`: "1 0x9", `cellserver_master_link_stopped{instance="a"}`: "0 1x9"}},
	{"CellserverMoveBeginsAgain", series{`cellserver_master_full_copies_total{instance="a"}`: "1 1x8 2 2x8 3 3x8 4x9"}, "29m", "30m", onA,
		"a takes a full copy of its master again and again", series{`cellserver_master_full_copies_total{instance="a"}`: "1 1x8 2 2x8 3 3x20"}},
	{"CellserverHubIsLost", series{`cellserver_sidecar_hub_up{instance="a"}`: "1 0x5"}, "1m", "2m", onA,
		"the hub does not answer the sidecar a", series{`cellserver_sidecar_hub_up{instance="a"}`: "1 0 1 0 1 1 1"}},
	{"CellserverLeasesAreStranded", series{`cellserver_sidecar_units_total{instance="a",outcome="stranded"}`: "0+25x30",
		`cellserver_sidecar_units_total{instance="a",outcome="leased"}`: "0+100x30"}, "10m", "11m", onA,
		"25% of the units that a leases are lost", series{`cellserver_sidecar_units_total{instance="a",outcome="stranded"}`: "0+19x30",
			`cellserver_sidecar_units_total{instance="a",outcome="leased"}`: "0+100x30"}},
	{"CellserverClusterIsDown", series{`cellserver_cluster_up{instance="a"}`: "1 0x5"}, "1m", "2m", onA,
		"a knows no leader", series{`cellserver_cluster_up{instance="a"}`: "1x10"}},
	{"CellserverClusterHasNoLeader", series{`cellserver_cluster_leads{job="c",instance="a"}`: "0x10", `cellserver_cluster_leads{job="c",instance="b"}`: "0x10"}, "0m", "1m",
		map[string]string{"job": "c"}, "0 nodes lead the cluster", series{`cellserver_cluster_leads{job="c",instance="a"}`: "0x10", `cellserver_cluster_leads{job="c",instance="b"}`: "1x10"}},
	{"CellserverNodeIsMissing", series{`cellserver_cluster_node_healthy{job="c",instance="a",node="n",address="10.0.0.2:6379"}`: "0x10",
		`cellserver_cluster_node_healthy{job="c",instance="b",node="n",address="10.0.0.2:6379"}`: "1x10"}, "1m", "2m",
		map[string]string{"job": "c", "node": "n", "address": "10.0.0.2:6379"}, "the cluster does not hear of the node 10.0.0.2:6379",
		series{`cellserver_cluster_node_healthy{job="c",instance="a",node="n",address="10.0.0.2:6379"}`: "1x10"}},
	{"CellserverElections", series{`cellserver_cluster_epoch_changes_total{instance="a"}`: "0+1x30"}, "5m", "10m", onA,
		"the leader changes often", series{`cellserver_cluster_epoch_changes_total{instance="a"}`: "0 1 2 3 4 4x25"}},
	{"CellserverLogGrows", series{`cellserver_cluster_log_grows{instance="a"}`: "0 1x30"}, "10m", "11m", onA,
		"a cannot write a snapshot of the cluster", series{`cellserver_cluster_log_grows{instance="a"}`: "0 1x9 0 1x9"}},
	{"CellserverClocksDiffer", series{`cellserver_cluster_clock_skew_seconds{job="c",instance="a"}`: "0 0.3x10", `cellserver_cluster_clock_skew_seconds{job="c",instance="b"}`: "0x11"},
		"5m", "6m", map[string]string{"job": "c"}, "the clocks of two nodes differ by 300ms", series{`cellserver_cluster_clock_skew_seconds{job="c",instance="a"}`: "0.2x11"}},
	{"CellserverClusterIsSlow", series{`cellserver_cluster_commit_duration_seconds_bucket{instance="a",le="0.1"}`: "0+90x30",
		`cellserver_cluster_commit_duration_seconds_bucket{instance="a",le="1"}`: "0+100x30", `cellserver_cluster_commit_duration_seconds_bucket{instance="a",le="+Inf"}`: "0+100x30"},
		"10m", "11m", onA, "the nodes take 910ms to agree",
		series{`cellserver_cluster_commit_duration_seconds_bucket{instance="a",le="0.1"}`: "0+100x30", `cellserver_cluster_commit_duration_seconds_bucket{instance="a",le="+Inf"}`: "0+101x30"}},
}

// The file of a unit test of promtool. Source: https://prometheus.io/docs/prometheus/latest/configuration/unit_testing_rules/
type (
	unitTests struct {
		RuleFiles []string   `json:"rule_files"`
		Interval  string     `json:"evaluation_interval"`
		Tests     []unitTest `json:"tests"`
	}
	unitTest struct {
		Interval string           `json:"interval"`
		Input    []map[string]any `json:"input_series"`
		Alerts   []expectation    `json:"alert_rule_test"`
	}
	expectation struct {
		At     string                         `json:"eval_time"`
		Alert  string                         `json:"alertname"`
		Alerts []map[string]map[string]string `json:"exp_alerts"`
	}
)

func input(in series) (all []map[string]any) {
	for name, values := range in {
		all = append(all, map[string]any{"series": name, "values": values})
	}
	return all
}

// alert is what deploy/alerts.yaml says of an alert.
type alert struct {
	Alert       string
	Labels      map[string]string
	Annotations map[string]string
}

// TestAlertsFire runs every alert in promtool, the tester of Prometheus: in a history in which it must fire, and in one in which it
// must not.
func TestAlertsFire(t *testing.T) {
	file, err := filepath.Abs("../../deploy/alerts.yaml")
	require.NoError(t, err)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var rules struct{ Groups []struct{ Rules []alert } }
	require.NoError(t, yaml.Unmarshal(text, &rules))
	known := map[string]alert{}
	for _, g := range rules.Groups {
		for _, one := range g.Rules {
			known[one.Alert] = one
		}
	}
	all, left := unitTests{[]string{file}, "1m", nil}, maps.Clone(known)
	for _, f := range firings {
		require.Contains(t, known, f.alert)
		delete(left, f.alert)
		all.Tests = append(all.Tests, f.fires(known[f.alert]), f.staysQuiet())
	}
	require.Empty(t, left, "alerts without a history")
	out, err := promtool(t, &all)
	require.NoError(t, err, out)

	// A history in which an alert fires is a fault if nobody expects the alert.
	wrong := firings[0].fires(known[firings[0].alert])
	wrong.Alerts[1].Alerts = nil
	out, err = promtool(t, &unitTests{all.RuleFiles, "1m", []unitTest{wrong}})
	require.Error(t, err)
	require.Contains(t, out, "FAILED")
}

func (f *firing) fires(known alert) unitTest {
	labels := maps.Clone(known.Labels)
	maps.Copy(labels, f.labels)
	annotations := map[string]string{"summary": f.summary, "description": known.Annotations["description"]}
	return unitTest{"1m", input(f.series), []expectation{
		{At: f.before, Alert: f.alert},
		{At: f.at, Alert: f.alert, Alerts: []map[string]map[string]string{{"exp_labels": labels, "exp_annotations": annotations}}},
	}}
}

func (f *firing) staysQuiet() unitTest {
	all := unitTest{Interval: "1m", Input: input(f.quiet)}
	for _, at := range []string{f.before, f.at, "15m"} {
		all.Alerts = append(all.Alerts, expectation{At: at, Alert: f.alert})
	}
	return all
}

// promtool runs unit tests.
func promtool(t *testing.T, tests *unitTests) (out string, err error) {
	t.Helper()
	text, err := json.Marshal(tests) // JSON is YAML
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "tests.yaml")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	program := promtoolPath(t)
	printed, err := exec.Command(program, "test", "rules", file).CombinedOutput()
	return string(printed), err
}

func promtoolPath(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath("promtool")
	require.NoError(t, err, "promtool is in the package prometheus of Debian: tests/run install")
	return program
}

// TestPrometheusReadsItsFile: deploy/prometheus.yaml is valid, finds the alerts, and has the job they watch.
func TestPrometheusReadsItsFile(t *testing.T) {
	const name = "../../deploy/prometheus.yaml"
	out, err := exec.Command(promtoolPath(t), "check", "config", name).CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "1 rule files found")
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	var file struct {
		Jobs []struct {
			Name    string                       `yaml:"job_name"`
			Targets []struct{ Targets []string } `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
	}
	require.NoError(t, yaml.Unmarshal(text, &file))
	require.Len(t, file.Jobs, 1)
	require.Regexp(t, ".*cellserver.*", file.Jobs[0].Name)
	require.Equal(t, []string{"127.0.0.1:9121"}, file.Jobs[0].Targets[0].Targets)
}
