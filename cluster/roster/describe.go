package roster

import (
	"fmt"
	"strings"
	"time"
)

// Describe writes the state for a person on call: who leads, who is behind, who is unreachable, and what to
// do.
func Describe(s *State) string {
	var b strings.Builder
	fmt.Fprintf(&b, "cluster   %s\n", s.headline())
	if s.Cluster != "" {
		fmt.Fprintf(&b, "leader    %s\n", s.leaderLine())
		fmt.Fprintf(&b, "asked     %s\n", s.askedLine())
		fmt.Fprintf(&b, "log       committed %d, applied %d; %s on disk\n", s.Commit, s.Applied, size(s.Log))
		fmt.Fprintf(&b, "level     %s\n", s.levelLine())
		b.WriteString(s.numbersLines())
		if s.Dropped > 0 {
			fmt.Fprintf(&b, "pub/sub   %s did not reach another node\n", count(s.Dropped, "message"))
		}
		b.WriteString("\n" + s.table())
	}
	b.WriteString("\nwhat to do\n")
	for _, line := range s.advice() {
		b.WriteString("  " + line + "\n")
	}
	return b.String()
}

// numbersLines say how fast this node commits as a leader, and how steady it leads. They are empty if it has
// never led.
func (s *State) numbersLines() string {
	n := &s.Numbers
	if n.Epochs == 0 {
		return ""
	}
	return fmt.Sprintf("commits   %d here: half within %s, 99 of 100 within %s; %s wait\n",
		n.Commits, micros(n.Half), micros(n.Most), size(n.Lag)) +
		fmt.Sprintf("epochs    began or ended %s here; %s taken back, %s waited for a lease\n",
			count(uint64(n.Epochs), "time"),
			count(uint64(n.Undone), "change"), count(uint64(n.Misses), "reply"))
}

// levelLine says at which feature level the cluster works.
func (s *State) levelLine() string {
	if highest := s.highest(); highest > s.Feature {
		return fmt.Sprintf("%d, until all nodes know %d", s.Feature, highest)
	}
	return fmt.Sprint(s.Feature)
}

// micros writes a number of microseconds.
func micros(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d us", n)
	}
	return fmt.Sprintf("%.1f ms", float64(n)/1000)
}

// headline says in one line whether the cluster serves.
func (s *State) headline() string {
	all, answering, quorum := s.voters()
	switch {
	case s.Cluster == "":
		return "none: this node waits"
	case s.Leader == "" && answering < quorum:
		return fmt.Sprintf("DOWN: %d of %d voters answer, and %d are needed", answering, all, quorum)
	case s.Leader == "":
		return fmt.Sprintf("DOWN: no leader; %d of %d voters answer", answering, all)
	case s.Leader != s.Self:
		return fmt.Sprintf("up, as far as this node knows; %s", count(uint64(all), "voter"))
	case all == 1:
		return "up, with one voter: if it fails, the cluster stops"
	case answering < all:
		return fmt.Sprintf("up, with %d of %d voters: %s", answering, all, spare(answering-quorum))
	}
	return fmt.Sprintf("up, with all of its %d voters: %s", all, spare(answering-quorum))
}

// spare says how many more nodes may fail.
func spare(nodes int) string {
	if nodes <= 0 {
		return "if one more fails, the cluster stops"
	}
	return fmt.Sprintf("it survives the loss of %s", count(uint64(nodes), "more node"))
}

func (s *State) leaderLine() string {
	if s.Leader == "" {
		return fmt.Sprintf("none for %s, term %d", span(s.Since), s.Term)
	}
	return fmt.Sprintf("%s for %s, term %d", s.name(s.Leader), span(s.Since), s.Term)
}

func (s *State) askedLine() string {
	role := "follower"
	switch n := s.node(s.Self); {
	case s.Self == s.Leader:
		role = "the leader"
	case s.Joining:
		role = "joining: it does not have the data yet"
	case n == nil || !n.Voter:
		role = "no voter yet"
	}
	return fmt.Sprintf("%s (%s)", s.name(s.Self), role)
}

// span writes a duration with the two units that matter.
func span(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d days", int(d.Hours())/24)
}

// size writes a number of bytes.
func size(bytes int64) string {
	switch {
	case bytes < 1<<10:
		return fmt.Sprintf("%d B", bytes)
	case bytes < 1<<20:
		return fmt.Sprintf("%.1f kB", float64(bytes)/(1<<10))
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/(1<<20))
}

// count writes a number of things.
func count(n uint64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	if stem, ok := strings.CutSuffix(thing, "y"); ok {
		thing = stem + "ie"
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
