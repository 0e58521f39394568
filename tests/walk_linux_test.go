//go:build !race

package tests

import (
	"fmt"
	"go/ast"
	"go/types"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cellserver/internal/porttest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// A walk is a list in docs/architecture.md: the functions through which a request passes, each below its
// caller.
type walk struct {
	title                string
	functions, crossings int // at most
	send                 func(d *door)
	after                *walk // its functions are not in the list; nil for none
}

// aroundTurns repeats the function that begins each walk.
const aroundTurns = "resp/transport.loop.run"

var (
	decision = walk{"The walk of a decision", 59, 20, throttleWith(15), nil}
	change   = walk{"What a change adds", 35, 10, throttleWith(100_000), &decision}

	walks = []*walk{&decision, &change}
)

// throttleWith returns a request with a burst. Most requests pass if the burst is large, and none if it is
// not.
func throttleWith(burst int) func(d *door) {
	return func(d *door) { d.Do("CL.THROTTLE", "k", burst, 30, 60) }
}

// A door is where requests go: a connection of a client, and a path of HTTP.
type door struct {
	*resptest.Client
	t     *testing.T
	check string // the address of POST /check/api
}

// ask sends a request over HTTP.
func (d *door) ask() {
	r, err := http.Post(d.check, "application/json", strings.NewReader(`{"key":"k"}`))
	require.NoError(d.t, err)
	defer r.Body.Close()
	_, err = io.Copy(io.Discard, r.Body)
	require.NoError(d.t, err)
	require.Contains(d.t, []int{http.StatusOK, http.StatusTooManyRequests}, r.StatusCode)
}

// eval runs a script of one command, which reads.
func (d *door) eval() { d.Do("EVAL", "return redis.call('GET', KEYS[1])", 1, "n") }

// A walkLine is one function of a walk.
type walkLine struct {
	name   string // such as "store.Tx.End"
	caller string // the line above it that is further to the left; "" for none
}

// text returns the part of docs/architecture.md about a walk.
func (w *walk) text(t *testing.T) string {
	t.Helper()
	doc, err := os.ReadFile(filepath.Join(root(t), "docs", "architecture.md"))
	require.NoError(t, err)
	_, text, found := strings.Cut(string(doc), "\n### "+w.title+"\n")
	require.True(t, found, "docs/architecture.md has no heading %q", w.title)
	text, _, _ = strings.Cut(text, "\n#")
	return text
}

// lines reads the list of a walk: indented lines, each with the name of a function and what it does. It
// leaves out those of the walk before it.
func (w *walk) lines(t *testing.T) (all []walkLine) {
	t.Helper()
	var before []walkLine
	if w.after != nil {
		before = w.after.lines(t)
	}
	_, list, _ := strings.Cut(w.text(t), "```text\n")
	list, _, _ = strings.Cut(list, "```")
	var callers []string // by depth
	for line := range strings.Lines(list) {
		depth := (len(line) - len(strings.TrimLeft(line, " "))) / 2
		name, what, _ := strings.Cut(strings.TrimSpace(line), " ")
		require.NotEmpty(t, strings.TrimSpace(what), "%s: say what it does", name)
		require.LessOrEqual(t, depth, len(callers), "%s stands too far to the right", name)
		callers = append(callers[:depth], name)
		one := walkLine{name: name}
		if depth > 0 {
			one.caller = callers[depth-1]
		}
		require.False(t, has(all, name), "%s is there twice", name)
		if !has(before, name) {
			all = append(all, one)
		}
	}
	return all
}

// has reports whether a walk has a function.
func has(lines []walkLine, name string) bool {
	return slices.ContainsFunc(lines, func(l walkLine) bool { return l.name == name })
}

// folderOf returns the package of a function.
func folderOf(name string) string {
	slash := strings.LastIndex(name, "/") + 1
	folder, _, _ := strings.Cut(name[slash:], ".")
	return name[:slash] + folder
}

// A function is a function of the module, and what one request runs of it.
type function struct {
	p       *goPackage
	decl    *ast.FuncDecl
	runs    bool
	callees []string // what the request runs; methods of interfaces, too
	busy    bool     // it loops, or calls what a variable holds
	writes  int      // atomic writes and locks
}

// functions are all functions of the module, by their names.
type functions map[string]*function

// nameOf returns the name of a function, such as "store.Tx.End". own is false if it is not of this module.
func nameOf(f *types.Func) (name string, own bool) {
	if f.Pkg() == nil {
		return f.Name(), false
	}
	name = f.Name()
	if recv := f.Signature().Recv(); recv != nil {
		of := recv.Type()
		if pointer, ok := of.(*types.Pointer); ok {
			of = pointer.Elem()
		}
		if named, ok := of.(*types.Named); ok {
			name = named.Obj().Name() + "." + name
		}
	}
	path, own := strings.CutPrefix(f.Pkg().Path(), module+"/")
	return path + "." + name, own
}

// declared returns the functions of the module.
func declared(t *testing.T) functions {
	all := functions{}
	for _, p := range typedPackages(t) {
		for _, file := range p.files {
			for _, d := range file.file.Decls {
				if decl, ok := d.(*ast.FuncDecl); ok && decl.Body != nil {
					if f, ok := p.info.Defs[decl.Name].(*types.Func); ok {
						name, _ := nameOf(f)
						all[name] = &function{p: p, decl: decl}
					}
				}
			}
		}
	}
	return all
}

// A span is a part of a file that runs as a whole.
type span struct{ start, end struct{ line, column int } }

// holds reports whether a place is in the span.
func (s span) holds(line, column int) bool {
	return (line > s.start.line || line == s.start.line && column >= s.start.column) &&
		(line < s.end.line || line == s.end.line && column < s.end.column)
}

// mark notes what a request runs of each function.
func (all functions) mark(ran map[string][]span) {
	for _, f := range all {
		at := f.p.set.Position(f.decl.Body.Pos())
		spans := slices.Clone(ran[f.p.name+"/"+filepath.Base(at.Filename)])
		spans = slices.DeleteFunc(spans, func(s span) bool {
			return s.end.line < at.Line || s.start.line > f.p.set.Position(f.decl.End()).Line
		})
		f.runs, f.callees, f.busy, f.writes = len(spans) > 0, nil, false, 0
		ast.Inspect(f.decl.Body, func(n ast.Node) bool {
			if n == nil || !f.runs {
				return false
			}
			at := f.p.set.Position(n.Pos())
			if slices.ContainsFunc(spans, func(s span) bool { return s.holds(at.Line, at.Column) }) {
				f.note(n)
			}
			return true
		})
	}
}

// note notes a part of the function that runs.
func (f *function) note(n ast.Node) {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		_, counted := n.(*ast.ForStmt)
		_, ranges := n.(*ast.RangeStmt)
		f.busy = f.busy || counted || ranges
		return
	}
	called := ast.Unparen(call.Fun)
	if generic, ok := called.(*ast.IndexExpr); ok {
		called = generic.X
	}
	if selector, ok := called.(*ast.SelectorExpr); ok {
		called = selector.Sel
	}
	name, ok := called.(*ast.Ident)
	if !ok {
		return // a conversion such as []byte(s), or a literal of a function
	}
	switch object := f.p.info.Uses[name].(type) {
	case *types.Func:
		if callee, own := nameOf(object); own {
			f.callees = append(f.callees, callee)
		} else if writesAtomically(callee) {
			f.writes++
		}
	case *types.Var:
		f.busy = true
	}
}

