package admin

import (
	"errors"
	"testing"

	"cellserver/commands"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestACLLoadAndSave(t *testing.T) {
	file := &servertest.MemoryFile{Text: "user alice on nopass ~a &a +@all\nuser bob on nopass +@all\n"}
	h := servertest.NewAt(t, &servertest.Edge{UserFile: file}, "--requirepass", "sec")
	h.Want("AUTH sec", ok)
	users := []string{
		"user alice on nopass ~a resetchannels &a +@all", "user bob on nopass resetchannels +@all", "user default on #" + secHash + " ~* &* +@all",
	}
	h.Want("ACL LIST", users)
	alice, bob, listener := h.NewClient(t), h.NewClient(t), h.NewClient(t)
	alice.Want("AUTH alice x", ok)
	bob.Want("AUTH bob x", ok)
	listener.Want("AUTH alice x", ok)
	listener.Want("SUBSCRIBE a", []any{"subscribe", "a", 1})

	file.Text = "user alice on nopass ~b +@all\nuser carol +nosuch"
	h.Want("ACL LOAD", commands.Error("ERR /users.acl:2: Error in applying operation '+nosuch': Unknown command or category name in ACL. "+
		"WARNING: ACL errors detected, no change to the previously active ACL rules was performed"))
	h.Want("ACL LIST", users)
	alice.Want("GET a", nil)

	file.Text = "user alice on nopass ~b +@all\n"
	h.Want("ACL LOAD", ok)
	require.False(t, alice.Closed)
	require.True(t, bob.Closed, "the file does not name its user")
	require.True(t, listener.Closed, "it has no right to the channel")
	alice.Want("GET b", nil)
	alice.Want("GET a", commands.Error("NOPERM this user has no permissions to access one of the keys used as arguments"))

	h.Want("ACL SETUSER dave >sec", ok)
	h.Want("ACL SAVE", ok)
	require.Equal(t, "user alice on nopass ~b resetchannels +@all\nuser dave off #"+secHash+" resetchannels -@all\n"+
		"user default on #"+secHash+" ~* &* +@all\n", file.Text)
	h.Want("ACL LOAD", ok)
	h.Want("ACL USERS", []string{"alice", "dave", "default"})

	file.Broken = errors.New("opening file '/users.acl': no such file or directory")
	h.Want("ACL LOAD", commands.Error("ERR Error loading ACLs, opening file '/users.acl': no such file or directory"))
	h.Want("ACL SAVE", commands.Error("ERR There was an error trying to save the ACLs. Please check the server logs for more information"))
	h.Want("ACL USERS", []string{"alice", "dave", "default"})
}

func TestACLLoadWithoutAFile(t *testing.T) {
	h := servertest.New(t)
	h.Want("ACL LOAD", errNoUserFile)
	h.Want("ACL SAVE", errNoUserFile)
}
