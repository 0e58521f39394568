package source

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/stretchr/testify/require"

	"cellserver/envoy/config"
	"cellserver/envoy/stats"
)

func rulesOf(domain string) string {
	return "domain: " + domain + "\ndescriptors: [{key: a, rate_limit: {unit: hour, requests_per_unit: 1}}]\n"
}

func write(t *testing.T, path, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
}

// A harness has a loader, and shows what it uses.
type harness struct {
	*Loader
	set      atomic.Pointer[config.Set]
	registry *stats.Registry
	logged   *bytes.Buffer
	now      func() time.Time
}

func newHarness(t *testing.T) *harness {
	h := &harness{registry: stats.NewRegistry(), logged: &bytes.Buffer{}, now: time.Now}
	log := slog.New(slog.NewTextHandler(&lockedWriter{w: h.logged}, nil))
	h.Loader = NewLoader(false, func(s *config.Set) { h.set.Store(s) }, h.registry, log)
	return h
}

// A lockedWriter is written to by one goroutine only, and read after it has ended.
type lockedWriter struct{ w *bytes.Buffer }

func (l *lockedWriter) Write(p []byte) (int, error) { return l.w.Write(p) }

// watch runs the loader until the end of the test.
func (h *harness) watch(t *testing.T, f Folders) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	follow, err := h.Watch(f)
	require.NoError(t, err)
	require.True(t, h.set.Load() != nil || h.logged.Len() > 0, "the files are read at once")
	go func() {
		defer close(done)
		if err := follow(ctx); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
	require.Eventually(t, func() bool { return h.good.Value()+h.bad.Value() > 0 }, time.Minute, time.Millisecond)
}

// eventually waits for a domain.
func (h *harness) eventually(t *testing.T, domain string) {
	t.Helper()
	require.Eventually(t, func() bool { return h.set.Load() != nil && h.set.Load().HasDomain(domain) },
		time.Minute, 5*time.Millisecond, domain)
}

func TestEveryFileBelowTheFolderIsRead(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "sub", "config", "a.yaml"), rulesOf("a"))
	write(t, filepath.Join(root, "sub", "config", "deep", "b.txt"), rulesOf("b"))
	write(t, filepath.Join(root, "sub", "config", ".hidden"), rulesOf("hidden"))
	write(t, filepath.Join(root, "sub", "other", "c.yaml"), rulesOf("c"))
	log := slog.New(slog.DiscardHandler)
	names := func(f Folders) (names []string) {
		files, err := f.Read(log)
		require.NoError(t, err)
		for _, file := range files {
			names = append(names, file.Name)
		}
		return names
	}
	require.Equal(t, []string{"config..hidden", "config.a.yaml", "config.deep.b.txt"},
		names(Folders{root, "sub", "config", true, false}))
	require.Equal(t, []string{"config.a.yaml", "config.deep.b.txt"}, names(Folders{root, "sub", "config", true, true}))
	require.Equal(t, []string{"a.yaml", "deep.b.txt"}, names(Folders{root, "sub", "config", false, true}))
	require.Empty(t, names(Folders{root, "", "config", true, false}), "an empty subdirectory has no rules")
	_, err := Folders{root, "none", "config", true, false}.Read(log)
	require.ErrorIs(t, err, errNoFolder)

	// A pipe would block the reader, and an editor's link leads nowhere.
	require.NoError(t, syscall.Mkfifo(filepath.Join(root, "sub", "config", "pipe"), 0o600))
	require.NoError(t, os.Symlink("nowhere", filepath.Join(root, "sub", "config", "link")))
	require.Len(t, names(Folders{root, "sub", "config", false, true}), 2)
}

