package packages

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/stretchr/testify/require"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

const deploy = "../../deploy/"

// objectsOf reads a file of Kubernetes.
func objectsOf(t *testing.T, name string) []v1.Object {
	t.Helper()
	text, err := os.ReadFile(deploy + name)
	require.NoError(t, err)
	return decode(t, name, text)
}

// decode decodes the text of a file. An unknown kind is an error, and so is an unknown field.
func decode(t *testing.T, name string, text []byte) (all []v1.Object) {
	t.Helper()
	for _, document := range bytes.Split(text, []byte("\n---\n")) {
		var kind v1.TypeMeta
		require.NoError(t, yaml.Unmarshal(document, &kind))
		object := map[string]v1.Object{
			"v1 Service": &core.Service{}, "apps/v1 StatefulSet": &apps.StatefulSet{}, "apps/v1 Deployment": &apps.Deployment{},
			"policy/v1 PodDisruptionBudget": &policy.PodDisruptionBudget{}, "v1 ConfigMap": &core.ConfigMap{},
		}[kind.APIVersion+" "+kind.Kind]
		require.NotNil(t, object, "%s: %v", name, kind)
		require.NoError(t, yaml.UnmarshalStrict(document, object), name)
		require.NotEmpty(t, object.GetName())
		all = append(all, object)
	}
	return all
}

// template returns the pods of an object, and which labels select them; nil if it has no pods.
func template(object v1.Object) (*core.PodTemplateSpec, map[string]string, []core.PersistentVolumeClaim) {
	switch o := object.(type) {
	case *apps.StatefulSet:
		return &o.Spec.Template, o.Spec.Selector.MatchLabels, o.Spec.VolumeClaimTemplates
	case *apps.Deployment:
		return &o.Spec.Template, o.Spec.Selector.MatchLabels, nil
	}
	return nil, nil, nil
}

// manifests are the files for kubectl.
var manifests = []string{"kubernetes.yaml", "kubernetes-service.yaml", "kubernetes-sidecar.yaml", "kubernetes-envoy.yaml"}

// TestKubernetes: names that refer to others exist, and a container has the least rights.
func TestKubernetes(t *testing.T) {
	for _, name := range manifests {
		requireSound(t, name, objectsOf(t, name))
	}
}

// requireSound requires that volumes, labels and ports exist, and that the server is restricted.
func requireSound(t *testing.T, name string, all []v1.Object) {
	t.Helper()
	var labels map[string]string
	ports := map[string]bool{}
	for _, object := range all {
		pod, selector, claims := template(object)
		if pod == nil {
			continue
		}
		labels = pod.Labels
		require.Equal(t, labels, selector, name)
		volumes := map[string]bool{}
		for _, v := range pod.Spec.Volumes {
			volumes[v.Name] = true
		}
		for _, claim := range claims {
			volumes[claim.Name] = true
		}
		for _, c := range append(pod.Spec.InitContainers, pod.Spec.Containers...) {
			for _, mount := range c.VolumeMounts {
				require.True(t, volumes[mount.Name], "%s: %s", name, mount.Name)
			}
			for _, p := range c.Ports {
				ports[fmt.Sprint(p.ContainerPort)], ports[p.Name] = true, true
			}
			if strings.HasPrefix(c.Name, "cellserver") {
				requireRestricted(t, pod, c)
			}
		}
	}
	require.NotEmpty(t, labels, name)
	for _, object := range all {
		s, is := object.(*core.Service)
		if !is {
			continue
		}
		require.Equal(t, labels, s.Spec.Selector, name)
		for _, p := range s.Spec.Ports {
			target := fmt.Sprint(p.Port)
			if p.TargetPort.String() != "0" {
				target = p.TargetPort.String()
			}
			require.True(t, ports[target], "%s: the port %s", name, target)
		}
	}
}

// requireRestricted requires what the level "restricted" of Kubernetes asks for, probes, and bounds of memory.
func requireRestricted(t *testing.T, pod *core.PodTemplateSpec, c core.Container) {
	require.True(t, *pod.Spec.SecurityContext.RunAsNonRoot)
	require.Equal(t, core.SeccompProfileTypeRuntimeDefault, pod.Spec.SecurityContext.SeccompProfile.Type)
	require.False(t, *c.SecurityContext.AllowPrivilegeEscalation)
	require.True(t, *c.SecurityContext.ReadOnlyRootFilesystem)
	require.Equal(t, []core.Capability{"ALL"}, c.SecurityContext.Capabilities.Drop)
	require.NotNil(t, c.LivenessProbe)
	require.NotZero(t, c.Resources.Limits.Memory().Value())
	require.NotZero(t, c.Resources.Requests.Cpu().MilliValue())
}

