package agentswitch

import (
	"strconv"

	"stele/internal/strictjson"
)

// Payloads and frames are written field by field: every reader of a room waits
// for them, they have one fixed order, and nothing in them can fail.

func (m Message) appendTo(dst []byte) []byte {
	o := openObject(dst)
	o.bool("addressed", m.Addressed)
	o.str("sender", m.Sender)
	o.str("sender_name", m.SenderName)
	o.str("message_id", m.MessageID)
	o.str("body", m.Body)
	o.int("timestamp", m.Timestamp)
	o.optional("thread_id", m.ThreadID)
	o.name("attachments")
	o.buf = append(o.buf, '[')
	for i, a := range m.Attachments {
		if i > 0 {
			o.buf = append(o.buf, ',')
		}
		o.buf = a.appendTo(o.buf)
	}
	o.buf = append(o.buf, ']')
	return o.close()
}

func (a Attachment) appendTo(dst []byte) []byte {
	o := openObject(dst)
	o.str("filename", a.Filename)
	o.str("mimetype", a.Mimetype)
	o.int("size", a.Size)
	o.str("mxc", a.MXC)
	o.str("msgtype", a.MsgType)
	return o.close()
}

func (c Command) appendTo(dst []byte) []byte {
	o := openObject(dst)
	o.str("command", c.Command)
	o.str("args", c.Args)
	o.str("user_id", c.UserID)
	o.str("user_name", c.UserName)
	o.optional("thread_id", c.ThreadID)
	return o.close()
}

func (j RoomJoin) appendTo(dst []byte) []byte {
	o := openObject(dst)
	o.str("member", j.Member)
	o.str("member_name", j.MemberName)
	o.int("timestamp", j.Timestamp)
	o.bool("listening", j.Listening)
	return o.close()
}

func (t TaskIDs) open(dst []byte) object {
	o := openObject(dst)
	o.str("task_id", t.TaskID)
	o.str("requester_agent_id", t.RequesterAgentID)
	o.str("performer_agent_id", t.PerformerAgentID)
	return o
}

func (t TaskDelegate) appendTo(dst []byte) []byte {
	o := t.open(dst)
	o.str("summary", t.Summary)
	o.str("description", t.Description)
	return o.close()
}

func (t TaskCancel) appendTo(dst []byte) []byte {
	o := t.open(dst)
	o.str("reason", t.Reason)
	return o.close()
}

func (t TaskAccept) appendTo(dst []byte) []byte {
	o := t.open(dst)
	return o.close()
}

func (t TaskUpdate) appendTo(dst []byte) []byte {
	o := t.open(dst)
	o.str("update", t.Update)
	return o.close()
}

func (t TaskFinalise) appendTo(dst []byte) []byte {
	o := t.open(dst)
	o.str("outcome", t.Outcome)
	return o.close()
}

// appendTo writes an empty object when Raw is not JSON, so that a frame is
// always sound.
func (u Unknown) appendTo(dst []byte) []byte {
	out, err := strictjson.Append(dst, u.Raw)
	if err != nil {
		return append(dst, "{}"...)
	}
	return out
}

// object writes the fields of one JSON object in the order of the calls.
type object struct {
	buf   []byte
	empty bool
}

func openObject(dst []byte) object { return object{buf: append(dst, '{'), empty: true} }

func (o *object) name(name string) {
	if !o.empty {
		o.buf = append(o.buf, ',')
	}
	o.empty = false
	o.buf = append(o.buf, '"')
	o.buf = append(o.buf, name...)
	o.buf = append(o.buf, '"', ':')
}

func (o *object) str(name, value string) {
	o.name(name)
	o.buf = strictjson.AppendString(o.buf, value)
}

func (o *object) optional(name string, value *string) {
	if value == nil {
		o.name(name)
		o.buf = append(o.buf, "null"...)
		return
	}
	o.str(name, *value)
}

func (o *object) bool(name string, value bool) {
	o.name(name)
	o.buf = strconv.AppendBool(o.buf, value)
}

func (o *object) int(name string, value int64) {
	o.name(name)
	o.buf = strconv.AppendInt(o.buf, value, 10)
}

func (o *object) uint(name string, value uint64) {
	o.name(name)
	o.buf = strconv.AppendUint(o.buf, value, 10)
}

func (o *object) optionalInt(name string, value *int) {
	o.name(name)
	if value == nil {
		o.buf = append(o.buf, "null"...)
		return
	}
	o.buf = strconv.AppendInt(o.buf, int64(*value), 10)
}

func (o *object) close() []byte { return append(o.buf, '}') }