// nothingToRead is how many lines a function may have that does not count.
const nothingToRead = 4

// counts reports whether a function counts: a reader finds more in it than its name says. It does not count
// if it has at most nothingToRead lines, no loop, and calls no function that counts. Those of internal/ do
// not count, as those of the standard library: they know no request.
func (all functions) counts(name string) bool {
	f := all[name]
	if !f.runs || strings.HasPrefix(name, "internal/") {
		return false
	}
	lines := f.p.set.Position(f.decl.Body.Rbrace).Line - f.p.set.Position(f.decl.Body.Lbrace).Line - 1
	return f.busy || lines > nothingToRead || slices.ContainsFunc(all.callees(f), all.counts)
}

// callees returns the functions that a function calls for a request. For a method of an interface these are
// all methods of the name that run.
func (all functions) callees(f *function) (names []string) {
	for _, callee := range f.callees {
		if all[callee] != nil {
			names = append(names, callee)
			continue
		}
		method := callee[strings.LastIndex(callee, "."):]
		for name, other := range all {
			if other.runs && strings.HasSuffix(name, method) {
				names = append(names, name)
			}
		}
	}
	return names
}

// calls reports whether a caller calls a function, perhaps through functions that do not count.
func (all functions) calls(caller, name string) bool {
	f := all[caller]
	return f.busy || slices.ContainsFunc(all.callees(f), func(callee string) bool {
		return callee == name || all[callee].runs && !all.counts(callee) && all.calls(callee, name)
	})
}

// walkRequests is how many requests of two runs differ.
const walkRequests = 500

// ranFor returns the parts of files that run for each request.
func ranFor(t *testing.T, server string, send func(*door)) map[string][]span {
	few, many := countsAfter(t, server, send, walkRequests/2), countsAfter(t, server, send, walkRequests*3/2)
	ran := map[string][]span{}
	for at, n := range many {
		if n-few[at] < walkRequests*19/20 {
			continue
		}
		var s span
		file, place, _ := strings.Cut(at, ".go:")
		_, err := fmt.Sscanf(place, "%d.%d,%d.%d", &s.start.line, &s.start.column, &s.end.line, &s.end.column)
		require.NoError(t, err)
		file = strings.TrimPrefix(file, module+"/") + ".go"
		ran[file] = append(ran[file], s)
	}
	return ran
}

