package packages

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	chart = deploy + "helm/cellserver"
	image = "image.repository=registry.example/acme/cellserver"
)

// helm runs the program that tests/packages/run builds.
func helm(t *testing.T, args ...string) (string, error) {
	t.Helper()
	program := os.Getenv("HELM")
	require.NotEmpty(t, program, "run tests/packages/run: it builds helm")
	out, err := exec.Command(program, args...).CombinedOutput()
	return string(out), err
}

// rendered returns the objects of the chart with some values, after helm has found no fault in it.
func rendered(t *testing.T, values ...string) []v1.Object {
	t.Helper()
	var set []string
	for _, value := range append(values, image) {
		set = append(set, "--set", value)
	}
	out, err := helm(t, append([]string{"lint", "--strict", chart}, set...)...)
	require.NoError(t, err, out)
	out, err = helm(t, append([]string{"template", "limits", chart}, set...)...)
	require.NoError(t, err, out)
	return decode(t, "helm", []byte(out))
}

// server returns the container of the server and its StatefulSet.
func server(t *testing.T, all []v1.Object) (*apps.StatefulSet, core.Container) {
	t.Helper()
	for _, object := range all {
		if set, is := object.(*apps.StatefulSet); is {
			require.Len(t, set.Spec.Template.Spec.Containers, 1)
			return set, set.Spec.Template.Spec.Containers[0]
		}
	}
	require.Fail(t, "there is no StatefulSet")
	return nil, core.Container{}
}

// TestHelmChart: the chart makes the pods of the files for kubectl, with names of its own.
func TestHelmChart(t *testing.T) {
	for nodes, file := range map[string]string{"1": "kubernetes-service.yaml", "3": "kubernetes.yaml"} {
		all := rendered(t, "nodes="+nodes)
		requireSound(t, "helm", all)
		set, ours := server(t, all)
		plain, theirs := server(t, objectsOf(t, file))
		require.Equal(t, "registry.example/acme/cellserver:0.1.0", ours.Image)
		require.Equal(t, *plain.Spec.Replicas, *set.Spec.Replicas)
		require.Equal(t, theirs.SecurityContext, ours.SecurityContext)
		require.Equal(t, theirs.Resources, ours.Resources)
		require.Equal(t, theirs.StartupProbe, ours.StartupProbe)
		require.Equal(t, theirs.ReadinessProbe, ours.ReadinessProbe)
		require.Equal(t, theirs.LivenessProbe, ours.LivenessProbe)
		require.Equal(t, plain.Spec.Template.Spec.SecurityContext, set.Spec.Template.Spec.SecurityContext)
		require.Equal(t, plain.Spec.VolumeClaimTemplates, set.Spec.VolumeClaimTemplates)
		require.False(t, *set.Spec.Template.Spec.EnableServiceLinks)
	}
}

// TestHelmNamesTheNodes: a cluster has an address for each of its pods, at the service of the StatefulSet.
func TestHelmNamesTheNodes(t *testing.T) {
	for _, nodes := range []int{3, 5} {
		set, c := server(t, rendered(t, fmt.Sprintf("nodes=%d", nodes)))
		for i := range nodes {
			require.Contains(t, c.Args, fmt.Sprintf("%s-%d.%s:6379", set.Name, i, set.Spec.ServiceName))
		}
		require.NotContains(t, c.Args, fmt.Sprintf("%s-%d.%s:6379", set.Name, nodes, set.Spec.ServiceName))
	}
}

// TestProbesOfHelm starts the server of the chart, and runs its probes.
func TestProbesOfHelm(t *testing.T) {
	requireProbed(t, "helm", rendered(t, "args={--appendfsync,always}"))
}

// TestRulesOfHelm: the server accepts the rules where the chart puts them.
func TestRulesOfHelm(t *testing.T) {
	values := filepath.Join(t.TempDir(), "values.yaml")
	text := "image: {repository: registry.example/cellserver}\n" +
		"rules: |\n  rules:\n    api:\n      limits: CL.THROTTLE 4 5 60\n"
	require.NoError(t, os.WriteFile(values, []byte(text), 0o600))
	out, err := helm(t, "template", "limits", chart, "--values", values)
	require.NoError(t, err, out)
	all := decode(t, "helm", []byte(out))
	requireSound(t, "helm", all)
	_, c := server(t, all)
	require.Contains(t, c.Args, "/etc/cellserver/rules.yaml")
	found := false
	for _, object := range all {
		if m, is := object.(*core.ConfigMap); is {
			found = true
			file := filepath.Join(t.TempDir(), "rules.yaml")
			require.NoError(t, os.WriteFile(file, []byte(m.Data["rules.yaml"]), 0o600))
			out, err := exec.Command(os.Getenv("CELLSERVER"), "--check-rules", file).CombinedOutput()
			require.NoError(t, err, string(out))
			require.Contains(t, string(out), "api")
		}
	}
	require.True(t, found)
}

// TestHelmMemory: the limit of the pod is at least twice maxmemory, in the units of both, or there is none.
func TestHelmMemory(t *testing.T) {
	for _, values := range []string{
		"maxmemory=4gb,resources.limits.memory=8Gi", "maxmemory=1g,resources.limits.memory=2G",
		"maxmemory=100k,resources.limits.memory=2e5", "maxmemory=1gb,resources.limits.memory=1P", "maxmemory=1gb,resources.limits.memory=2147483648",
		"maxmemory=4gb,resources.limits.memory=8.5Gi", "maxmemory=4gb,resources.limits=null",
		"maxmemory=4gb,resources.limits.memory=null",
	} {
		out, err := helm(t, "template", "limits", chart, "--set", values+","+image)
		require.NoError(t, err, "%s: %s", values, out)
	}
}

// TestHelmRefuses: a value that the chart does not know, or cannot use, is an error that names it.
func TestHelmRefuses(t *testing.T) {
	for value, says := range map[string]string{
		"image.repository=":                                      "image.repository: name the image in your registry",
		"nods=3," + image:                                        "additional properties 'nods' not allowed",
		"nodes=2," + image:                                       "'/nodes': value must be one of 1, 3, 5",
		"args={--maxclients,200}," + image:                       "'/args/1': got number, want string",
		"maxmemory=lots," + image:                                "'/maxmemory'",
		"maxmemory=4gb," + image:                                 "resources.limits.memory 1Gi: give at least twice maxmemory, which is 4gb",
		"maxmemory=513mb," + image:                               "resources.limits.memory 1Gi: ",
		"maxmemory=4000001k,resources.limits.memory=8G," + image: "resources.limits.memory 8G: ",
		"image.digest=latest," + image:                           "'/image/digest'",
		"service.type=Public," + image:                           "'/service/type'",
		"storage.class=fast," + image:                            "additional properties 'class' not allowed",
		"secret.password=word," + image:                          "'/secret': got object, want string",
	} {
		out, err := helm(t, "template", "limits", chart, "--set", value)
		require.Error(t, err, value)
		require.Contains(t, out, says, value)
	}
}
