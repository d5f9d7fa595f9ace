package scripts

import "stele/core"

// takeFiles takes the lines that show files out of a message's text, where a script shows them so. A text of which the last
// line only looks like one is taken for a message with a file: its residue says better.
func takeFiles(p *core.MessagePostedEvent) {
	p.Text, p.Attachments = core.SplitAttachmentLines(p.Text)
	for _, f := range p.Attachments {
		p.Media = append(p.Media, f.Media)
	}
}
