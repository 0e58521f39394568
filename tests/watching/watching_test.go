package watching

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cellserver/internal/porttest"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"
)

// ofTarget are labels that Prometheus adds to each sample, and up is its own metric.
var ofTarget = []string{"instance", "job"}

// known has the labels of each metric, and for each label its values. A histogram has the three names of its series.
type known map[string]map[string][]string

func knownOf(families map[string]*dto.MetricFamily) known {
	k := known{"up": {}}
	for name, family := range families {
		seen := map[string][]string{}
		for _, m := range family.Metric {
			for _, l := range m.Label {
				seen[l.GetName()] = append(seen[l.GetName()], l.GetValue())
			}
		}
		if family.GetType() != dto.MetricType_HISTOGRAM {
			k[name] = seen
			continue
		}
		k[name+"_sum"], k[name+"_count"] = seen, seen
		k[name+"_bucket"] = map[string][]string{"le": {"+Inf"}}
		for label, values := range seen {
			k[name+"_bucket"][label] = values
		}
	}
	return k
}

// fixedValues are the labels that have all of their values in every scrape.
var fixedValues = []string{"outcome", "mode", "direction", "file"}

// check returns the number of metrics in an expression. It returns an error if the expression is wrong, or if a metric, a
// label or a fixed value does not exist.
func (k known) check(text string) (metrics int, fault error) {
	expr, err := parser.NewParser(parser.Options{}).ParseExpr(text)
	if err != nil {
		return 0, err
	}
	all := slices.Clone(ofTarget)
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		if selector, ok := node.(*parser.VectorSelector); ok {
			metrics++
			fault = errors.Join(fault, k.checkSelector(selector))
			all = slices.AppendSeq(all, maps.Keys(k[selector.Name]))
		}
		return nil
	})
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		if by, ok := node.(*parser.AggregateExpr); ok {
			for _, label := range by.Grouping {
				if !slices.Contains(all, label) {
					fault = errors.Join(fault, fmt.Errorf("no metric has the label %s: %s", label, text))
				}
			}
		}
		return nil
	})
	if metrics == 0 {
		return 0, fmt.Errorf("there is no metric in %s", text)
	}
	return metrics, fault
}

func (k known) checkSelector(selector *parser.VectorSelector) error {
	has, ok := k[selector.Name]
	if !ok {
		return fmt.Errorf("there is no metric %s", selector.Name)
	}
	for _, m := range selector.LabelMatchers {
		if m.Name == model.MetricNameLabel || slices.Contains(ofTarget, m.Name) {
			continue
		}
		values, ok := has[m.Name]
		if !ok {
			return fmt.Errorf("%s does not have the label %s", selector.Name, m.Name)
		}
		if slices.Contains(fixedValues, m.Name) && !slices.ContainsFunc(values, m.Matches) {
			return fmt.Errorf("no sample of %s has %s", selector.Name, m)
		}
	}
	return nil
}

// everything returns the metrics of a node of a cluster, of its sidecar, and of a server that follows another one.
func everything(t *testing.T) map[string]*dto.MetricFamily {
	t.Helper()
	s := start(t, true)
	s.use()
	all := s.beside().families()
	follower := start(t, false)
	follower.send("REPLICAOF", "127.0.0.1", fmt.Sprint(porttest.Free(t)))
	maps.Copy(all, follower.families())
	maps.Copy(all, s.families())
	return all
}

func TestDashboard(t *testing.T) {
	k := knownOf(everything(t))
	text, err := os.ReadFile("../../deploy/grafana.json")
	require.NoError(t, err)
	var dashboard struct {
		Panels []struct {
			ID      int
			Title   string
			Type    string
			GridPos struct{ X, Y, W, H int }
			Targets []struct{ Expr, LegendFormat string }
		}
	}
	require.NoError(t, json.Unmarshal(text, &dashboard))
	variables := strings.NewReplacer("$__rate_interval", "5m", "$instance", ".*")
	ids, metrics := map[int]bool{}, 0
	for _, p := range dashboard.Panels {
		require.False(t, ids[p.ID], "two panels have the id %d", p.ID)
		ids[p.ID] = true
		require.LessOrEqual(t, p.GridPos.X+p.GridPos.W, 24, p.Title)
		require.Equal(t, p.Type == "row", len(p.Targets) == 0, p.Title)
		for _, target := range p.Targets {
			expr := variables.Replace(target.Expr)
			n, err := k.check(expr)
			require.NoError(t, err, p.Title)
			metrics += n
			for _, m := range legendLabel.FindAllStringSubmatch(target.LegendFormat, -1) {
				require.Contains(t, expr+" instance", m[1], p.Title)
			}
		}
	}
	require.Greater(t, metrics, 30)
}

var legendLabel = regexp.MustCompile(`\{\{(\w+)\}\}`)

func TestAlerts(t *testing.T) {
	k := knownOf(everything(t))
	text, err := os.ReadFile("../../deploy/alerts.yaml")
	require.NoError(t, err)
	groups, errs := rulefmt.Parse(text, false, model.LegacyValidation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	require.Empty(t, errs)
	alerts := 0
	for _, group := range groups.Groups {
		for _, rule := range group.Rules {
			alerts++
			_, err := k.check(rule.Expr)
			require.NoError(t, err, rule.Alert)
			require.Contains(t, []string{"page", "ticket"}, rule.Labels["severity"], rule.Alert)
			require.NotEmpty(t, rule.Annotations["summary"], rule.Alert)
			require.NotEmpty(t, rule.Annotations["description"], rule.Alert)
		}
	}
	require.Greater(t, alerts, 15)
}

// TestNames holds the names and types of all metrics to the conventions of Prometheus.
func TestNames(t *testing.T) {
	for _, cluster := range []bool{false, true} {
		s := start(t, cluster)
		s.use()
		for _, one := range []*server{s, s.beside()} {
			problems, err := promlint.New(strings.NewReader(one.get("/metrics"))).Lint()
			require.NoError(t, err)
			require.Empty(t, problems)
		}
	}
}

// TestHostileLabels reads keys back that clients chose, through the parser of Prometheus. A long key is shown with 256
// bytes.
func TestHostileLabels(t *testing.T) {
	s := start(t, false)
	keys := []string{`a"b\c` + "\nd}", "ä", "{}", `le="1"`, "# HELP x", strings.Repeat("x", 256)}
	for _, key := range append(keys, "\xff", strings.Repeat("y", 3000)) {
		s.send("CL.THROTTLE", key, "0", "1", "60")
		s.send("CL.THROTTLE", key, "0", "1", "60")
	}
	k := knownOf(s.families())
	require.ElementsMatch(t, append(keys, "\uFFFD", strings.Repeat("y", 256)), k["cellserver_limited_keys"]["key"])
}

// TestFaultsAreFound shows that the checks above find names that do not exist.
func TestFaultsAreFound(t *testing.T) {
	k := known{"cellserver_keys": {"db": {"0"}}, "cellserver_decisions_total": {"outcome": {"allowed"}}}
	for _, expr := range []string{
		"cellserver_key", `cellserver_keys{database="0"}`, "sum by (database) (cellserver_keys)", `cellserver_decisions_total{outcome="refused"}`, "sum(cellserver_keys", "1",
	} {
		_, err := k.check(expr)
		require.Error(t, err, expr)
	}
	_, err := k.check(`sum by (db, instance) (rate(cellserver_keys{db=~"0|1",job="x"}[5m]))`)
	require.NoError(t, err)
}
