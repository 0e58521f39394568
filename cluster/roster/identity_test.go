package roster

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cellserver/cluster/entry"
	"cellserver/internal/randtest"
	"cellserver/persistence/fs"
	"cellserver/persistence/fs/fstest"

	"github.com/stretchr/testify/require"
)

// dir is the directory of every test in memory.
const dir = "/data/raft"

var first = firstID([]string{"a:1", "b:1", "c:1"}, "a:1")

// formed returns files with a running node that has formed a cluster.
func formed(t *testing.T, bootID string, durable bool) *fstest.Memory {
	t.Helper()
	m := &fstest.Memory{}
	n, err := OpenIdentity(m, dir, bootID, durable)
	require.NoError(t, err)
	require.Equal(t, Identity{Incarnation: 1, BootID: bootID, Durable: durable}, n)
	require.Empty(t, n.OldDir(dir))
	n.ID, n.Cluster = first, strings.Repeat("c", 40)
	require.NoError(t, SaveIdentity(m, dir, n))
	return m
}

func TestIDs(t *testing.T) {
	nodes := []string{"a:1", "b:1", "c:1"}
	require.Equal(t, "c69597e0c53a6ece0c36d207bfd71b57102ab8c2", first)
	require.Equal(t, first, firstID([]string{"c:1", "a:1", "b:1"}, "a:1"), "in any order")
	require.Equal(t, []string{"a:1", "b:1", "c:1"}, nodes, "the addresses stay")
	ids := []string{first, firstID(nodes, "b:1"), firstID(nodes, "c:1"), firstID(nodes[:2], "a:1"),
		firstID([]string{"a:1", "b:1c:1"}, "a:1")}
	for range 100 {
		ids = append(ids, NewID(first, 2))
	}
	slices.Sort(ids)
	require.Len(t, slices.Compact(ids), 105)
	for _, id := range ids {
		require.True(t, entry.IsID(id), id)
	}
	for _, id := range []string{"", first[1:], first + "00", strings.ToUpper(first), strings.Repeat("g", 40)} {
		require.False(t, entry.IsID(id), id)
	}
}

// TestTheFile keeps the format as it is.
func TestTheFile(t *testing.T) {
	m := formed(t, "boot-1", true)
	require.Equal(t, `{"id":"`+first+`","cluster":"`+strings.Repeat("c", 40)+`","incarnation":1,"boot_id":"boot-1","durable":true,"clean":false}`+"\n",
		string(m.Get(dir+"/node")))
}

func TestStarts(t *testing.T) {
	for _, test := range []struct {
		name           string
		durable, clean bool   // the run before
		bootID         string // of the next start; the one before had boot-1
		sync           bool   // the next start
		lost           bool
		durableAfter   bool
	}{
		{name: "kill", bootID: "boot-1"},
		{name: "kill, then sync", bootID: "boot-1", sync: true, durableAfter: false},
		{name: "power cut", bootID: "boot-2", lost: true},
		{name: "power cut, then sync", bootID: "boot-2", sync: true, lost: true, durableAfter: true},
		{name: "unknown boot", bootID: "", lost: true},
		{name: "clean, same boot", clean: true, bootID: "boot-1"},
		{name: "clean, other boot", clean: true, bootID: "boot-2"},
		{name: "clean, unknown boot, then sync", clean: true, bootID: "", sync: true, durableAfter: true},
		{name: "synced power cut", durable: true, bootID: "boot-2", sync: true, durableAfter: true},
		{name: "synced power cut, then no sync", durable: true, bootID: "boot-2"},
		{name: "synced, clean", durable: true, clean: true, bootID: "boot-2", sync: true, durableAfter: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := formed(t, "boot-1", test.durable)
			m.Put(dir+"/stable", []byte("the term"))
			m.Put(dir+"/log/file", []byte("the log"))
			if test.clean {
				require.NoError(t, MarkClean(m, dir))
			}
			n, err := OpenIdentity(m, dir, test.bootID, test.sync)
			require.NoError(t, err)
			again, err := ReadIdentity(m.PowerCut(nil), dir)
			require.NoError(t, err)
			require.Equal(t, n, again, "the start is on disk")
			want := Identity{ID: first, Cluster: strings.Repeat("c", 40), Incarnation: 1, BootID: test.bootID,
				Durable: test.durableAfter}
			if !test.lost {
				require.Equal(t, want, n)
				require.Equal(t, []string{dir + "/log/file", dir + "/node", dir + "/stable"}, m.Names())
				return
			}
			require.NotEqual(t, first, n.ID)
			want.ID, want.Incarnation = n.ID, 2
			require.Equal(t, want, n)
			require.Equal(t, "/data/raft.old-1", n.OldDir(dir))
			require.Equal(t, []string{"/data/raft.old-1/log/file", "/data/raft.old-1/node", "/data/raft.old-1/stable", dir + "/node"}, m.PowerCut(nil).Names())
		})
	}
}

