package format

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestManifests has the cases of Redis's aof-multi-part.tcl, and the other cases of its parser.
func TestManifests(t *testing.T) {
	for text, want := range map[string]string{ // the error, or ": " and the files to load
		"file appendonly.aof.1.incr.aof seq 1 type i\n":                                                    ": appendonly.aof.1.incr.aof",
		"file a.1.base.rdb seq 1 type b\nfile a.1.incr.aof seq 1 type i\n":                                 ": a.1.base.rdb a.1.incr.aof",
		"file a.1.incr.aof seq 1 type i\nfile a.1.base.rdb seq 1 type b\n":                                 ": a.1.base.rdb a.1.incr.aof",
		"file a.1.base.rdb seq 1 type b\nfile a.2.incr.aof seq 2 type i\nfile a.7.incr.aof seq 7 type i\n": ": a.1.base.rdb a.2.incr.aof a.7.incr.aof",
		"# a comment\nfile a seq 3 type i\n#\n":                                                            ": a",
		"# nothing else\n":                                                                                 ": ",
		"file a seq 1 type h\nfile b seq 2 type i\n":                                                       ": b",
		"FILE a SEQ 1 TYPE i\n":                                                                            ": a",
		"type i seq 1 file a\n":                                                                            ": a",
		"  file a seq 1 type i \t\r\n":                                                                     ": a",
		"file a seq 1 type i newkey newvalue\n":                                                            ": a",
		"file \"file name\\x01\" seq 1 type i\n":                                                           ": file name\x01",
		"file 'a b' seq 1 type incr\n":                                                                     ": a b",
		"file a seq 12abc type i\n":                                                                        ": a",
		"file a file b seq 1 type i\n":                                                                     ": b",
		"":                                                                                                 "Found an empty AOF manifest",
		"\n":                                                                                               "Invalid AOF manifest file format",
		"file a seq 1 type i\n\nfile b seq 2 type i\n":                                                     "Invalid AOF manifest file format",
		"file a seq 1 type i\n  \n":                                                                        "Invalid AOF manifest file format",
		"file a seq 1 type i":                                                                              "The AOF manifest file contains too long line",
		"file a seq 1 type i\x00\n":                                                                        "The AOF manifest file contains too long line",
		"file a seq 1 type i x " + strings.Repeat("y", 1024) + "\n":                                        "The AOF manifest file contains too long line",
		"#" + strings.Repeat("y", 1023) + "\nfile a seq 1 type i\n":                                        "Invalid AOF manifest file format",
		"file a seq 1 type b\nfile b seq 2 type b\n":                                                       "Found duplicate base file information",
		"file a seq 1 type x\n":                                                                            "Unknown AOF file type",
		"file a seq 2 type i\nfile b seq 1 type i\n":                                                       "Found a non-monotonic sequence number",
		"file a seq 1 type i\nfile b seq 1 type i\n":                                                       "Found a non-monotonic sequence number",
		"file a seq -1 type i\n":                                                                           "Found a non-monotonic sequence number",
		"filx a seq 1 type i\n":                                                                            "Invalid AOF manifest file format",
		"file a seq type i\n":                                                                              "Invalid AOF manifest file format",
		"file a seq 1 type\n":                                                                              "Invalid AOF manifest file format",
		"file a seq 1\n":                                                                                   "Invalid AOF manifest file format",
		"file a seq 1 type i odd\n":                                                                        "Invalid AOF manifest file format",
		"file a seq 0 type i\n":                                                                            "Invalid AOF manifest file format",
		"file a seq none type i\n":                                                                         "Invalid AOF manifest file format",
		"file a seq 1 type ''\n":                                                                           "Invalid AOF manifest file format",
		"file a seq 1 other i\n":                                                                           "Invalid AOF manifest file format",
		"file \"a seq 1 type i\n":                                                                          "Invalid AOF manifest file format",
		"file ../a seq 1 type i\n":                                                                         "File can't be a path, just a filename",
		"file a\\b seq 1 type i\n":                                                                         "File can't be a path, just a filename",
	} {
		m, err := ParseManifest([]byte(text))
		if names, loads := strings.CutPrefix(want, ": "); loads {
			require.NoError(t, err, "%q", text)
			var got []string
			for _, e := range m.Files() {
				got = append(got, e.Name)
			}
			require.Equal(t, names, strings.Join(got, " "), "%q", text)
			continue
		}
		require.ErrorContains(t, err, want, "%q", text)
	}
}

func TestManifestRoundTrip(t *testing.T) {
	m := &Manifest{Base: Entry{"a b.3.base.rdb", 3, BaseKind}, LastBase: 3, LastIncr: 9,
		Incrs: []Entry{{"a b.4.incr.aof", 4, IncrKind}, {"a b.9.incr.aof", 9, IncrKind}}, History: []Entry{{"a\"b", 1, HistoryKind}}}
	again, err := ParseManifest(m.Text())
	require.NoError(t, err)
	require.Equal(t, m, again)
}

// TestManifestsNoticeFlippedBits flips each bit: the manifest lists the same files, or it is refused.
func TestManifestsNoticeFlippedBits(t *testing.T) {
	m := &Manifest{Base: Entry{"a.2.base.rdb", 2, BaseKind}, LastBase: 2, LastIncr: 3,
		Incrs: []Entry{{"a.2.incr.aof", 2, IncrKind}, {"a.3.incr.aof", 3, IncrKind}}, History: []Entry{{"a.1.base.rdb", 1, HistoryKind}}}
	text := m.Text()
	require.Contains(t, string(text), "\r\nfile a.2.base.rdb seq 2 type b\n")
	noticed := 0
	for bit := range 8 * len(text) {
		text[bit/8] ^= 1 << (bit % 8)
		if again, err := ParseManifest(text); err == nil {
			require.Equal(t, m, again, "bit %d of byte %d", bit%8, bit/8)
		} else {
			noticed++
		}
		text[bit/8] ^= 1 << (bit % 8)
	}
	require.Greater(t, noticed, 8*(len(text)-HeaderSize))

	_, err := ParseManifest(append(text, "file a.4.incr.aof seq 4 type i\n"...))
	require.ErrorContains(t, err, "edited the manifest on purpose")
	edited, err := ParseManifest(append(text[HeaderSize:], "file a.4.incr.aof seq 4 type i\n"...))
	require.NoError(t, err, "edited, without the header")
	require.Len(t, edited.Incrs, 3)
}
