package cluster

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// deployed is what a file of ../../deploy says about one node.
type deployed struct {
	hosts  []string // by the numbers of the nodes
	args   []string
	env    map[string]string
	probes [][]string
}

const password = "the password of the tests"

// values are what a person sets for the files.
var values = map[string]string{"CELLSERVER_CLUSTER_SECRET": "a secret of the tests, 32 bytes long", "CELLSERVER_REQUIREPASS": password}

// composed reads compose.yaml.
func composed(t *testing.T) (d deployed) {
	t.Helper()
	var file struct {
		Services map[string]struct {
			Hostname, Command, Build string
			Environment              map[string]string
			Ports, Volumes           []string
		}
		Volumes map[string]any
	}
	text, err := os.ReadFile("../../deploy/compose.yaml")
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &file))
	ports := map[string]bool{}
	for i := 1; i <= 3; i++ {
		name := fmt.Sprint("node", i)
		s := file.Services[name]
		require.Equal(t, name, s.Hostname)
		require.FileExists(t, filepath.Join("../../deploy", s.Build, "Dockerfile"))
		require.Equal(t, []string{name + ":/data"}, s.Volumes)
		require.Contains(t, file.Volumes, name)
		require.Regexp(t, `^\d+:6380$`, s.Ports[0], "the proxy port")
		ports[s.Ports[0]] = true
		d.hosts, d.args, d.env = append(d.hosts, name), strings.Fields(s.Command), s.Environment
	}
	require.Len(t, ports, 3)
	for name, value := range d.env {
		require.Regexp(t, `^\$\{[A-Z_]+:\?.+\}$`, value, "%s must be set by a person", name)
	}
	return d
}

// orchestrated reads kubernetes.yaml.
func orchestrated(t *testing.T) (d deployed) {
	t.Helper()
	type selector struct {
		MatchLabels map[string]string `yaml:"matchLabels"`
	}
	type probe struct {
		Exec    struct{ Command []string }
		HTTPGet struct{ Path, Port string } `yaml:"httpGet"`
	}
	type object struct {
		Kind     string
		Metadata struct{ Name string }
		Spec     struct {
			ClusterIP      string `yaml:"clusterIP"`
			NotReady       bool   `yaml:"publishNotReadyAddresses"`
			ServiceName    string `yaml:"serviceName"`
			Replicas       int
			Policy         string `yaml:"podManagementPolicy"`
			MaxUnavailable int    `yaml:"maxUnavailable"`
			Selector       yaml.Node
			Template       struct {
				Metadata struct{ Labels map[string]string }
				Spec     struct {
					ServiceLinks *bool `yaml:"enableServiceLinks"`
					Containers   []struct {
						Args      []string
						Env       []struct{ Name string }
						Readiness probe `yaml:"readinessProbe"`
						Liveness  probe `yaml:"livenessProbe"`
						Mounts    []struct {
							Name, MountPath string
						} `yaml:"volumeMounts"`
					}
				}
			}
		}
	}
	f, err := os.Open("../../deploy/kubernetes.yaml")
	require.NoError(t, err)
	defer f.Close()
	all := map[string]object{}
	for in := yaml.NewDecoder(f); ; {
		var o object
		if err := in.Decode(&o); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err)
		}
		all[o.Kind+" "+o.Metadata.Name] = o
	}
	set, headless, budget := all["StatefulSet cells"].Spec, all["Service cells-nodes"].Spec, all["PodDisruptionBudget cells"].Spec
	require.Equal(t, "None", headless.ClusterIP)
	require.True(t, headless.NotReady, "nodes find each other before they are ready")
	require.Equal(t, "cells-nodes", set.ServiceName)
	require.Equal(t, "Parallel", set.Policy, "no node is ready before the cluster has formed")
	require.Equal(t, 1, budget.MaxUnavailable)
	labels := set.Template.Metadata.Labels
	for _, name := range []string{"Service cells-nodes", "Service cells"} {
		var by map[string]string
		spec := all[name].Spec
		require.NoError(t, spec.Selector.Decode(&by), name)
		require.Equal(t, labels, by, name)
	}
	for _, name := range []string{"StatefulSet cells", "PodDisruptionBudget cells"} {
		var by selector
		spec := all[name].Spec
		require.NoError(t, spec.Selector.Decode(&by), name)
		require.Equal(t, labels, by.MatchLabels, name)
	}
	pod := set.Template.Spec
	require.NotNil(t, pod.ServiceLinks)
	require.False(t, *pod.ServiceLinks, "Kubernetes would set CELLSERVER_PORT for a service of this name")
	c := pod.Containers[0]
	d.args, d.env = c.Args, map[string]string{}
	d.probes = [][]string{c.Readiness.Exec.Command}
	require.Equal(t, struct{ Path, Port string }{"/healthz", "metrics"}, c.Liveness.HTTPGet, "ping fails while a node loads its data")
	for _, e := range c.Env {
		d.env[e.Name] = ""
	}
	for i := range set.Replicas {
		d.hosts = append(d.hosts, fmt.Sprintf("cells-%d.%s", i, set.ServiceName))
	}
	return d
}