func TestALostDirectory(t *testing.T) {
	m := formed(t, "boot-1", true)
	require.NoError(t, m.Remove(dir+"/node"))
	n, err := OpenIdentity(m, dir, "boot-1", true)
	require.NoError(t, err)
	require.Empty(t, n.ID)
	m.Put(dir+"/stable", []byte("the term"))
	_, err = OpenIdentity(m, dir, "boot-1", true)
	require.EqualError(t, err, "/data/raft/node is lost, and its directory has stable. Restore the file from a copy, or remove the directory: "+
		"then the node joins the cluster as a new one")
}

func TestFilesThatCannotBeUsed(t *testing.T) {
	m := formed(t, "boot-1", true)
	intact := string(m.Get(dir + "/node"))
	for want, text := range map[string]string{
		"EOF":                              "",
		"unknown field":                    strings.Replace(intact, `"clean"`, `"cleaner"`, 1),
		"it has text after its end":        intact + "{}",
		"it has more than 4096 bytes":      intact + strings.Repeat(" ", 4096),
		"its incarnation is 0":             strings.Replace(intact, `"incarnation":1`, `"incarnation":0`, 1),
		`its id "" is not 40`:              strings.Replace(intact, first, "", 1),
		`its cluster "cc" is not 40 hexad`: strings.Replace(intact, strings.Repeat("c", 40), "cc", 1),
	} {
		m.Put(dir+"/node", []byte(text))
		_, err := OpenIdentity(m, dir, "boot-1", true)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "/data/raft/node cannot be used: ")
		require.ErrorContains(t, err, "remove the directory /data/raft: then the node joins the cluster as a new one")
		require.Error(t, MarkClean(m, dir))
	}
	require.EqualError(t, SaveIdentity(m, dir, Identity{ID: first}),
		"its incarnation is 0, and the first one is 1")
}

// TestAReplacementAtEveryFault fails each operation of a start after a power cut, and cuts the power there again. The next
// start has a new id, and the old files are where the first incarnation is put.
func TestAReplacementAtEveryFault(t *testing.T) {
	r := rand.New(randtest.Source(t))
	for n := 0; ; n++ {
		m := formed(t, "boot-1", false)
		m.Put(dir+"/stable", []byte("the term"))
		from := m.Ops() + n
		m.Fault = func(op fstest.Op) error {
			if op.N >= from {
				return errors.New("no")
			}
			return nil
		}
		node, err := OpenIdentity(m, dir, "boot-2", false)
		m.Fault = nil
		if err == nil {
			require.Greater(t, n, 10)
			require.EqualValues(t, 2, node.Incarnation)
			return
		}
		require.Equal(t, Identity{}, node)
		for boot, after := range map[string]*fstest.Memory{"boot-2": m.Kill(), "boot-3": m.PowerCut(r), "boot-4": m.PowerCut(nil)} {
			node, err := OpenIdentity(after, dir, boot, false)
			require.NoError(t, err, "operation %d, %s", n, boot)
			require.NotEqual(t, first, node.ID)
			require.Contains(t, []uint64{2, 3}, node.Incarnation, "operation %d, %s", n, boot) // 3: the start was complete on disk
			require.Equal(t, strings.Repeat("c", 40), node.Cluster)
			require.Equal(t, "the term", string(after.Get("/data/raft.old-1/stable")))
			require.Nil(t, after.Get(dir+"/stable"))
		}
	}
}

// computer is a computer with a node. The node acknowledges by writing into a file, as a log does.
type computer struct {
	t     *testing.T
	r     *rand.Rand
	files *fstest.Memory
	boot  int
	acked map[string]string // by id: what the node has acknowledged
}

