package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// section is the part of the report that a mode writes.
type section struct {
	id      string // names the part; a new section replaces the earlier section of this name
	heading string
	notes   string // the meaning of the numbers
	table   table
	plots   []bars
	command string
	machine string
}

// text returns the section in Markdown, without its plots.
func (s *section) text() string {
	return fmt.Sprintf("## %s\n\n%s\n\n    %s\n\n%s\n\n%s",
		s.heading, strings.TrimSpace(s.notes), s.command, s.machine, s.table.markdown())
}

// write writes the section into performance.md of a folder, and its plots beside the file.
func (s *section) write(dir string) error {
	path := filepath.Join(dir, "performance.md")
	report, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	body := s.text()
	for i := range s.plots {
		p := &s.plots[i]
		body += fmt.Sprintf("\n![%s](%s)\n", p.title, p.name)
		if err := os.WriteFile(filepath.Join(dir, p.name), []byte(p.svg()), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(path, []byte(replaceSection(string(report), s.id, body)), 0o644)
}

// replaceSection replaces the section of the same name, or appends it. The rest stays the same.
func replaceSection(report, id, body string) string {
	begin, end := "<!-- bench "+id+" -->\n", "<!-- end of "+id+" -->\n"
	section := begin + strings.TrimRight(body, "\n") + "\n" + end
	before, rest, found := strings.Cut(report, begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return strings.TrimRight(report, "\n") + "\n\n" + section
	}
	return before + section + after
}

// describeMachine describes the machine without its name. Some have no model in /proc/cpuinfo.
func describeMachine() string {
	cpuinfo, _ := os.ReadFile("/proc/cpuinfo")
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	// The suffix belongs to the builder of the kernel.
	release, _, _ := strings.Cut(strings.TrimSpace(string(kernel)), "-")
	version, _ := exec.Command("redis-server", "--version").Output()
	after := func(text []byte, mark string) string {
		_, rest, _ := strings.Cut(string(text), mark)
		line, _, _ := strings.Cut(rest, "\n")
		return strings.Join(strings.Fields(line), " ")
	}
	redis, _, _ := strings.Cut(after(version, "v="), " ")
	model := cmp.Or(after(cpuinfo, "model name\t:"), runtime.GOARCH+" processor")
	return fmt.Sprintf("%d × %s, Linux %s, Redis %s, %s",
		strings.Count(string(cpuinfo), "\nprocessor")+1, model, release, redis, runtime.Version())
}
