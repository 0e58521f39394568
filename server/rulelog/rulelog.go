package rulelog

import (
	"encoding/json"
	"log/slog"

	"cellserver/commands"
	"cellserver/limiters/ruleset"
)

// Log implements [commands.RuleChanges].
type Log struct {
	Log    *slog.Logger
	Clock  commands.Clock
	PubSub commands.Broker

	lines Lines
}

// mostText bounds a text in the log.
const mostText = 200

// Changed implements [commands.RuleChanges].
func (l *Log) Changed(by commands.Author, c ruleset.Change) {
	l.publish(by, c)
	missed, ok := l.lines.Admit(l.Clock.Monotonic())
	if !ok {
		return
	}
	attrs := []any{"rule", bounded(c.Rule)}
	for _, one := range []struct{ name, value string }{
		{"scope", c.Scope}, {"key", c.Key}, {"old", c.Old}, {"new", c.New}, {"hides", c.Hides},
		{"user", by.User}, {"address", by.Address}, {"by", by.Means},
	} {
		if one.value != "" {
			attrs = append(attrs, one.name, bounded(one.value))
		}
	}
	if missed > 0 {
		attrs = append(attrs, "changes_without_a_line", missed)
	}
	text := "a rule has changed"
	if c.Hides != "" {
		text = "a rule has changed, and hides the rule of the file: CL.RULE DEL brings that one back"
	}
	l.Log.Info(text, attrs...)
}

// Adopted logs that the rules of a file or a URL came into force.
func (l *Log) Adopted(news ruleset.News) {
	attrs := append([]any{"source", news.Source}, news.Summary()...)
	l.Log.Info("the rules of the source are in force", attrs...)
	for _, c := range news.Changes {
		l.Changed(commands.Author{Means: news.Source}, c)
	}
}

// event is the message of a change.
type event struct {
	Rule    string `json:"rule"`
	Scope   string `json:"scope,omitempty"`
	Key     string `json:"key,omitempty"`
	Old     string `json:"old"`
	New     string `json:"new"`
	Hides   string `json:"hides,omitempty"`
	User    string `json:"user,omitempty"`
	Address string `json:"address,omitempty"`
	By      string `json:"by"`
}

func (l *Log) publish(by commands.Author, c ruleset.Change) {
	message, err := json.Marshal(event{
		c.Rule, c.Scope, c.Key, c.Old, c.New, c.Hides, by.User, by.Address, by.Means,
	})
	if err != nil {
		return // texts have no error
	}
	l.PubSub.Publish(nil, commands.Channel, []byte(commands.RuleChannel), message)
}

// bounded shortens a text.
func bounded(text string) string { return Bounded(text, mostText) }