// Kubernetes replaces the link ..data when a ConfigMap changes.
func TestAConfigMapIsReadAgain(t *testing.T) {
	root := t.TempDir()
	folder := filepath.Join(root, "ratelimit", "config")
	publish := func(version, domain string) {
		write(t, filepath.Join(folder, "..v"+version, "config.yaml"), rulesOf(domain))
		require.NoError(t, os.Symlink("..v"+version, filepath.Join(folder, "..data_tmp")))
		require.NoError(t, os.Rename(filepath.Join(folder, "..data_tmp"), filepath.Join(folder, "..data")))
	}
	publish("1", "one")
	require.NoError(t, os.Symlink("..data/config.yaml", filepath.Join(folder, "config.yaml")))
	h := newHarness(t)
	h.watch(t, Folders{root, "ratelimit", "config", false, true})
	h.eventually(t, "one")
	publish("2", "two")
	h.eventually(t, "two")
	require.False(t, h.set.Load().HasDomain("one"))
	require.Zero(t, h.bad.Value())
}

// A link at the root is replaced by a deployment.
func TestAReplacedRootIsReadAgain(t *testing.T) {
	parent := t.TempDir()
	root := filepath.Join(parent, "current")
	publish := func(version string) {
		write(t, filepath.Join(parent, version, "sub", "config", "a.yaml"), rulesOf(version))
		require.NoError(t, os.Symlink(version, filepath.Join(parent, "next")))
		require.NoError(t, os.Rename(filepath.Join(parent, "next"), root))
	}
	publish("v1")
	h := newHarness(t)
	h.watch(t, Folders{root, "sub", "config", true, false})
	h.eventually(t, "v1")
	publish("v2")
	h.eventually(t, "v2")
}

// A deployment may remove the root before it makes the next one. Without rules all requests would pass.
func TestAFolderThatGoesAwayKeepsTheRules(t *testing.T) {
	for _, watchRoot := range []bool{true, false} {
		h, f := newHarness(t), Folders{filepath.Join(t.TempDir(), "current"), "sub", "config", watchRoot, false}
		require.NoError(t, h.read(f), "there may be no folder at the start")
		require.False(t, h.set.Load().HasDomains())
		write(t, filepath.Join(f.Root, "sub", "config", "a.yaml"), rulesOf("one"))
		require.NoError(t, h.read(f))
		require.NoError(t, os.RemoveAll(f.Root))
		require.ErrorContains(t, h.read(f), "the folder does not exist: "+f.Root)
		require.True(t, h.set.Load().HasDomain("one"))
		require.EqualValues(t, 1, h.bad.Value())
	}
}

// A new volume brings the folder of the root anew.
func TestARootInANewFolderIsReadAgain(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "volume")
	f := Folders{filepath.Join(parent, "current"), "sub", "config", true, false}
	write(t, filepath.Join(f.Root, "sub", "config", "a.yaml"), rulesOf("one"))
	h := newHarness(t)
	h.watch(t, f)
	h.eventually(t, "one")
	require.NoError(t, os.RemoveAll(parent))
	write(t, filepath.Join(f.Root, "sub", "config", "a.yaml"), rulesOf("two"))
	require.Eventually(t, func() bool { return h.set.Load().HasDomain("two") }, 100*rewatch, 10*time.Millisecond)
}

func TestARelativeRootIsReadAgain(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, filepath.Join("one", "sub", "config", "a.yaml"), rulesOf("one"))
	write(t, filepath.Join("two", "sub", "config", "a.yaml"), rulesOf("two"))
	require.NoError(t, os.Symlink("one", "current"))
	require.NoError(t, os.Symlink("two", "next"))
	h := newHarness(t)
	h.watch(t, Folders{"current", "sub", "config", true, false})
	h.eventually(t, "one")
	require.NoError(t, os.Rename("next", "current"))
	h.eventually(t, "two")
}

func TestABadSetKeepsTheOldRules(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "sub", "config", "a.yaml")
	write(t, file, rulesOf("one"))
	h := newHarness(t)
	h.watch(t, Folders{root, "sub", "config", false, false})
	h.eventually(t, "one")
	write(t, file, "domain: two\ndescriptors: [{key: a, rate_limit: {unit: eon}}]")
	require.Eventually(t, func() bool { return h.bad.Value() > 0 }, time.Minute, time.Millisecond)
	require.True(t, h.set.Load().HasDomain("one"))
	write(t, file, rulesOf("three"))
	h.eventually(t, "three")
	require.NoError(t, os.Remove(file))
	require.Eventually(t, func() bool { return !h.set.Load().HasDomains() }, time.Minute, time.Millisecond,
		"an empty folder is good")
}