// countsAfter runs a server for n requests, and returns how often each part of a file has run.
func countsAfter(t *testing.T, server string, send func(*door), n int) map[string]int {
	port, web, counts := strconv.Itoa(porttest.Free(t)), strconv.Itoa(porttest.Free(t)), t.TempDir()
	cmd := exec.Command(server, "--port", port, "--bind", "127.0.0.1", "--dir", t.TempDir(),
		"--enable-debug-command", "yes", "--http-port", web)
	cmd.Env = append(os.Environ(), "GOCOVERDIR="+counts)
	require.NoError(t, cmd.Start())
	defer cmd.Process.Kill()
	addr := net.JoinHostPort("127.0.0.1", port)
	require.Eventually(t, func() bool {
		nc, err := net.Dial("tcp", addr)
		if err == nil {
			nc.Close()
		}
		return err == nil
	}, time.Minute, 10*time.Millisecond, "the server does not start")
	d := &door{resptest.Dial(t, addr), t, "http://127.0.0.1:" + web + "/check/api"}
	d.Do("CL.RULE", "SET", "api", "CL.THROTTLE", 15, 30, 60)
	d.Do("SET", "n", 1)
	d.Do("DEBUG", "SET-ACTIVE-EXPIRE", 0) // the work in the background must not look like that of requests
	for range n {
		send(d)
	}
	http.DefaultClient.CloseIdleConnections()
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	require.NoError(t, cmd.Wait())
	text := filepath.Join(counts, "text")
	out, err := exec.Command("go", "tool", "covdata", "textfmt", "-i="+counts, "-o="+text).CombinedOutput()
	require.NoError(t, err, "%s", out)
	b, err := os.ReadFile(text)
	require.NoError(t, err)
	all := map[string]int{}
	for line := range strings.Lines(string(b)) {
		// cellserver/store/tx.go:12.34,15.2 3 250
		if words := strings.Fields(line); len(words) == 3 {
			all[words[0]], err = strconv.Atoi(words[2])
			require.NoError(t, err)
		}
	}
	return all
}

// TestWalksAreShort bounds the walks of docs/architecture.md.
func TestWalksAreShort(t *testing.T) {
	all := declared(t)
	for _, w := range walks {
		lines, crossings := w.lines(t), 0
		for _, line := range lines {
			require.Contains(t, all, line.name, "there is no such function")
			if line.caller != "" && folderOf(line.name) != folderOf(line.caller) {
				crossings++
			}
		}
		require.LessOrEqual(t, len(lines), w.functions, "functions of %q", w.title)
		require.LessOrEqual(t, crossings, w.crossings, "calls into another package of %q", w.title)
		said := fmt.Sprintf("%d functions and %d crossings", len(lines), crossings)
		require.Contains(t, w.text(t), said, "the text of %q", w.title)
	}
}

// TestWalksAreComplete runs a server that counts what it runs, and compares the walks of
// docs/architecture.md with it.
func TestWalksAreComplete(t *testing.T) {
	if testing.Short() {
		return // TestWalksAreShort does not need the server
	}
	all, server := declared(t), filepath.Join(t.TempDir(), "cellserver")
	build := exec.Command("go", "build", "-cover", "-covermode=atomic", "-coverpkg=./...", "-pgo=off",
		"-o", server, "./cmd/cellserver")
	build.Dir = root(t)
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, w := range walks {
		t.Run(w.title, func(t *testing.T) {
			all.mark(ranFor(t, server, w.send))
			all.compare(t, w)
			all.compareWrites(t, w)
		})
	}
	for name, most := range longWalks {
		t.Run(name, func(t *testing.T) {
			all.mark(ranFor(t, server, most.send))
			var ran []string
			for name := range all {
				if name != aroundTurns && all.counts(name) {
					ran = append(ran, name)
				}
			}
			slices.Sort(ran)
			t.Logf("%d functions: %s", len(ran), strings.Join(ran, " "))
			require.LessOrEqual(t, len(ran), most.functions)
		})
	}
}

// longWalks are requests that pass too many functions for a list. They must not become longer than this.
var longWalks = map[string]walk{
	"POST /check": {functions: 87, send: (*door).ask},
	"EVAL":        {functions: 90, send: (*door).eval},
}

// compare compares a walk with what a request has run.
func (all functions) compare(t *testing.T, w *walk) {
	var named, ran []string
	for _, line := range w.lines(t) {
		named = append(named, line.name)
		if line.caller != "" && all[line.name].runs && all[line.caller].runs {
			require.True(t, all.calls(line.caller, line.name), "%s does not call %s", line.caller, line.name)
		}
	}
	before := map[string]bool{aroundTurns: true}
	if w.after != nil {
		for _, line := range w.after.lines(t) {
			before[line.name] = true
		}
	}
	for name := range all {
		if !before[name] && all.counts(name) {
			ran = append(ran, name)
		}
	}
	slices.Sort(named)
	slices.Sort(ran)
	require.Equal(t, strings.Join(ran, "\n"), strings.Join(named, "\n"), "what runs, and what the walk names")
}
