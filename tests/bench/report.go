package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// section is the part of the report that a mode writes.
type section struct {
	id      string // of the part: what was measured before under this name is replaced
	heading string
	notes   string // what the numbers mean
	table   table
	plots   []plot
	command string
	machine string
}

// text is the section in Markdown, without its plots.
func (s *section) text() string {
	return fmt.Sprintf("## %s\n\n%s\n\n    %s\n\n%s\n\n%s", s.heading, s.notes, s.command, s.machine, s.table.markdown())
}

// write keeps the section in performance.md of a folder, and its plots beside it.
func (s *section) write(dir string) error {
	path := filepath.Join(dir, "performance.md")
	report, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	body := s.text()
	for _, p := range s.plots {
		body += fmt.Sprintf("\n![%s](%s)\n", p.title(), p.file())
		if err := os.WriteFile(filepath.Join(dir, p.file()), []byte(p.svg()), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(path, []byte(replaceSection(string(report), s.id, body)), 0o644)
}

// opening is how a report begins that is not there yet.
const opening = `# Performance

Each section was measured by the command in it, which measures the same on any Linux machine. Unless a section says otherwise,
one server at a time runs on one core, the clients on another, and nothing is saved. Absolute numbers are those of one machine
on one day; what can be compared are the ratios within a section.
`

// replaceSection puts a section where the one of its name was, or at the end. The rest of the report stays.
func replaceSection(report, id, body string) string {
	if report == "" {
		report = opening
	}
	begin, end := "<!-- bench "+id+" -->\n", "<!-- end of "+id+" -->\n"
	section := begin + strings.TrimRight(body, "\n") + "\n" + end
	before, rest, found := strings.Cut(report, begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return strings.TrimRight(report, "\n") + "\n\n" + section
	}
	return before + section + after
}

// describeMachine says what was measured on, without names.
func describeMachine() string {
	cpuinfo, _ := os.ReadFile("/proc/cpuinfo")
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	release, _, _ := strings.Cut(strings.TrimSpace(string(kernel)), "-") // what follows is the builder's
	version, _ := exec.Command("redis-server", "--version").Output()
	return fmt.Sprintf("%d × %s, Linux %s, Redis %s, %s", strings.Count(string(cpuinfo), "\nprocessor")+1,
		cpuModel(string(cpuinfo)), release, redisVersion(string(version)), runtime.Version())
}

// cpuModel is the first model that /proc/cpuinfo names; not every architecture does.
func cpuModel(cpuinfo string) string {
	for line := range strings.Lines(cpuinfo) {
		key, value, _ := strings.Cut(line, ":")
		if strings.TrimSpace(key) == "model name" {
			return strings.Join(strings.Fields(value), " ")
		}
	}
	return runtime.GOARCH + " processor"
}

// redisVersion is the version in what redis-server --version says.
func redisVersion(output string) string {
	_, rest, _ := strings.Cut(output, "v=")
	version, _, _ := strings.Cut(rest, " ")
	return version
}