// TestProbesOfKubernetes starts the containers with their arguments, in a network of their own, and runs their probes.
func TestProbesOfKubernetes(t *testing.T) {
	for _, name := range []string{"kubernetes-service.yaml", "kubernetes-sidecar.yaml"} {
		requireProbed(t, name, objectsOf(t, name))
	}
}

// requireProbed starts the servers of some objects, and runs their probes.
func requireProbed(t *testing.T, name string, all []v1.Object) {
	t.Helper()
	probed := 0
	for _, object := range all {
		pod, _, _ := template(object)
		if pod == nil {
			continue
		}
		for _, c := range append(pod.Spec.InitContainers, pod.Spec.Containers...) {
			if c.Name != "cellserver" {
				continue
			}
			var probes []string
			for _, p := range []*core.Probe{c.StartupProbe, c.ReadinessProbe, c.LivenessProbe} {
				if p != nil {
					probes = append(probes, probe(t, c, p))
				}
			}
			var env []string
			for _, e := range c.Env {
				env = append(env, e.Name+"="+cmp.Or(e.Value, "sixteen-letters-or-more"))
			}
			contain(t, c.Args, env, probes)
			probed += len(probes)
		}
	}
	require.GreaterOrEqual(t, probed, 2, name)
}

// probe returns a line of bash that succeeds if a probe does.
func probe(t *testing.T, c core.Container, p *core.Probe) string {
	if p.Exec != nil {
		require.Equal(t, "/cellserver", p.Exec.Command[0])
		return `"$CELLSERVER" ` + strings.Join(p.Exec.Command[1:], " ")
	}
	for _, named := range c.Ports {
		if named.Name == p.HTTPGet.Port.StrVal {
			return fmt.Sprintf(`exec 3<>/dev/tcp/127.0.0.1/%d && printf 'GET %s HTTP/1.0\r\n\r\n' >&3 && head -1 <&3 | grep -q ' 200 '`,
				named.ContainerPort, p.HTTPGet.Path)
		}
	}
	require.Fail(t, "no such port", p.HTTPGet.Port.StrVal)
	return ""
}

// contain runs a server with its own network and its own /run until all probes have succeeded.
func contain(t *testing.T, args, env, probes []string) {
	if os.Getuid() != 0 {
		require.Empty(t, os.Getenv("CELLSERVER_NO_SKIP"), "this test needs root")
		t.Skip("this test needs root")
	}
	script := `ip link set lo up; mount -t tmpfs run /run; mkdir /run/cellserver; "$CELLSERVER" "$@" & `
	for _, p := range probes {
		script += "for i in $(seq 3000); do (" + p + ") 2>/dev/null && echo succeeded && break; sleep 0.1; done\n"
	}
	script += "kill %1; wait %1\n"
	line := append([]string{"--mount", "--net", "--pid", "--fork", "--kill-child", "bash", "-c", script, "bash"}, args...)
	server := exec.Command("unshare", line...)
	server.Dir = t.TempDir()
	server.Env = append(append(os.Environ(), `CELLSERVER_BIND=* -::*`), env...)
	out, err := server.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Equal(t, len(probes), strings.Count(string(out), "succeeded\n"), string(out))
}

// TestCompose: the files follow the schema of compose, and the server accepts its command.
func TestCompose(t *testing.T) {
	for name, nodes := range map[string]int{"compose.yaml": 3, "compose-single.yaml": 1} {
		options, err := cli.NewProjectOptions([]string{deploy + name}, cli.WithEnv([]string{"PASSWORD=secret", "CLUSTER_SECRET=sixteen-letters-or-more"}))
		require.NoError(t, err)
		project, err := options.LoadProject(t.Context())
		require.NoError(t, err, name)
		require.Len(t, project.Services, nodes, name)
		for _, service := range project.Services {
			require.FileExists(t, filepath.Join(service.Build.Context, "Dockerfile"))
			require.Equal(t, "/data", service.Volumes[0].Target)
			require.Contains(t, project.Volumes, service.Volumes[0].Source)
			require.Equal(t, "secret", *service.Environment["CELLSERVER_REQUIREPASS"])
			if nodes == 1 {
				contain(t, service.Command, []string{"CELLSERVER_REQUIREPASS=secret", "CELLSERVER_HTTP_TOKEN=" + *service.Environment["CELLSERVER_HTTP_TOKEN"]},
					[]string{`"$CELLSERVER" --ping`})
			}
		}
	}
}