// run starts the node, lets it acknowledge something, and ends it in some way.
func (m *computer) run() {
	durable := m.r.IntN(2) == 0
	n, err := OpenIdentity(m.files, dir, fmt.Sprint("boot-", m.boot), durable)
	require.NoError(m.t, err)
	if n.ID == "" {
		n.ID = NewID(first, n.Incarnation)
		require.NoError(m.t, SaveIdentity(m.files, dir, n))
	}
	path := filepath.Join(dir, "log")
	require.Equal(m.t, m.acked[n.ID], string(m.files.Get(path)), "a node has what its id has acknowledged")
	f, err := m.files.Open(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	require.NoError(m.t, err)
	sync := func() { require.NoError(m.t, errors.Join(f.Sync(), m.files.SyncDir(dir))) }
	if durable {
		sync()
	}
	for range m.r.IntN(5) {
		_, err := f.Write([]byte("x"))
		require.NoError(m.t, err)
		if durable {
			sync()
		}
		m.acked[n.ID] += "x"
	}
	if m.r.IntN(3) == 0 {
		sync()
		require.NoError(m.t, MarkClean(m.files, dir))
	}
	m.end()
}

// end ends the process, cuts the power, or loses the directory.
func (m *computer) end() {
	switch m.r.IntN(7) {
	case 0:
		for _, name := range m.files.Names() {
			if strings.HasPrefix(name, dir+"/") {
				require.NoError(m.t, m.files.Remove(name))
			}
		}
		require.NoError(m.t, m.files.SyncDir(dir))
	case 1, 2:
		m.files = m.files.PowerCut(m.r)
		m.boot++
	case 3:
		m.files = m.files.PowerCut(nil)
		m.boot++
	}
}

// TestAnIDNeverForgets runs nodes through random starts, ends, power cuts and lost directories, with and without sync. A
// node that has an id has everything that it has acknowledged under this id.
func TestAnIDNeverForgets(t *testing.T) {
	r := rand.New(randtest.Source(t))
	for range 300 {
		m := &computer{t: t, r: r, files: &fstest.Memory{}, boot: 1, acked: map[string]string{}}
		for range 25 {
			m.run()
		}
	}
}

func TestOnARealFileSystem(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "raft")
	n, err := OpenIdentity(fs.OS{}, dir, "boot-1", false)
	require.NoError(t, err)
	require.Empty(t, n.ID)
	n.ID = first
	require.NoError(t, SaveIdentity(fs.OS{}, dir, n))
	require.NoError(t, os.Mkdir(dir+"/log", 0o755))
	require.NoError(t, os.WriteFile(dir+"/log/file", []byte("the log"), 0o644))
	n, err = OpenIdentity(fs.OS{}, dir, "boot-1", false)
	require.NoError(t, err)
	require.Equal(t, first, n.ID)
	for incarnation := uint64(2); incarnation < 4; incarnation++ {
		n, err = OpenIdentity(fs.OS{}, dir, fmt.Sprint("boot-", incarnation), false)
		require.NoError(t, err)
		require.Equal(t, incarnation, n.Incarnation)
		require.FileExists(t, n.OldDir(dir)+"/node")
	}
	require.FileExists(t, dir+".old-1/log/file")
	require.NoDirExists(t, dir+".new")
	require.NoError(t, MarkClean(fs.OS{}, dir))
	again, err := OpenIdentity(fs.OS{}, dir, "boot-9", false)
	require.NoError(t, err)
	require.Equal(t, n.ID, again.ID)
}

// A person has removed a directory, and kept the former ones. After a power cut, the next directory replaces none of them.
func TestANewDirectoryBesideFormerOnes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "raft")
	for _, former := range []string{".old-1", ".old-2"} {
		require.NoError(t, SaveIdentity(fs.OS{}, dir+former, Identity{ID: first, Incarnation: 1}))
	}
	n, err := OpenIdentity(fs.OS{}, dir, "boot-1", false)
	require.NoError(t, err)
	n.ID = first
	require.NoError(t, SaveIdentity(fs.OS{}, dir, n))
	n, err = OpenIdentity(fs.OS{}, dir, "boot-2", false)
	require.NoError(t, err)
	require.Equal(t, dir+".old-4", n.OldDir(dir), "there is a gap")
	require.FileExists(t, n.OldDir(dir)+"/node")
	n, err = OpenIdentity(fs.OS{}, dir, "boot-3", false)
	require.NoError(t, err)
	require.Equal(t, dir+".old-5", n.OldDir(dir))
	_, err = ForgetIdentity(fs.OS{}, dir, n)
	require.NoError(t, err)
	require.FileExists(t, dir+".old-6/node")
}

// A node that the cluster has removed gets a new id, and stays removed over restarts and power cuts, until it is saved as
// a member again.
func TestAForgottenNode(t *testing.T) {
	m := formed(t, "boot-1", false)
	n, err := OpenIdentity(m, dir, "boot-1", false)
	require.NoError(t, err)
	gone, err := ForgetIdentity(m, dir, n)
	require.NoError(t, err)
	require.NotEqual(t, n.ID, gone.ID)
	require.Equal(t, n.Incarnation+1, gone.Incarnation)
	for _, boot := range []string{"boot-1", "boot-2"} {
		again, err := OpenIdentity(m, dir, boot, false)
		require.NoError(t, err)
		require.True(t, again.Forgotten)
		require.Equal(t, n.Cluster, again.Cluster)
		m = m.PowerCut(nil)
	}
	again, err := OpenIdentity(m, dir, "boot-3", false)
	require.NoError(t, err)
	require.True(t, again.Forgotten)
	again.Forgotten = false
	require.NoError(t, SaveIdentity(m, dir, again))
	again, err = OpenIdentity(m, dir, "boot-3", false)
	require.NoError(t, err)
	require.False(t, again.Forgotten)
}
