package aof

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestManifests has the cases of Redis's aof-multi-part.tcl, and what else its parser tells apart.
func TestManifests(t *testing.T) {
	for text, want := range map[string]string{ // what is wrong; or "" and then the files that are loaded
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
		m, err := parseManifest([]byte(text))
		if names, loads := strings.CutPrefix(want, ": "); loads {
			require.NoError(t, err, "%q", text)
			var got []string
			for _, e := range m.files() {
				got = append(got, e.name)
			}
			require.Equal(t, names, strings.Join(got, " "), "%q", text)
			continue
		}
		require.ErrorContains(t, err, want, "%q", text)
	}
}

func TestManifestsAreReadAsTheyAreWritten(t *testing.T) {
	m := &manifest{base: entry{"a b.3.base.rdb", 3, baseType}, lastBase: 3, lastIncr: 9,
		incrs: []entry{{"a b.4.incr.aof", 4, incrType}, {"a b.9.incr.aof", 9, incrType}}, history: []entry{{"a\"b", 1, historyType}}}
	again, err := parseManifest(m.text())
	require.NoError(t, err)
	require.Equal(t, m, again)
}

// Whatever bit of a manifest changes, the same files are loaded and removed, or none.
func TestManifestsNoticeFlippedBits(t *testing.T) {
	m := &manifest{base: entry{"a.2.base.rdb", 2, baseType}, lastBase: 2, lastIncr: 3,
		incrs: []entry{{"a.2.incr.aof", 2, incrType}, {"a.3.incr.aof", 3, incrType}}, history: []entry{{"a.1.base.rdb", 1, historyType}}}
	text := m.text()
	require.Contains(t, string(text), "\r\nfile a.2.base.rdb seq 2 type b\n")
	noticed := 0
	for bit := range 8 * len(text) {
		text[bit/8] ^= 1 << (bit % 8)
		if again, err := parseManifest(text); err == nil {
			require.Equal(t, m, again, "bit %d of byte %d", bit%8, bit/8)
		} else {
			noticed++
		}
		text[bit/8] ^= 1 << (bit % 8)
	}
	require.Greater(t, noticed, 8*(len(text)-headerSize))

	_, err := parseManifest(append(text, "file a.4.incr.aof seq 4 type i\n"...))
	require.ErrorContains(t, err, "changed on purpose")
	by, err := parseManifest(append(text[headerSize:], "file a.4.incr.aof seq 4 type i\n"...))
	require.NoError(t, err, "by hand, without the header")
	require.Len(t, by.incrs, 3)
}
