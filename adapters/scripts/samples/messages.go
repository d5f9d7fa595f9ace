package samples

import (
	"strings"

	"stele/core"
)

// messages has messages that are hard to carry, in each of their fields.
func messages() []core.Payload {
	say := func(facts core.MessageFacts, text string, files ...core.Attachment) core.Payload {
		name := "Bob"
		if facts.Sender == Ada {
			name = "Ada"
		}
		for _, f := range files {
			facts.Media = append(facts.Media, f.Media)
		}
		return &core.MessagePostedEvent{
			MessageFacts: facts, MessageTexts: core.MessageTexts{SenderName: name, Text: text, Attachments: files},
		}
	}
	picture := core.Attachment{Media: "med_1", Filename: "a chart.png", Type: "image/png", Size: 2048}
	sheet := core.Attachment{Media: "med_2", Filename: `q"uote.csv`, Type: "text/csv", Size: 12}
	return []core.Payload{
		say(core.MessageFacts{ID: "msg_1", Sender: Bob}, "hello"),
		say(core.MessageFacts{ID: "msg_2", Turn: 1, Sender: Ada}, "what I say myself"),
		say(core.MessageFacts{ID: "msg_3", Turn: 2, Sender: Bob, Addressed: []string{Ada}}, "@ada look"),
		say(core.MessageFacts{ID: "msg_4", Turn: 3, Sender: Bob, Addressed: []string{"agt_carol", Ada}}, "@carol @ada both"),
		say(core.MessageFacts{ID: "msg_5", Turn: 4, Sender: Bob, Addressed: []string{"agt_carol"}}, "@carol alone"),
		say(core.MessageFacts{ID: "msg_6", Turn: 5, Sender: Bob, AddressAll: true}, "@all listen"),
		say(core.MessageFacts{ID: "msg_7", Turn: 6, Sender: Bob, Thread: "msg_1"}, "under the first"),
		say(core.MessageFacts{ID: "msg_8", Turn: 7, Sender: Ada, Thread: "msg_1", Next: Bob}, "your turn"),
		say(core.MessageFacts{ID: "msg_9", Turn: 8, Sender: Bob, Next: Ada, Addressed: []string{Ada}}, "and yours"),
		say(core.MessageFacts{ID: "msg_20", Turn: 19, Sender: Bob, Last: true}, "no more turns"),
		say(core.MessageFacts{ID: "msg_10", Turn: 9, Sender: Bob}, "with a picture", picture),
		say(core.MessageFacts{ID: "msg_11", Turn: 10, Sender: Bob}, "", picture, sheet),
		say(core.MessageFacts{ID: "msg_12", Turn: 11, Sender: Ada}, "", sheet),
		say(core.MessageFacts{ID: "msg_13", Turn: 12, Sender: Bob}, "a\r\nb\rc\n\nd\n"),
		say(core.MessageFacts{ID: "msg_14", Turn: 13, Sender: Bob}, "שלום \u202eمرحبا\u202c 👩\u200d🚀 e\u0301 \u2028 \u2029"),
		say(core.MessageFacts{ID: "msg_15", Turn: 14, Sender: Bob}, "nul \x00 and \ufffd and \ufeff"),
		say(core.MessageFacts{ID: "msg_16", Turn: 15, Sender: Bob}, "data: x\n\nid: 7\n: stele {}\n# stele {}"),
		say(core.MessageFacts{ID: "msg_18", Turn: 17, Sender: Bob}, picture.Filename, picture),
		say(core.MessageFacts{ID: "msg_19", Turn: 18, Sender: Bob}, "no file:\n[file] \"a\" (text/plain, 1 bytes) /gateway/media/med_9"),
		say(core.MessageFacts{ID: "msg_17", Turn: 16, Sender: Bob}, strings.Repeat("𝄞", 8192)),
	}
}