// The files of deploy/ are right: their command lines start a cluster of nodes with these names, which serves through the
// proxy port, loses a node, and has probes that say so.
func TestDeployments(t *testing.T) {
	for name, read := range map[string]func(*testing.T) deployed{"compose": composed, "kubernetes": orchestrated} {
		t.Run(name, func(t *testing.T) {
			d := read(t)
			require.Len(t, d.hosts, 3)
			require.Equal(t, d.hosts, nodesIn(d.args), "the names of the nodes")
			for name := range d.env {
				require.Contains(t, values, name)
			}
			require.Len(t, d.env, len(values))
			requireDirectives(t, d)

			p := startDeployed(t, d)
			require.Equal(t, int64(0), p.throttle(0))
			for i := range p.nodes {
				for _, probe := range d.probes {
					p.eventually(fmt.Sprintf("%q fails", probe), func() bool { return p.probe(i, probe) == nil })
				}
			}
			leader := p.awaitLeader()
			p.kill(leader)
			p.awaitLeader()
			require.Equal(t, int64(0), p.throttle((leader+1)%3), "the proxy port of a node leads to the new leader")
			for _, probe := range d.probes {
				require.Error(t, p.probe(leader, probe), "%q", probe)
			}
			p.stop((leader + 1) % 3)
			last := (leader + 2) % 3
			if d.probes != nil {
				p.eventually("a node without a leader is ready", func() bool { return p.probe(last, d.probes[0]) != nil })
				require.NoError(t, p.probe(last, []string{"", "--ping"}), "it is alive without a leader")
			}
			p.heal()
		})
	}
}

// nodesIn returns the hosts of cluster-nodes.
func nodesIn(args []string) (hosts []string) {
	for _, arg := range args[slices.Index(args, "--cluster-nodes")+1:] {
		if strings.HasPrefix(arg, "--") {
			break
		}
		hosts = append(hosts, strings.TrimSuffix(arg, ":6379"))
	}
	return hosts
}

// requireDirectives requires that the server knows the directives of a file.
func requireDirectives(t *testing.T, d deployed) {
	t.Helper()
	help, err := exec.Command(bin, "--help").Output()
	require.NoError(t, err)
	words := slices.Clone(d.args)
	for _, probe := range d.probes {
		require.Equal(t, "/cellserver", probe[0])
		words = append(words, probe[1:]...)
	}
	for name := range d.env {
		words = append(words, "--"+strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(name, "CELLSERVER_"), "_", "-")))
	}
	for _, word := range words {
		if name, is := strings.CutPrefix(word, "--"); is && name != "ping" {
			require.Contains(t, string(help), "\n  --"+name+" (", "the directive is not in the help")
		}
	}
	text, err := os.ReadFile("../../Dockerfile")
	require.NoError(t, err)
	require.Regexp(t, regexp.MustCompile(`(?m)^ENTRYPOINT \["/cellserver"\]$`), string(text))
	require.Regexp(t, regexp.MustCompile(`(?m)^WORKDIR /data$`), string(text))
}

// startDeployed starts nodes in namespaces, with the names, the command lines and the environment of a file. The image has
// CELLSERVER_BIND in its environment.
func startDeployed(t *testing.T, d deployed) *processes {
	t.Helper()
	p := placeOnNetwork(t, len(d.hosts))
	p.network.giveNames(d.hosts)
	p.command = func(i int) *exec.Cmd {
		cmd := p.network.command(i, append([]string{bin}, d.args...))
		cmd.Dir = p.nodes[i].dir
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "CELLSERVER_BIND=* -::*"}
		for name := range d.env {
			cmd.Env = append(cmd.Env, name+"="+values[name])
		}
		return cmd
	}
	p.password = password
	p.begin()
	return p
}

// probe runs a health check in the place of a node.
func (p *processes) probe(i int, argv []string) error {
	cmd := p.command(i)
	cmd.Args = append(slices.Clone(cmd.Args[:slices.Index(cmd.Args, bin)+1]), argv[1:]...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// throttle asks for a decision through the proxy port of a node.
func (p *processes) throttle(i int) any {
	p.t.Helper()
	var reply any
	p.eventually("the proxy port does not answer", func() bool {
		var err error
		reply, err = p.askAt(fmt.Sprint(p.nodes[i].host, ":", p.nodes[i].proxy), "CL.THROTTLE", "user:1", 15, 30, 60)
		_, decided := reply.([]any)
		return err == nil && decided
	})
	return reply.([]any)[0]
}