// A file that is written slowly is good as a part of it, and lacks limits. It is read when nobody writes it any more.
func TestAFileThatIsWrittenSlowlyIsReadOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		root := t.TempDir()
		h, file, f := newHarness(t), filepath.Join(root, "a.yaml"), Folders{root, "", "", false, false}
		write(t, file, rulesOf("whole"))
		require.NoError(t, h.read(f))
		watcher := &fsnotify.Watcher{Events: make(chan fsnotify.Event), Errors: make(chan error)}
		go h.follow(t.Context(), f, watcher, root, true)
		for _, part := range []string{"domain: whole", "domain: whole\ndescriptors: []", rulesOf("next")} {
			write(t, file, part)
			watcher.Events <- fsnotify.Event{Name: file, Op: fsnotify.Write}
			time.Sleep(settle * 9 / 10)
			require.Len(t, h.set.Load().Rules, 1)
			require.True(t, h.set.Load().HasDomain("whole"))
		}
		time.Sleep(settle)
		synctest.Wait()
		require.True(t, h.set.Load().HasDomain("next"))
		require.EqualValues(t, 2, h.good.Value())
	})
}

// A folder in which something changes all the time does not keep new rules out.
func TestChangesWithoutEndAreRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		root := t.TempDir()
		h, f := newHarness(t), Folders{root, "", "", false, false}
		watcher := &fsnotify.Watcher{Events: make(chan fsnotify.Event), Errors: make(chan error)}
		go h.follow(t.Context(), f, watcher, root, true)
		write(t, filepath.Join(root, "a.yaml"), rulesOf("new"))
		for range 2 * longest / settle {
			watcher.Events <- fsnotify.Event{Name: "other", Op: fsnotify.Write}
			time.Sleep(settle * 9 / 10)
		}
		require.True(t, h.set.Load().HasDomain("new"))
	})
}

func TestAFolderThatComesLaterIsRead(t *testing.T) {
	root := t.TempDir()
	h := newHarness(t)
	h.watch(t, Folders{root, "sub", "config", false, false})
	require.False(t, h.set.Load().HasDomains())
	write(t, filepath.Join(root, "sub", "config", "a.yaml"), rulesOf("late"))
	h.eventually(t, "late")
}

func TestAFileThatCanNotBeReadRefusesTheSet(t *testing.T) {
	root := t.TempDir()
	h := newHarness(t)
	write(t, filepath.Join(root, "a.yaml"), rulesOf("one"))
	require.NoError(t, h.load(Folders{root, "", "", false, false}.Read(h.log)))
	write(t, filepath.Join(root, "b.yaml"), "domain: [")
	require.Error(t, h.load(Folders{root, "", "", false, false}.Read(h.log)))
	require.Contains(t, h.logged.String(), "the new rules are not used, the old ones stay: b.yaml: error loading config file: yaml:")
	require.True(t, h.set.Load().HasDomain("one"))
}

func TestTheCheckNamesFilesByTheirPaths(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "b.yaml"), "domain: ''")
	files, err := ReadFolder(root, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	_, err = config.Build(files, false)
	require.EqualError(t, err, filepath.Join(root, "b.yaml")+": config file cannot have empty domain")
}

// Theirs reads the first document of a file, and says nothing of the others.
func TestMoreDocumentsInAFileAreSaid(t *testing.T) {
	root := t.TempDir()
	h := newHarness(t)
	write(t, filepath.Join(root, "a.yaml"), rulesOf("one")+"---\n"+rulesOf("two"))
	require.NoError(t, h.load(Folders{root, "", "", false, false}.Read(h.log)))
	require.True(t, h.set.Load().HasDomain("one"))
	require.Contains(t, h.logged.String(),
		"level=WARN msg=\"only the first YAML document is read: put each into a file of its own\" file=a.yaml")
}
